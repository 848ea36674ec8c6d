"""Vectors of texts under one embedding set, as artifacts hold them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextVector:
    """One vector: of a chunk, a thing, a fact or a report. ``text_hash`` is the SHA-256 of the text that was embedded."""

    owner_id: str
    text_hash: str
    vector: tuple[float, ...]
    reused: bool = False


@dataclass(frozen=True, slots=True)
class VectorTable:
    """All vectors of one document (or of the corpus) under one set, in the order of their owners."""

    set_name: str
    model: str
    revision: str
    dimensions: int
    vectors: tuple[TextVector, ...]
