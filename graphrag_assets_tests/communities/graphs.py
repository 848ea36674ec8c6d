"""Small corpora of things and facts, drawn as graphs."""

from collections.abc import Iterable

from graphrag_assets.model.corpus import ResolvedCorpus, ResolvedFact, ResolvedThing
from graphrag_assets.model.ids import fact_id

Edge = tuple[str, str] | tuple[str, str, float]


def graph_of(nodes: Iterable[str], edges: Iterable[Edge], placeholders: Iterable[str] = ()) -> ResolvedCorpus:
    """A corpus in the order given, as no stored corpus would be: nothing may rest on that order."""
    nameless = set(placeholders)
    things = tuple(ResolvedThing(node, "Team", node, (), None, node in nameless, ("d",), ("c",), 1) for node in nodes)
    facts = tuple(
        ResolvedFact(
            fact_id(edge[0], f"T{number}", edge[1]),
            f"T{number}",
            edge[0],
            edge[1],
            ("d",),
            ("c",),
            "",
            weight=edge[2] if len(edge) == 3 else 1.0,
        )
        for number, edge in enumerate(edges)
    )
    return ResolvedCorpus(things, facts)


def nodes_of(edges: Iterable[Edge]) -> list[str]:
    return list(dict.fromkeys(end for edge in edges for end in edge[:2]))
