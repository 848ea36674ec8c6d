"""What linking and walking read from the graph: things by name and by vector, and the facts around them, step by step.

The walk reads facts and not paths: paths are put together outside, where their number is bounded in a known order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from graphrag_assets.gateways.graph_database import GraphDatabase, Row
from graphrag_assets.graph.layout import Layout
from graphrag_assets.model.embedding_set import EmbeddingSet
from graphrag_assets.model.errors import UsageError
from graphrag_assets.model.limits import Limit
from graphrag_assets.retrieval.cypher import FACTS_OF_THINGS, MENTIONING_CHUNKS, NAMED_THINGS, NEAREST_THINGS, statement
from graphrag_assets.retrieval.linking import NamedThing, NearThing, QuestionSpan
from graphrag_assets.retrieval.paths import PathThing, StatedFact
from graphrag_assets.retrieval.questions import phrase_query
from graphrag_assets.retrieval.rows import decimal, optional_text, text_of, texts, whole

# An exact name ranks first among the hits of its own words, so that a handful is enough.
NAMES_PER_SPAN: Final = 12
NEAREST_PER_SPAN: Final = 4
FACTS_PER_THING: Final = 200
CHUNKS_PER_FACT: Final = 20
THINGS_PER_STEP: Final = 1_000


def read_named_things(db: GraphDatabase, layout: Layout, spans: Sequence[QuestionSpan]) -> tuple[NamedThing, ...]:
    """Things whose names or aliases hold a stretch of the question; which of them it names is for `link_names` to say."""
    queries = [query for query in dict.fromkeys(phrase_query(span.text) for span in spans) if query]
    if not queries:
        return ()
    values = {"index": layout.thing_names_index, "queries": queries, "count": NAMES_PER_SPAN}
    return tuple(_thing(row) for row in db.read(statement(NAMED_THINGS, layout), values))


def read_nearest_things(
    db: GraphDatabase, layout: Layout, embedding_set: EmbeddingSet, vectors: Mapping[QuestionSpan, Sequence[float]]
) -> dict[QuestionSpan, tuple[NearThing, ...]]:
    """The things nearest to each stretch, with cosines; none for no stretches."""
    spans = list(vectors)
    if not spans:
        return {}
    values = {
        "index": layout.thing_vector_index(embedding_set.name),
        "count": NEAREST_PER_SPAN,
        "vectors": [list(vectors[span]) for span in spans],
    }
    found: dict[QuestionSpan, list[NearThing]] = {span: [] for span in spans}
    for row in db.read(statement(NEAREST_THINGS, layout), values):
        near = NearThing(_thing(row), cosine_of(decimal(row, "score"), embedding_set))
        found[spans[whole(row, "place")]].append(near)
    return {span: tuple(near) for span, near in found.items()}


def cosine_of(score: float, embedding_set: EmbeddingSet) -> float:
    """The cosine behind the server's score: ``(1 + cosine) / 2``, or ``1 / (1 + distance²)`` between vectors of length one.

    Raises:
        UsageError: ``cosine-unknown`` for distances between vectors of any length.
    """
    if embedding_set.similarity == "cosine":
        return 2.0 * score - 1.0
    if not embedding_set.normalize:
        raise UsageError(
            "cosine-unknown",
            f"The embedding set {embedding_set.name!r} compares by distance and does not normalise, so nearness has no common scale.",
            "Search by another route, or declare a set with similarity cosine.",
        )
    return 1.0 - (1.0 / score - 1.0) / 2.0


def _thing(row: Row) -> NamedThing:
    return NamedThing(text_of(row, "id"), optional_text(row, "kind") or "", text_of(row, "name"), texts(row, "aliases"))


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The facts within reach of some things, each once, sorted by id; ``limits`` says what was left out."""

    facts: tuple[StatedFact, ...]
    limits: tuple[Limit, ...] = ()
    reads: int = 0


def read_neighbourhood(
    db: GraphDatabase, layout: Layout, thing_ids: Sequence[str], *, fact_types: Sequence[str], max_hops: int
) -> Neighbourhood:
    """Facts of the things, then of the things they lead to, ``max_hops`` times; one statement a step.

    Raises:
        UsageError: ``layout-invalid`` for a fact type that is no identifier.
    """
    if not fact_types or not thing_ids:
        return Neighbourhood(())
    walk = statement(FACTS_OF_THINGS, layout, fact_types)
    facts: dict[str, StatedFact] = {}
    limits: set[Limit] = set()
    seen: set[str] = set()
    edge = sorted(set(thing_ids))
    reads = 0
    while edge and reads < max_hops:
        rows = db.read(walk, {"ids": edge[:THINGS_PER_STEP], "each": FACTS_PER_THING + 1, "chunks": CHUNKS_PER_FACT})
        reads += 1
        seen.update(edge)
        found = [read_facts(row, FACTS_PER_THING) for row in rows]
        limits |= {Limit("facts-per-thing", FACTS_PER_THING)} if any(more for _, more in found) else set[Limit]()
        limits |= {Limit("things-per-step", THINGS_PER_STEP)} if len(edge) > THINGS_PER_STEP else set[Limit]()
        step = {fact.fact_id: fact for some, _ in found for fact in some}
        facts |= step
        ends = {end.thing_id for fact in step.values() for end in (fact.source, fact.target)}
        edge = sorted(ends - seen)
    return Neighbourhood(tuple(facts[key] for key in sorted(facts)), tuple(sorted(limits)), reads)


def read_mentioning_chunks(db: GraphDatabase, layout: Layout, thing_ids: Sequence[str], *, count: int) -> tuple[str, ...]:
    """Ids of chunks that name most of the things, most often; ties by id."""
    rows = db.read(statement(MENTIONING_CHUNKS, layout), {"ids": list(thing_ids), "count": count})
    return tuple(text_of(row, "id") for row in rows)


def read_facts(row: Row, bound: int) -> tuple[tuple[StatedFact, ...], bool]:
    """The facts of one row, sorted by id, at most ``bound``; and whether there were more."""
    facts = sorted(map(_fact, cast(Sequence[Sequence[object]], row["facts"])), key=lambda fact: fact.fact_id)
    return tuple(facts[:bound]), len(facts) > bound


def _fact(values: Sequence[object]) -> StatedFact:
    fact_id, fact_type, *ends, chunk_ids, stated = values
    return StatedFact(
        fact_id=str(fact_id),
        type=str(fact_type),
        source=_end(ends[:3]),
        target=_end(ends[3:]),
        chunk_ids=tuple(cast(Sequence[str], chunk_ids)),
        stated=cast(int, stated),
    )


def _end(values: Sequence[object]) -> PathThing:
    key, kind, name = values
    return PathThing(str(key), str(kind or ""), str(name))
