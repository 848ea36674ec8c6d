"""What the graph should hold of one document: pure functions from plan and extraction to nodes, edges and facts."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final, NamedTuple

from graphrag_assets.graph.layout import GraphVocabulary, Layout
from graphrag_assets.model.documents import LoadedDocument
from graphrag_assets.model.errors import FailedDocument
from graphrag_assets.model.extraction import Extraction, Fact, Mention, SpokenQuote, Thing
from graphrag_assets.model.ids import fact_id, mention_key, quote_key
from graphrag_assets.model.plans import Chunk, ChunkPlan, Section

Properties = Mapping[str, object]

# Properties that say who wrote something and when: never compared, never part of a digest.
RUN_PROPERTY: Final = "run_id"

_OPTIONAL_OF_DOCUMENTS: Final = (
    "title",
    "published",
    "publisher",
    "url",
    "page_numbers",
    "page_starts",
    "page_ends",
    "pages_without_text",
)


class EdgeIdentity(NamedTuple):
    """What makes two edges the same one; ``key`` is empty for edges of which a pair has one only."""

    type: str
    source: str
    target: str
    key: str


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """An edge that one document alone owns: lexical, mention or quote. Ends are ids."""

    type: str
    source: str
    target: str
    properties: Properties = field(default_factory=dict[str, object])

    @property
    def identity(self) -> EdgeIdentity:
        """See `EdgeIdentity`."""
        return EdgeIdentity(self.type, self.source, self.target, str(self.properties.get("key", "")))


@dataclass(frozen=True, slots=True)
class ThingRow:
    """A thing as its first document writes it; what several documents say of it is settled later."""

    thing_id: str
    labels: tuple[str, ...]
    properties: Properties


@dataclass(frozen=True, slots=True)
class FactRow:
    """A fact as one document states it. ``payload`` is kept from its first document until it is settled."""

    fact_id: str
    type: str
    source: str
    target: str
    chunk_ids: tuple[str, ...]
    payload: Properties


@dataclass(frozen=True, slots=True)
class DocumentRows:
    """Everything of one document, keyed by id and sorted."""

    document_id: str
    document: Properties
    sections: Mapping[str, Properties]
    chunks: Mapping[str, Properties]
    things: Mapping[str, ThingRow]
    edges: Mapping[EdgeIdentity, EdgeRow]
    facts: Mapping[str, FactRow]


def document_rows(
    document: LoadedDocument,
    plan: ChunkPlan,
    extraction: Extraction,
    *,
    fingerprint: str,
    canonical: Mapping[str, str],
    layout: Layout,
    vocabulary: GraphVocabulary,
) -> DocumentRows:
    """The rows of one document, with merged things under their canonical ids and self-facts of a merge left out.

    Raises:
        FailedDocument: ``write-failed`` when the parts belong to different documents, a name is not of the vocabulary, or
            a thing or an end of a fact is named in no chunk: it could never be found, cited or removed again.
    """
    _check_parts(document, plan, extraction)
    _check_names(extraction, vocabulary)
    merged = _with_canonical(extraction, canonical)
    mentions = _mention_edges(merged, extraction.extractor_version, layout)
    quotes = [_quote_edge(quote) for quote in merged.quotes]
    edges = [*_lexical_edges(plan, layout), *mentions, *quotes]
    rows = DocumentRows(
        document_id=document.document_id,
        document=_document_properties(document, fingerprint),
        sections={s.section_id: _section_properties(plan, s) for s in sorted(plan.sections, key=lambda s: s.section_id)},
        chunks={c.chunk_id: _chunk_properties(document, c, layout) for c in sorted(plan.chunks, key=lambda c: c.chunk_id)},
        things={t.thing_id: _thing_row(t, extraction.extractor_version, layout) for t in merged.things},
        edges={edge.identity: edge for edge in sorted(edges, key=lambda e: e.identity)},
        facts={f.fact_id: _fact_row(f, extraction.extractor_version) for f in merged.facts},
    )
    _check_ends(rows, {edge.source for edge in mentions})
    return rows


def _check_parts(document: LoadedDocument, plan: ChunkPlan, extraction: Extraction) -> None:
    ids = {document.document_id, plan.document_id, extraction.document_id}
    if len(ids) != 1 or plan.content_hash != document.content_hash:
        raise FailedDocument("write-failed", f"Text, plan and extraction of {document.document_id!r} are not of one version.")


def _check_names(extraction: Extraction, vocabulary: GraphVocabulary) -> None:
    """Labels and types reach the server as values: nothing outside the ontology may."""
    used = (
        ("class", {t.kind for t in extraction.things}, vocabulary.kinds),
        ("fact", {f.type for f in extraction.facts}, vocabulary.facts),
        ("quote", {q.type for q in extraction.quotes}, vocabulary.quotes),
    )
    for what, names, known in used:
        strange = sorted(names.difference(known))
        if strange:
            raise FailedDocument("write-failed", f"The ontology has no {what} {strange[0]!r}.", "Extract again with this ontology.")


def _check_ends(rows: DocumentRows, mentioned: set[str]) -> None:
    for thing in rows.things:
        if thing not in mentioned:
            raise FailedDocument("write-failed", f"The thing {thing!r} is named in no chunk.", "Keep things with a mention only.")
    for fact in rows.facts.values():
        for end in (fact.source, fact.target):
            if end != rows.document_id and end not in rows.things:
                raise FailedDocument("write-failed", f"The fact {fact.fact_id!r} has an end {end!r} that this document does not name.")
    known = {rows.document_id, *rows.sections, *rows.chunks, *rows.things}
    for edge in rows.edges.values():
        for end in (edge.source, edge.target):
            if end not in known:
                raise FailedDocument("write-failed", f"A {edge.type} has an end {end!r} that this document does not have.")


def _with_canonical(extraction: Extraction, canonical: Mapping[str, str]) -> Extraction:
    """The extraction with merged things under one id: equal mentions and facts fall together, self-facts are dropped."""
    things: dict[str, Thing] = {}
    for thing in sorted(extraction.things, key=lambda t: (canonical.get(t.thing_id, t.thing_id) != t.thing_id, t.thing_id)):
        kept = canonical.get(thing.thing_id, thing.thing_id)
        things.setdefault(kept, replace(thing, thing_id=kept))
    mentions = {(m.chunk_id, m.span, m.quote, canonical.get(m.thing_id, m.thing_id)) for m in extraction.mentions}
    quotes = [replace(q, speaker_id=canonical.get(q.speaker_id, q.speaker_id)) for q in extraction.quotes]
    return replace(
        extraction,
        things=tuple(things[key] for key in sorted(things)),
        mentions=tuple(Mention(chunk, thing, span, quote) for chunk, span, quote, thing in sorted(mentions)),
        quotes=tuple(replace(q, key=quote_key(q.chunk_id, q.span.start, q.speaker_id)) for q in sorted(quotes, key=lambda q: q.key)),
        facts=_canonical_facts(extraction.facts, canonical),
    )


def _canonical_facts(facts: tuple[Fact, ...], canonical: Mapping[str, str]) -> tuple[Fact, ...]:
    kept: dict[str, Fact] = {}
    for fact in sorted(facts, key=lambda f: f.fact_id):
        source, target = canonical.get(fact.source_id, fact.source_id), canonical.get(fact.target_id, fact.target_id)
        if source == target:
            continue
        key = fact_id(source, fact.type, target)
        first = kept.get(key, fact)
        chunks = tuple(sorted({*first.chunk_ids, *fact.chunk_ids}))
        kept[key] = replace(first, fact_id=key, source_id=source, target_id=target, chunk_ids=chunks)
    return tuple(kept[key] for key in sorted(kept))


def _present(**values: object) -> Properties:
    """The properties that have a value: the graph stores no nulls, and no empty texts or lists either."""
    return {name: value for name, value in values.items() if value is not None and value != "" and value != []}


def _document_properties(document: LoadedDocument, fingerprint: str) -> Properties:
    """All of a document's own values, None for those it does not have (any more)."""
    properties = _present(
        id=document.document_id,
        uri=document.uri,
        partition_key=document.key,
        title=document.metadata.title,
        media_type=document.media_type,
        content_hash=document.content_hash,
        bytes=len(document.text),
        loader=document.loader,
        text_origin=document.text_origin,
        published=document.metadata.published,
        publisher=document.metadata.publisher,
        url=document.metadata.url,
        page_numbers=[page.number for page in document.pages],
        page_starts=[page.span.start for page in document.pages],
        page_ends=[page.span.end for page in document.pages],
        pages_without_text=list(document.pages_without_text),
        mended=document.mended,
        fingerprint=fingerprint,
    )
    return {**dict.fromkeys(_OPTIONAL_OF_DOCUMENTS), **properties}


