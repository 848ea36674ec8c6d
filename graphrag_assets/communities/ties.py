"""The graph that communities and ranks are made of: things that are tied by facts, each pair once, in a fixed order."""

from graphrag_assets.model.corpus import ResolvedCorpus

Tie = tuple[str, str, float]
"""Two different thing ids, the smaller first, and the weight of all facts between them."""


def ties(corpus: ResolvedCorpus) -> tuple[Tie, ...]:
    """All pairs of things that facts tie, sorted, with the summed weights of these facts.

    Both directions count as one: which way a fact reads is a matter of the ontology's words ("leads" or "led by").
    Placeholders are left out, since "the team" of one chunk would tie what has nothing in common, and so are documents,
    facts of a thing about itself, and pairs whose weights do not add up to more than zero.
    """
    named = {thing.thing_id for thing in corpus.things if not thing.is_placeholder}
    weights: dict[tuple[str, str], float] = {}
    for fact in sorted(corpus.facts, key=lambda fact: fact.fact_id):
        low, high = sorted((fact.source_id, fact.target_id))
        if low != high and low in named and high in named:
            weights[low, high] = weights.get((low, high), 0.0) + fact.weight
    return tuple((low, high, weight) for (low, high), weight in sorted(weights.items()) if weight > 0.0)
