"""Chunk plans: the sections and chunks of one loaded document, with their ids."""

from collections.abc import Iterable

from graphrag_assets.gateways.blank_texts import is_blank
from graphrag_assets.gateways.tokens import TokenCounter
from graphrag_assets.model.documents import LoadedDocument
from graphrag_assets.model.ids import chunk_id, hashed
from graphrag_assets.model.limits import Limit
from graphrag_assets.model.plans import Chunk, ChunkPlan
from graphrag_assets.model.settings import ChunkingSettings
from graphrag_assets.plans.blocks import Block, read_blocks
from graphrag_assets.plans.chunker import CHUNKER_VERSION, Piece, cut_blocks
from graphrag_assets.plans.context import Contexts
from graphrag_assets.plans.headings import DocumentVersion, read_sections
from graphrag_assets.sources.text import MAX_TITLE_CHARACTERS


def chunker_fingerprint(settings: ChunkingSettings) -> str:
    """Hash of the chunker's version and settings; it goes into every section and chunk id."""
    return hashed("chunker", CHUNKER_VERSION, settings.fingerprint())


def plan_chunks(document: LoadedDocument, settings: ChunkingSettings, counter: TokenCounter) -> ChunkPlan:
    """Cut a document.

    Every byte is in at least one chunk, a chunk's text is exactly its span, starts strictly increase, and the same
    document and settings give the same plan.

    Args:
        counter: What ``settings.tokenizer`` names.
    """
    blocks = read_blocks(document.text, document.media_type)
    version = DocumentVersion(document.document_id, document.content_hash, chunker_fingerprint(settings))
    sections = read_sections(blocks, version)
    contexts = Contexts(document.text, sections, settings, counter)
    pieces = tuple(cut_blocks(document.text, blocks, settings, counter))
    chunks = tuple(_chunk(document.text, version, order, piece, contexts) for order, piece in enumerate(pieces))
    return ChunkPlan(
        document_id=document.document_id,
        content_hash=document.content_hash,
        chunker_fingerprint=version.chunker_fingerprint,
        sections=sections,
        chunks=chunks,
        limits=tuple(_limits(settings, blocks, pieces, context_cut=contexts.cut)),
    )


def _chunk(text: bytes, version: DocumentVersion, order: int, piece: Piece, contexts: Contexts) -> Chunk:
    span = piece.span
    content = span.text(text)
    return Chunk(
        chunk_id=chunk_id(version.document_id, version.content_hash, version.chunker_fingerprint, span.start, span.end),
        order=order,
        span=span,
        text=content,
        section_order=piece.heading,
        token_count=piece.token_count,
        context=contexts.of(piece.heading, piece.table),
        overlap_bytes=piece.overlap_bytes,
        blank=is_blank(content),
    )


def _limits(settings: ChunkingSettings, blocks: Iterable[Block], pieces: Iterable[Piece], *, context_cut: bool) -> Iterable[Limit]:
    if any(piece.too_many_tokens for piece in pieces):
        yield Limit("chunk-tokens", settings.max_tokens - settings.context_tokens)
    if context_cut:
        yield Limit("context-tokens", settings.context_tokens)
    if any(block.title_cut for block in blocks):
        yield Limit("title-characters", MAX_TITLE_CHARACTERS)