def _section_properties(plan: ChunkPlan, section: Section) -> Properties:
    return {
        "id": section.section_id,
        "document_id": plan.document_id,
        "title": section.title,
        "level": section.level,
        "order": section.order,
        "start": section.span.start,
        "end": section.span.end,
        "heading_path": _heading_path(plan, section),
    }


def _heading_path(plan: ChunkPlan, section: Section) -> list[str]:
    by_order = {s.order: s for s in plan.sections}
    path = [section.title]
    while section.parent_order is not None:
        section = by_order[section.parent_order]
        path.append(section.title)
    return path[::-1]


def _chunk_properties(document: LoadedDocument, chunk: Chunk, layout: Layout) -> Properties:
    properties = _present(
        id=chunk.chunk_id,
        document_id=document.document_id,
        start=chunk.span.start,
        end=chunk.span.end,
        token_count=chunk.token_count,
        context=chunk.context,
        overlap_bytes=chunk.overlap_bytes or None,
        blank=chunk.blank or None,
        pages=list(document.pages_of(chunk.span)),
    )
    return {**properties, layout.chunk_order_property: chunk.order, layout.chunk_text_property: chunk.text}


def _thing_row(thing: Thing, extractor_version: str, layout: Layout) -> ThingRow:
    properties = _present(
        id=thing.thing_id,
        kind=thing.kind,
        description=thing.description,
        is_placeholder=thing.is_placeholder,
        extractor_version=extractor_version,
    )
    named = {**properties, layout.thing_name_property: thing.name, "aliases": sorted(set(thing.aliases))}
    return ThingRow(thing.thing_id, layout.thing_labels(thing.kind), named)


