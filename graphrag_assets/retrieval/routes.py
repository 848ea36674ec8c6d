"""The two routes that search chunks themselves: by vector and by words. Each gives ids and its own scores, nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass

from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.graph.layout import Layout
from graphrag_assets.model.limits import Limit
from graphrag_assets.retrieval.cypher import MATCHING_CHUNKS, NEAREST_CHUNKS
from graphrag_assets.retrieval.fusion import RouteHit
from graphrag_assets.retrieval.questions import full_text_query
from graphrag_assets.retrieval.rows import decimal, text_of


@dataclass(frozen=True, slots=True)
class RouteResult:
    """Hits best first, ties by id; ``limits`` says when the route had more to give."""

    hits: tuple[RouteHit, ...]
    index: str
    limits: tuple[Limit, ...] = ()


def vector_route(db: GraphDatabase, layout: Layout, set_name: str, vector: Sequence[float], *, candidates: int) -> RouteResult:
    """The chunks whose vectors of a set are nearest to the question's."""
    index = layout.chunk_vector_index(set_name)
    rows = db.read(NEAREST_CHUNKS, {"index": index, "count": candidates + 1, "vector": list(vector)})
    return _result([RouteHit(text_of(row, "id"), decimal(row, "score")) for row in rows], index, candidates)


def full_text_route(db: GraphDatabase, layout: Layout, question: str, *, candidates: int) -> RouteResult:
    """The chunks that hold the question's words; none, without asking the server, for a question without words."""
    index = layout.chunk_text_index
    query = full_text_query(question)
    if not query.text:
        return RouteResult((), index)
    rows = db.read(MATCHING_CHUNKS, {"index": index, "query": query.text, "count": candidates + 1})
    found = _result([RouteHit(text_of(row, "id"), decimal(row, "score")) for row in rows], index, candidates)
    return RouteResult(found.hits, index, (*query.limits, *found.limits))


def _result(hits: Sequence[RouteHit], index: str, candidates: int) -> RouteResult:
    """One hit more than wanted was asked for, so that a cut is known to be one."""
    ranked = sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))
    limits = (Limit("candidates-per-route", candidates),) if len(ranked) > candidates else ()
    return RouteResult(tuple(ranked[:candidates]), index, limits)
