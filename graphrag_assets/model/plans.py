"""Chunk plans: the sections and chunk spans of one document. Every byte is in at least one chunk."""

from dataclasses import dataclass

from graphrag_assets.model.limits import Limit
from graphrag_assets.model.spans import ByteSpan


@dataclass(frozen=True, slots=True)
class Section:
    """From a heading to the next of the same or a higher level. Order counts from 0; the parent is an order."""

    section_id: str
    order: int
    level: int
    title: str
    span: ByteSpan
    parent_order: int | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a document.

    Args:
        text: Exactly the bytes of ``span``.
        section_order: The innermost section it lies in, None before the first heading.
        token_count: Tokens of the chunk's text by the chunker's counter, special tokens included.
        context: Heading path and a cut table's header: goes to prompts, is never part of text or span.
        overlap_bytes: How many bytes at the start repeat the end of the chunk before.
        blank: True when the text has nothing to embed or ask about.
    """

    chunk_id: str
    order: int
    span: ByteSpan
    text: str
    section_order: int | None
    token_count: int
    context: str = ""
    overlap_bytes: int = 0
    blank: bool = False


@dataclass(frozen=True, slots=True)
class ChunkPlan:
    """All sections and chunks of one version of a document, in order."""

    document_id: str
    content_hash: str
    chunker_fingerprint: str
    sections: tuple[Section, ...]
    chunks: tuple[Chunk, ...]
    limits: tuple[Limit, ...] = ()
