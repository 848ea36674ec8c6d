"""From ids of chunks to evidence items, as the graph holds them now."""

from collections.abc import Sequence

from graphrag_assets.gateways.graph_database import GraphDatabase, Row
from graphrag_assets.graph.layout import Layout
from graphrag_assets.model.evidence import EvidenceItem, Grounding
from graphrag_assets.retrieval.cypher import CHUNKS, statement
from graphrag_assets.retrieval.fusion import FusedHit
from graphrag_assets.retrieval.rows import optional_text, text_of, texts, whole, wholes


def read_items(db: GraphDatabase, layout: Layout, hits: Sequence[FusedHit]) -> tuple[EvidenceItem, ...]:
    """The hits as items, in their order. A chunk that a removal took away meanwhile is not among them."""
    rows = {text_of(row, "id"): row for row in db.read(statement(CHUNKS, layout), {"ids": [hit.chunk_id for hit in hits]})}
    return tuple(_item(rows[hit.chunk_id], hit) for hit in hits if hit.chunk_id in rows)


def _item(row: Row, hit: FusedHit) -> EvidenceItem:
    grounding: Grounding = "chunk" if row.get("grounding") == "chunk" else "source"
    start, end = whole(row, "start"), whole(row, "end")
    return EvidenceItem(
        chunk_id=hit.chunk_id,
        document_id=text_of(row, "document_id"),
        uri=text_of(row, "uri"),
        start=start,
        end=end,
        text=text_of(row, "text"),
        score=hit.score,
        routes=hit.routes,
        title=optional_text(row, "title"),
        heading_path=" > ".join(texts(row, "heading_path")),
        pages=wholes(row, "pages"),
        page_starts=_page_starts(row, start, end),
        text_origin=optional_text(row, "text_origin") or "source",
        grounding=grounding,
    )


def _page_starts(row: Row, start: int, end: int) -> tuple[tuple[int, int], ...]:
    pages = zip(wholes(row, "page_numbers"), wholes(row, "page_starts"), wholes(row, "page_ends"), strict=True)
    return tuple((number, first) for number, first, last in pages if first < end and start < last)
