"""Reads that later stages share: chunks with where they stand, their neighbours, page maps, and what a document was made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from graphrag_assets.gateways.graph_database import GraphDatabase, Row
from graphrag_assets.graph.cypher import statement
from graphrag_assets.graph.layout import Layout
from graphrag_assets.graph.stored import pages
from graphrag_assets.model.documents import Page
from graphrag_assets.model.spans import ByteSpan

IDS_PER_PAGE: Final = 1_000
MAX_WINDOW: Final = 4

# One index lookup a document.
FINGERPRINTS: Final = """
UNWIND $ids AS id
MATCH (d:%(document)s {id: id})
RETURN d.id AS id, d.fingerprint AS fingerprint, [name IN keys(d) WHERE name STARTS WITH $prefix | [name, d[name]]] AS markers
"""

# Scans the documents, without their texts.
DOCUMENTS: Final = """
MATCH (d:%(document)s)
RETURN d.id AS id, d.uri AS uri, d.partition_key AS key, d.title AS title, COUNT { (d)<-[:%(chunk_document)s]-() } AS chunks
ORDER BY uri
"""

# One index lookup and three hops a chunk; never reads vectors.
CHUNKS: Final = """
UNWIND $ids AS id
MATCH (c:%(chunk)s {id: id})-[:%(chunk_document)s]->(d:%(document)s)
OPTIONAL MATCH (c)-[:%(in_section)s]->(s:%(section)s)
RETURN c.id AS id, d.id AS document_id, d.uri AS uri, d.title AS title, d.text_origin AS text_origin, c.grounding AS grounding,
       c.%(order)s AS order, c.%(text)s AS text, c.start AS start, c.end AS end, c.context AS context, c.pages AS pages,
       s.id AS section_id, s.heading_path AS heading_path
"""

# Walks at most `window` hops each way from each chunk.
NEIGHBOURS: Final = """
UNWIND $ids AS id
MATCH (c:%(chunk)s {id: id})
RETURN id,
       COLLECT { MATCH p = (b:%(chunk)s)-[:%(next_chunk)s*1..%(window)d]->(c) RETURN b.id ORDER BY length(p) DESC } AS before,
       COLLECT { MATCH p = (c)-[:%(next_chunk)s*1..%(window)d]->(a:%(chunk)s) RETURN a.id ORDER BY length(p) } AS after
"""

# One index lookup a document.
PAGE_MAPS: Final = """
UNWIND $ids AS id
MATCH (d:%(document)s {id: id}) WHERE d.page_numbers IS NOT NULL
RETURN d.id AS id, d.page_numbers AS numbers, d.page_starts AS starts, d.page_ends AS ends
"""


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """What a document in the graph was made of. ``vector_markers`` are by set."""

    fingerprint: str
    vector_markers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class DocumentSummary:
    """One document of the graph."""

    document_id: str
    uri: str
    key: str
    title: str | None
    chunks: int


@dataclass(frozen=True, slots=True)
class ChunkView:
    """A chunk with where it stands. ``heading_path`` is from the outermost section in; ``grounding`` is ``source`` or ``chunk``."""

    chunk_id: str
    document_id: str
    uri: str
    title: str | None
    text_origin: str
    grounding: str
    order: int
    text: str
    span: ByteSpan
    context: str
    pages: tuple[int, ...]
    section_id: str | None
    heading_path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Ids of the chunks before and after one, in the order of the document."""

    before: tuple[str, ...]
    after: tuple[str, ...]


def stored_fingerprints(db: GraphDatabase, document_ids: Sequence[str], layout: Layout) -> dict[str, StoredDocument]:
    """What the graph says of documents, by id, in one query; those it does not have, or has half, are left out."""
    prefix = layout.marker_property_prefix
    rows = db.read(statement(FINGERPRINTS, layout), {"ids": list(document_ids), "prefix": prefix})
    return {
        str(row["id"]): StoredDocument(
            str(row["fingerprint"]),
            {str(name)[len(prefix) :]: str(marker) for name, marker in sorted(cast(Sequence[tuple[str, str]], row["markers"]))},
        )
        for row in rows
        if row["fingerprint"] is not None
    }


def list_documents(db: GraphDatabase, layout: Layout) -> tuple[DocumentSummary, ...]:
    """All documents of the graph, in the order of their URIs."""
    return tuple(
        DocumentSummary(str(row["id"]), str(row["uri"]), str(row["key"]), _text_or_none(row["title"]), int(str(row["chunks"])))
        for row in db.read(statement(DOCUMENTS, layout))
    )


def read_chunks(db: GraphDatabase, chunk_ids: Sequence[str], layout: Layout) -> dict[str, ChunkView]:
    """Chunks by id, in the order asked for; ids that the graph does not have are left out."""
    found: dict[str, ChunkView] = {}
    for page in pages(chunk_ids, IDS_PER_PAGE):
        rows = {str(row["id"]): _chunk_view(row) for row in db.read(statement(CHUNKS, layout), {"ids": list(page)})}
        found.update((key, rows[key]) for key in page if key in rows)
    return found


def read_neighbours(db: GraphDatabase, chunk_ids: Sequence[str], layout: Layout, *, window: int) -> dict[str, Neighbours]:
    """The chunks before and after each of the given ones, at most ``window`` (1 to 4) each way."""
    bounded = max(1, min(window, MAX_WINDOW))
    text = statement(NEIGHBOURS, layout, window=bounded)
    return {str(row["id"]): Neighbours(_strings(row["before"]), _strings(row["after"])) for row in db.read(text, {"ids": list(chunk_ids)})}


def read_page_maps(db: GraphDatabase, document_ids: Sequence[str], layout: Layout) -> dict[str, tuple[Page, ...]]:
    """The pages of documents that have some, by document id."""
    return {str(row["id"]): _pages(row) for row in db.read(statement(PAGE_MAPS, layout), {"ids": list(document_ids)})}


def _pages(row: Row) -> tuple[Page, ...]:
    columns = (cast(Sequence[int], row[name]) for name in ("numbers", "starts", "ends"))
    return tuple(Page(number, ByteSpan(start, end)) for number, start, end in zip(*columns, strict=True))


def _chunk_view(row: Row) -> ChunkView:
    return ChunkView(
        chunk_id=str(row["id"]),
        document_id=str(row["document_id"]),
        uri=str(row["uri"]),
        title=_text_or_none(row["title"]),
        text_origin=str(row["text_origin"] or "source"),
        grounding=str(row["grounding"] or "source"),
        order=int(str(row["order"])),
        text=str(row["text"]),
        span=ByteSpan(int(str(row["start"])), int(str(row["end"]))),
        context=str(row["context"] or ""),
        pages=tuple(cast(Sequence[int], row["pages"] or ())),
        section_id=_text_or_none(row["section_id"]),
        heading_path=_strings(row["heading_path"]),
    )


def _strings(value: object) -> tuple[str, ...]:
    return tuple(cast(Sequence[str], value or ()))


def _text_or_none(value: object) -> str | None:
    return None if value is None else str(value)
