"""Counting tokens behind an ABC. MiniLM's own counter lives in ``minilm.py``."""

from abc import ABC, abstractmethod
from typing import Final

from typing_extensions import override

BYTES_PER_TOKEN: Final = 4


class TokenCounter(ABC):
    """Counts the tokens of a text, special tokens included."""

    name: str

    @abstractmethod
    def count(self, text: str) -> int:
        """Tokens of ``text``."""

    @abstractmethod
    def count_many(self, texts: list[str]) -> list[int]:
        """Tokens of each text; the same numbers as `count`, faster."""


class ByteTokenCounter(TokenCounter):
    """An estimate: four bytes of UTF-8 a token, rounded up."""

    name = "bytes"

    @override
    def count(self, text: str) -> int:
        return -(-len(text.encode()) // BYTES_PER_TOKEN)

    @override
    def count_many(self, texts: list[str]) -> list[int]:
        return [self.count(text) for text in texts]
