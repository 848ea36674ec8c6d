"""The chunks before and after an item: context that helps to read it, labelled as such and never cited."""

from collections.abc import Sequence
from typing import Final

from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.graph.layout import Layout
from graphrag_assets.graph.reading import read_chunks, read_neighbours
from graphrag_assets.model.evidence import ContextItem, EvidenceItem

BEFORE: Final = "neighbour-before"
AFTER: Final = "neighbour-after"


def neighbour_context(db: GraphDatabase, layout: Layout, items: Sequence[EvidenceItem], steps: int) -> tuple[ContextItem, ...]:
    """Chunks before and after the items, along the order of their documents: each once, in the order of the items.

    A chunk that is an item itself is no neighbour, and none of them is ever cited.
    """
    if steps == 0 or not items:
        return ()
    order = [item.chunk_id for item in items]
    around = read_neighbours(db, order, layout, window=steps)
    reasons: dict[str, str] = {}
    for near in (around[chunk] for chunk in order if chunk in around):
        for reason, chunks in ((BEFORE, near.before), (AFTER, near.after)):
            for chunk in chunks:
                reasons.setdefault(chunk, reason)
    wanted = [chunk for chunk in reasons if chunk not in set(order)]
    views = read_chunks(db, wanted, layout) if wanted else {}
    return tuple(ContextItem(view.text, reasons[chunk], chunk) for chunk, view in views.items() if view.text.strip())
