"""Documents: what a source says exists, and what a loader made of it."""

from dataclasses import dataclass, field
from typing import Literal

from graphrag_assets.model.limits import Limit
from graphrag_assets.model.spans import ByteSpan

TextOrigin = Literal["source", "pdf-text-layer", "converted"]
ChangeState = Literal["new", "changed", "unchanged", "removed", "refused"]


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """One source as found: a file of a folder source.

    Args:
        uri: Normalised URI; the document id is its SHA-256.
        document_id: 64 hex digits.
        key: Partition key.
        name: The name people know it by: its path below the source's folder.
        path: Where the bytes are (a local path or an fsspec URL).
        media_type: By the file's extension, else ``application/octet-stream``.
        size: Bytes of the raw file.
        raw_hash: SHA-256 of the raw bytes.
        refusal: A refusal code found while listing (``duplicate-uri``, ``unsupported-media-type``), else None.
    """

    uri: str
    document_id: str
    key: str
    name: str
    path: str
    media_type: str
    size: int
    raw_hash: str
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a paged document: its number (from 1) and the bytes of the loaded text that stand on it."""

    number: int
    span: ByteSpan


@dataclass(frozen=True, slots=True)
class DocumentMetadata:
    """What a source says of itself; never taken from extraction."""

    title: str | None = None
    published: str | None = None
    publisher: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class LoadedDocument:
    """A document as loaded: valid UTF-8 without byte-order mark, with its page map.

    Args:
        text: UTF-8 bytes; every span of the project counts these.
        content_hash: SHA-256 of ``text``.
        text_origin: Whether the bytes are the source's own or were made by a loader.
        mended: Lone surrogates replaced while text was taken from the source.
        limits: Bounds reached while loading.
    """

    uri: str
    document_id: str
    key: str
    media_type: str
    text: bytes
    content_hash: str
    loader: str
    text_origin: TextOrigin = "source"
    metadata: DocumentMetadata = field(default_factory=DocumentMetadata)
    pages: tuple[Page, ...] = ()
    pages_without_text: tuple[int, ...] = ()
    mended: int = 0
    limits: tuple[Limit, ...] = ()

    def pages_of(self, span: ByteSpan) -> tuple[int, ...]:
        """Numbers of the pages that a span touches; empty for a document without pages."""
        return tuple(p.number for p in self.pages if p.span.start < span.end and span.start < p.span.end)