def _fact_row(fact: Fact, extractor_version: str) -> FactRow:
    payload = _present(
        role=fact.role, kind=fact.kind, description=fact.description, weight=fact.weight, extractor_version=extractor_version
    )
    return FactRow(fact.fact_id, fact.type, fact.source_id, fact.target_id, tuple(sorted(set(fact.chunk_ids))), payload)


def _lexical_edges(plan: ChunkPlan, layout: Layout) -> list[EdgeRow]:
    """All edges of the lexical layer: from child to parent, or to the successor."""
    sections = {s.order: s.section_id for s in plan.sections}
    chunks = sorted(plan.chunks, key=lambda c: c.order)
    edges = [EdgeRow(layout.section_document_type, s.section_id, plan.document_id) for s in plan.sections]
    edges += [EdgeRow(layout.subsection_type, s.section_id, sections[s.parent_order]) for s in plan.sections if s.parent_order is not None]
    edges += [EdgeRow(layout.chunk_document_type, c.chunk_id, plan.document_id) for c in chunks]
    edges += [EdgeRow(layout.chunk_section_type, c.chunk_id, sections[c.section_order]) for c in chunks if c.section_order is not None]
    edges += [EdgeRow(layout.next_chunk_type, c.chunk_id, after.chunk_id) for c, after in pairwise(chunks)]
    return edges


def _mention_edges(extraction: Extraction, extractor_version: str, layout: Layout) -> list[EdgeRow]:
    kinds = {thing.thing_id: thing.kind for thing in extraction.things}
    return [_mention_edge(m, kinds, extractor_version, layout) for m in extraction.mentions]


def _mention_edge(mention: Mention, kinds: Mapping[str, str], extractor_version: str, layout: Layout) -> EdgeRow:
    if mention.thing_id not in kinds:
        raise FailedDocument("write-failed", f"A mention names the thing {mention.thing_id!r}, which this document does not have.")
    properties = {
        "key": mention_key(mention.chunk_id, mention.span.start, mention.thing_id),
        "start": mention.span.start,
        "end": mention.span.end,
        "quote": mention.quote,
        "extractor_version": extractor_version,
    }
    return EdgeRow(layout.mention_type(kinds[mention.thing_id]), mention.thing_id, mention.chunk_id, properties)


def _quote_edge(quote: SpokenQuote) -> EdgeRow:
    properties = _present(key=quote.key, start=quote.span.start, end=quote.span.end, words=quote.words, addressee=quote.addressee)
    return EdgeRow(quote.type, quote.speaker_id, quote.chunk_id, properties)
