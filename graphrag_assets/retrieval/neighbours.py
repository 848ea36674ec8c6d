"""The chunks before and after an item: context that helps to read it, labelled as such and never cited."""

from collections.abc import Sequence

from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.graph.layout import Layout
from graphrag_assets.model.evidence import ContextItem, EvidenceItem
from graphrag_assets.retrieval.cypher import NEIGHBOURS, statement
from graphrag_assets.retrieval.rows import text_of, whole


def read_neighbours(db: GraphDatabase, layout: Layout, items: Sequence[EvidenceItem], steps: int) -> tuple[ContextItem, ...]:
    """Chunks before and after the items, along the order of their documents: each once, in the order of the items.

    A chunk that is an item itself is no neighbour, and none of them is ever cited.
    """
    if steps == 0 or not items:
        return ()
    order = {item.chunk_id: place for place, item in enumerate(items)}
    rows = db.read(statement(NEIGHBOURS, layout), {"ids": list(order), "steps": steps})
    nearest = sorted(rows, key=lambda row: (order[text_of(row, "id")], abs(whole(row, "step")), whole(row, "step")))
    found: dict[str, ContextItem] = {}
    for row in nearest:
        neighbour = text_of(row, "neighbour")
        if neighbour not in order and neighbour not in found and text_of(row, "text").strip():
            reason = "neighbour-after" if whole(row, "step") > 0 else "neighbour-before"
            found[neighbour] = ContextItem(text_of(row, "text"), reason, neighbour)
    return tuple(found.values())
