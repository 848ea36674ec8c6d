"""Ranks are fused, scores never compared."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_assets.model.evidence import RouteRank
from graphrag_assets.retrieval.fusion import RouteHit, fuse

IDS = st.sampled_from([f"chunk-{n}" for n in range(8)])
HITS = st.lists(st.builds(RouteHit, IDS, st.floats(-10, 10)), max_size=10)


def test_a_chunk_of_both_routes_adds_both_shares() -> None:
    fused = fuse({"vector": [RouteHit("a", 0.9), RouteHit("b", 0.8)], "full-text": [RouteHit("b", 7.0)]}, k=60)
    assert [hit.chunk_id for hit in fused] == ["b", "a"]
    assert math.isclose(fused[0].score, 1 / 61 + 1 / 62)
    assert fused[0].routes == (RouteRank("full-text", 1, 7.0), RouteRank("vector", 2, 0.8))


def test_equal_scores_go_by_chunk_id() -> None:
    fused = fuse({"vector": [RouteHit("z", 1.0)], "full-text": [RouteHit("a", 1.0)]})
    assert [hit.chunk_id for hit in fused] == ["a", "z"]


@settings(deadline=None)
@given(HITS, HITS)
def test_every_chunk_comes_once_best_first(vector: list[RouteHit], words: list[RouteHit]) -> None:
    fused = fuse({"vector": vector, "full-text": words})
    assert sorted(hit.chunk_id for hit in fused) == sorted({hit.chunk_id for hit in [*vector, *words]})
    assert [(-hit.score, hit.chunk_id) for hit in fused] == sorted((-hit.score, hit.chunk_id) for hit in fused)


@settings(deadline=None)
@given(HITS, HITS)
def test_the_order_of_the_routes_does_not_matter(vector: list[RouteHit], words: list[RouteHit]) -> None:
    assert fuse({"vector": vector, "full-text": words}) == fuse({"full-text": words, "vector": vector})


@settings(deadline=None)
@given(HITS, st.floats(0.1, 100))
def test_scores_of_a_route_change_nothing_but_themselves(hits: list[RouteHit], factor: float) -> None:
    scaled = [RouteHit(hit.chunk_id, hit.score * factor) for hit in hits]
    assert [(h.chunk_id, h.score) for h in fuse({"vector": hits})] == [(h.chunk_id, h.score) for h in fuse({"vector": scaled})]


@settings(deadline=None)
@given(HITS)
def test_a_chunk_that_a_route_lists_twice_counts_at_its_better_rank(hits: list[RouteHit]) -> None:
    ranks = [hit.routes[0].rank for hit in fuse({"vector": hits})]
    assert ranks == list(range(1, len(ranks) + 1))
