"""Embedders that answer from a script."""

import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence

from typing_extensions import override

from graphrag_assets.gateways.blank_texts import refuse_blank_texts
from graphrag_assets.gateways.embedder import Embedder, EmbeddingBatch

Answer = Sequence[float] | Exception


class ScriptedEmbedder(Embedder):
    """Gives the vectors of a table or a function; without one, a vector made of the text's hash. An exception is raised.

    ``batches`` holds the texts of every call, in the order in which they came.
    """

    def __init__(
        self,
        vectors: Mapping[str, Answer] | Callable[[str], Answer] | None = None,
        *,
        dimensions: int = 4,
        model: str = "scripted",
        revision: str = "1",
        max_tokens: int = 8_192,
    ) -> None:
        self.model = model
        self.revision = revision
        self.dimensions = dimensions
        self.max_tokens = max_tokens
        self.batches: list[tuple[str, ...]] = []
        self._lock = threading.Lock()
        if vectors is None:
            self._vector: Callable[[str], Answer] = lambda text: hashed_vector(text, dimensions)
        else:
            self._vector = vectors if callable(vectors) else vectors.__getitem__

    @override
    def embed(self, texts: Sequence[str]) -> EmbeddingBatch:
        refuse_blank_texts(texts)
        with self._lock:
            self.batches.append(tuple(texts))
        vectors = tuple(_given(self._vector(text)) for text in texts)
        return EmbeddingBatch(vectors, sum(len(text.split()) for text in texts), calls=1 if texts else 0)


def hashed_vector(text: str, dimensions: int) -> tuple[float, ...]:
    """A vector that depends on the text alone, with no zero in it."""
    digest = hashlib.shake_256(text.encode()).digest(dimensions)
    return tuple((byte - 127.5) / 127.5 for byte in digest)


def _given(answer: Answer) -> Sequence[float]:
    if isinstance(answer, Exception):
        raise answer
    return answer
