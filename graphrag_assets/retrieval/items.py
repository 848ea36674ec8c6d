"""From ids of chunks to evidence items, as the graph holds them now."""

from collections.abc import Mapping, Sequence
from typing import Literal, cast

from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.graph.layout import Layout
from graphrag_assets.graph.reading import ChunkView, read_chunks, read_page_maps
from graphrag_assets.model.documents import Page
from graphrag_assets.model.evidence import EvidenceItem
from graphrag_assets.retrieval.fusion import FusedHit


def read_items(db: GraphDatabase, layout: Layout, hits: Sequence[FusedHit]) -> tuple[EvidenceItem, ...]:
    """The hits as items, in their order. A chunk that a removal took away meanwhile is not among them."""
    views = read_chunks(db, [hit.chunk_id for hit in hits], layout)
    paged = sorted({view.document_id for view in views.values() if view.pages})
    pages = read_page_maps(db, paged, layout) if paged else {}
    return tuple(_item(views[hit.chunk_id], hit, pages) for hit in hits if hit.chunk_id in views)


def _item(view: ChunkView, hit: FusedHit, pages: Mapping[str, tuple[Page, ...]]) -> EvidenceItem:
    own = set(view.pages)
    return EvidenceItem(
        chunk_id=view.chunk_id,
        document_id=view.document_id,
        uri=view.uri,
        start=view.span.start,
        end=view.span.end,
        text=view.text,
        score=hit.score,
        routes=hit.routes,
        title=view.title,
        heading_path=" > ".join(view.heading_path),
        pages=view.pages,
        page_starts=tuple((page.number, page.span.start) for page in pages.get(view.document_id, ()) if page.number in own),
        text_origin=view.text_origin,
        grounding=cast(Literal["source", "chunk"], view.grounding),
    )
