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
from graphrag_assets.retrieval.walking import read_facts

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
    values = {"ids": [item.chunk_id for item in items], "each": FACTS_PER_CHUNK + 1, "chunks": 1}
    found = [read_facts(row, FACTS_PER_CHUNK) for row in db.read(statement(FACTS_OF_CHUNKS, layout, list(phrases)), values)]
    lines = dict.fromkeys(fact_line(fact, phrases) for facts, _ in found for fact in facts)
    limits = (Limit("facts-per-chunk", FACTS_PER_CHUNK),) if any(more for _, more in found) else ()
    return StatedFacts(tuple(ContextItem(line, FACT_REASON) for line in lines), limits)
