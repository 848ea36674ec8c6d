"""Byte spans: end-exclusive offsets into a document's UTF-8 bytes as loaded, never inside a code point."""

from dataclasses import dataclass
from typing import Self


def is_boundary(content: bytes, offset: int) -> bool:
    """Whether ``offset`` lies between two code points of valid UTF-8 ``content`` (its ends included)."""
    if offset < 0 or offset > len(content):
        return False
    return offset == len(content) or (content[offset] & 0xC0) != 0x80


def floor_boundary(content: bytes, offset: int) -> int:
    """The greatest code-point boundary at or before ``offset``."""
    offset = max(0, min(offset, len(content)))
    while not is_boundary(content, offset):
        offset -= 1
    return offset


@dataclass(frozen=True, slots=True, order=True)
class ByteSpan:
    """A half-open byte range ``[start, end)``."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"a span needs 0 <= start <= end, got {self.start} and {self.end}")

    def __len__(self) -> int:
        return self.end - self.start

    def cut(self, content: bytes) -> bytes:
        """The bytes of this span."""
        return content[self.start : self.end]

    def text(self, content: bytes) -> str:
        """The text of this span; raises ``UnicodeDecodeError`` when an end lies inside a code point."""
        return self.cut(content).decode()

    def shifted(self, by: int) -> Self:
        """The same span, moved by ``by`` bytes."""
        return type(self)(self.start + by, self.end + by)

    def contains(self, other: "ByteSpan") -> bool:
        """Whether ``other`` lies within this span."""
        return self.start <= other.start and other.end <= self.end
