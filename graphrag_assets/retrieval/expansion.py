"""Facts that the evidence itself states, as the graph reads them: context in the ontology's words, never cited."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.graph.layout import Layout
from graphrag_assets.model.evidence import ContextItem, EvidenceItem
from graphrag_assets.model.limits import Limit
from graphrag_assets.retrieval.cypher import FACTS_OF_CHUNKS, statement
from graphrag_assets.retrieval.paths import fact_line
from graphrag_assets.retrieval.rows import whole
from graphrag_assets.retrieval.walking import fact_of

FACTS_PER_CHUNK: Final = 12
FACT_REASON: Final = "graph-fact"


@dataclass(frozen=True, slots=True)
class StatedFacts:
    """A line for each fact that the items state, in their order."""

    context: tuple[ContextItem, ...]
    limits: tuple[Limit, ...] = ()


def read_stated_facts(db: GraphDatabase, layout: Layout, items: Sequence[EvidenceItem], phrases: Mapping[str, str]) -> StatedFacts:
    """The facts that the items state, each once; ``phrases`` names the types that are looked for."""
    if not items or not phrases:
        return StatedFacts(())
    values = {"ids": [item.chunk_id for item in items], "each": FACTS_PER_CHUNK + 1}
    rows = db.read(statement(FACTS_OF_CHUNKS, layout, list(phrases)), values)
    places = [whole(row, "place") for row in rows]
    within = [row for at, row in enumerate(rows) if places[:at].count(places[at]) < FACTS_PER_CHUNK]
    lines = dict.fromkeys(fact_line(fact_of(row), phrases) for row in within)
    limits = (Limit("facts-per-chunk", FACTS_PER_CHUNK),) if len(within) < len(rows) else ()
    return StatedFacts(tuple(ContextItem(line, FACT_REASON) for line in lines), limits)
