"""PageRank of things (Brin and Page, 1998): how central a thing is among the facts, by power iteration."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from graphrag_assets.communities.ties import Tie, ties
from graphrag_assets.model.corpus import ResolvedCorpus

DAMPING: Final = 0.85
TOLERANCE: Final = 1e-12
# Each step shrinks the distance to the result by the damping at least: 2 * 0.85**200 is below the tolerance.
_STEPS: Final = 200
# Sums of floats differ in their last digits between processors; twelve decimals are the same on all.
_DECIMALS: Final = 12


def pagerank(corpus: ResolvedCorpus) -> Mapping[str, float]:
    """Rank by thing id, sorted by id; the ranks add up to 1, up to rounding to twelve decimals.

    Ties are walked both ways by their weight (see `ties`). A thing without ties keeps the share of a random jump;
    placeholders have rank 0, as no fact about "the team" makes anything central.
    """
    named = sorted(thing.thing_id for thing in corpus.things if not thing.is_placeholder)
    ranks = dict.fromkeys(sorted(thing.thing_id for thing in corpus.things), 0.0)
    if named:
        ranks.update(zip(named, _iterate(named, ties(corpus)), strict=True))
    return ranks


def with_ranks(corpus: ResolvedCorpus, ranks: Mapping[str, float]) -> ResolvedCorpus:
    """The same corpus with the rank of each thing; a thing that ``ranks`` does not name has rank 0."""
    return replace(corpus, things=tuple(replace(thing, rank=ranks.get(thing.thing_id, 0.0)) for thing in corpus.things))


def _iterate(nodes: list[str], pairs: tuple[Tie, ...]) -> list[float]:
    import numpy as np

    links, strength = _links(nodes, pairs)
    is_dangling = strength == 0.0
    share = np.where(is_dangling, 0.0, 1.0 / np.where(is_dangling, 1.0, strength))
    rank = np.full(len(nodes), 1.0 / len(nodes))
    for _ in range(_STEPS):
        spread = links @ (rank * share) + rank[is_dangling].sum() / len(nodes)
        after = DAMPING * spread + (1.0 - DAMPING) / len(nodes)
        change = np.abs(after - rank).sum()
        rank = after
        if change < TOLERANCE:
            break
    return [round(float(value), _DECIMALS) for value in rank / rank.sum()]


def _links(nodes: list[str], pairs: tuple[Tie, ...]) -> tuple[Any, Any]:
    """The symmetric weight matrix in the order of ``nodes``, and each node's summed weight."""
    import numpy as np
    from scipy.sparse import coo_array

    position = {node: number for number, node in enumerate(nodes)}
    low = np.array([position[pair[0]] for pair in pairs], dtype=np.int64)
    high = np.array([position[pair[1]] for pair in pairs], dtype=np.int64)
    weight = np.array([pair[2] for pair in pairs], dtype=np.float64)
    rows, columns, weights = np.concatenate([low, high]), np.concatenate([high, low]), np.concatenate([weight, weight])
    links = coo_array((weights, (rows, columns)), shape=(len(nodes), len(nodes))).tocsr()
    return links, np.asarray(links.sum(axis=0)).ravel()
