"""Embedders behind an ABC: texts in, vectors out, in the same order."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EmbeddingBatch:
    """Vectors in the order of the texts, and what the provider counted.

    Args:
        vectors: One vector a text; not yet checked.
        input_tokens: As reported; estimated when ``tokens_estimated``.
        calls: Requests that were answered.
        retries: Further tries, of which ``rate_limited`` answered a rate limit.
    """

    vectors: tuple[Sequence[float], ...]
    input_tokens: int
    calls: int = 1
    tokens_estimated: bool = False
    retries: int = 0
    rate_limited: int = 0
    waited_seconds: float = 0.0


class Embedder(ABC):
    """Turns texts into vectors of one model.

    ``model`` and ``revision`` name what made a vector: they go into fingerprints. ``stand_in`` says that no real
    model is behind it.
    """

    model: str
    revision: str
    dimensions: int
    max_tokens: int
    stand_in: bool = False

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> EmbeddingBatch:
        """Embed texts, none of them blank.

        Raises:
            FailedDocument: ``embedding-failed``, ``embedding-count``, ``rate-limited``, ``quota-exhausted``.
        """
