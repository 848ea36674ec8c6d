"""Artifacts' rows from the words of the model, and back: one pair of functions an asset."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from graphrag_assets.model.corpus import Community, ResolvedCorpus, ResolvedFact, ResolvedThing
from graphrag_assets.model.decisions import MergeDecision
from graphrag_assets.model.documents import DocumentMetadata, LoadedDocument, Page, SourceEntry
from graphrag_assets.model.extraction import (
    Extraction,
    ExtractionReply,
    Fact,
    Mention,
    Pruned,
    Quarantined,
    SpokenQuote,
    Thing,
)
from graphrag_assets.model.plans import Chunk, ChunkPlan, Section
from graphrag_assets.model.spans import ByteSpan
from graphrag_assets.model.vectors import TextVector, VectorTable
from graphrag_assets.store.records import Row, record_of, row_of

_METADATA = ("title", "published", "publisher", "url")
_EXTRACTION_PARTS = {
    "thing": Thing,
    "fact": Fact,
    "mention": Mention,
    "quote": SpokenQuote,
    "pruned": Pruned,
    "quarantined": Quarantined,
}


def catalog_rows(entries: Sequence[SourceEntry]) -> list[Row]:
    """Rows of ``source_catalog``."""
    return [row_of(entry) for entry in entries]


def catalog_from(rows: Sequence[Mapping[str, Any]]) -> tuple[SourceEntry, ...]:
    """Entries of a ``source_catalog`` artifact."""
    return tuple(record_of(SourceEntry, row) for row in rows)


def document_rows(document: LoadedDocument) -> list[Row]:
    """The one row of ``documents``."""
    row = row_of(document)
    metadata: DocumentMetadata = row.pop("metadata")
    pages: list[Page] = row.pop("pages")
    row.pop("limits")
    row.update({name: getattr(metadata, name) for name in _METADATA})
    row.update(
        page_numbers=[page.number for page in pages],
        page_starts=[page.span.start for page in pages],
        page_ends=[page.span.end for page in pages],
    )
    return [row]


def document_from(rows: Sequence[Mapping[str, Any]]) -> LoadedDocument:
    """The document of a ``documents`` artifact."""
    row = dict(rows[0])
    spans = zip(row["page_numbers"] or (), row["page_starts"] or (), row["page_ends"] or (), strict=True)
    loaded = record_of(LoadedDocument, {**row, "pages": (), "limits": (), "metadata": None})
    metadata = DocumentMetadata(**{name: row[name] for name in _METADATA})
    return replace(loaded, metadata=metadata, pages=tuple(Page(number, ByteSpan(start, end)) for number, start, end in spans))


def plan_rows(plan: ChunkPlan) -> list[Row]:
    """Rows of ``chunk_plans``: sections, then chunks, in order."""
    return [row_of(s, "section") for s in plan.sections] + [row_of(c, "chunk") for c in plan.chunks]


def plan_from(rows: Sequence[Mapping[str, Any]], parts: Mapping[str, str], document_id: str) -> ChunkPlan:
    """The plan of a ``chunk_plans`` artifact; its provenance's parts hold content hash and chunker."""
    return ChunkPlan(
        document_id=document_id,
        content_hash=parts["content_hash"],
        chunker_fingerprint=parts["chunker_fingerprint"],
        sections=tuple(record_of(Section, row) for row in rows if row["part"] == "section"),
        chunks=tuple(record_of(Chunk, row) for row in rows if row["part"] == "chunk"),
    )


def vector_rows(table: VectorTable) -> list[Row]:
    """Rows of a vector asset."""
    return [row_of(vector) for vector in table.vectors]


def vectors_from(rows: Sequence[Mapping[str, Any]], parts: Mapping[str, str]) -> VectorTable:
    """The table of a vector artifact; its provenance's parts name set, model, revision and size."""
    vectors = tuple(record_of(TextVector, row) for row in rows)
    return VectorTable(parts["set"], parts["model"], parts["revision"], int(parts["dimensions"]), vectors)


def reply_rows(replies: Sequence[ExtractionReply]) -> list[Row]:
    """Rows of ``extraction_replies``."""
    return [row_of(reply) for reply in replies]


def replies_from(rows: Sequence[Mapping[str, Any]]) -> tuple[ExtractionReply, ...]:
    """Replies of an ``extraction_replies`` artifact."""
    return tuple(record_of(ExtractionReply, row) for row in rows)


def extraction_rows(extraction: Extraction) -> list[Row]:
    """Rows of ``extractions``, part by part."""
    parts = {
        "thing": extraction.things,
        "fact": extraction.facts,
        "mention": extraction.mentions,
        "quote": extraction.quotes,
        "pruned": extraction.pruned,
        "quarantined": extraction.quarantined,
    }
    return [row_of(record, part) for part, records in parts.items() for record in records]


def extraction_from(rows: Sequence[Mapping[str, Any]], parts: Mapping[str, str], document_id: str) -> Extraction:
    """The extraction of an ``extractions`` artifact."""
    found: dict[str, list[Any]] = {part: [] for part in _EXTRACTION_PARTS}
    for row in rows:
        found[row["part"]].append(record_of(_EXTRACTION_PARTS[row["part"]], row))
    return Extraction(
        document_id=document_id,
        ontology_fingerprint=parts["ontology_fingerprint"],
        extractor_version=parts["extractor_version"],
        things=tuple(found["thing"]),
        facts=tuple(found["fact"]),
        mentions=tuple(found["mention"]),
        quotes=tuple(found["quote"]),
        pruned=tuple(found["pruned"]),
        quarantined=tuple(found["quarantined"]),
    )


def corpus_rows(corpus: ResolvedCorpus) -> list[Row]:
    """Rows of ``entities``: things, then facts."""
    return [row_of(t, "thing") for t in corpus.things] + [row_of(f, "fact") for f in corpus.facts]


def corpus_from(rows: Sequence[Mapping[str, Any]]) -> ResolvedCorpus:
    """The corpus of an ``entities`` artifact."""
    return ResolvedCorpus(
        things=tuple(record_of(ResolvedThing, row) for row in rows if row["part"] == "thing"),
        facts=tuple(record_of(ResolvedFact, row) for row in rows if row["part"] == "fact"),
    )


def community_rows(communities: Sequence[Community]) -> list[Row]:
    """Rows of ``communities``."""
    return [row_of(community) for community in communities]


def communities_from(rows: Sequence[Mapping[str, Any]]) -> tuple[Community, ...]:
    """Communities of a ``communities`` artifact."""
    return tuple(record_of(Community, row) for row in rows)


def decision_rows(decisions: Sequence[MergeDecision]) -> list[Row]:
    """Rows of ``merge_decisions``."""
    return [decision.model_dump(mode="json") for decision in decisions]


def decisions_from(rows: Sequence[Mapping[str, Any]]) -> tuple[MergeDecision, ...]:
    """Decisions of a ``merge_decisions`` artifact."""
    return tuple(MergeDecision.model_validate({name: value for name, value in row.items() if value is not None}) for row in rows)


def count_rows(counts: Mapping[str, int | float | str], content: str) -> list[Row]:
    """Rows of a receipt artifact (``document_graph``, ``graph_vectors/<set>``, ``corpus_graph``): counts by kind.

    ``content`` is a hash of what was written, so that equal counts of other content give another digest.
    """
    rows: list[Row] = [{"kind": name, "count": int(value)} for name, value in sorted(counts.items()) if not isinstance(value, str)]
    return [*rows, {"kind": "content", "value": content}]
