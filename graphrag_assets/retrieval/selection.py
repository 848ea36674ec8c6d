"""What a route selects, before the evidence budget: the same shape for every route."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from graphrag_assets.model.evidence import ContextItem
from graphrag_assets.model.limits import Limit
from graphrag_assets.retrieval.fusion import FusedHit


@dataclass(frozen=True, slots=True)
class Selection:
    """Chunks in rank order, what speaks for each, and how they were found.

    Args:
        why: By chunk id; a chunk without an entry is told by its places on the routes.
        context: Lines that come with the selection itself.
        details: For the receipt: ids, codes and numbers, never text.
    """

    hits: tuple[FusedHit, ...]
    why: Mapping[str, str] = field(default_factory=dict[str, str])
    context: tuple[ContextItem, ...] = ()
    indexes: tuple[str, ...] = ()
    limits: tuple[Limit, ...] = ()
    embedding_calls: int = 0
    details: Mapping[str, int | float | str] = field(default_factory=dict[str, int | float | str])
