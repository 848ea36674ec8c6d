"""Ranks add up to one and say how central a thing is among the facts."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_assets.communities.pagerank import DAMPING, pagerank, with_ranks
from graphrag_assets.model.corpus import ResolvedCorpus
from graphrag_assets_tests.communities.graphs import Edge, graph_of, nodes_of


def test_an_empty_corpus_has_no_ranks() -> None:
    assert pagerank(ResolvedCorpus((), ())) == {}


def test_things_without_facts_share_the_rank_equally() -> None:
    assert pagerank(graph_of("abcd", [])) == dict.fromkeys("abcd", 0.25)


def test_a_star_has_the_ranks_that_solve_its_equations() -> None:
    # By hand, for a hub with n leaves: hub = t + d·n·leaf and leaf = t + d·hub/n, with t = (1 - d)/(n + 1).
    leaves = 4
    jump = (1.0 - DAMPING) / (leaves + 1)
    hub = jump * (1.0 + DAMPING * leaves) / (1.0 - DAMPING**2)
    ranks = pagerank(graph_of(["hub", *"abcd"], [("hub", leaf) for leaf in "abcd"]))
    assert ranks["hub"] == pytest.approx(hub, abs=1e-11)
    assert ranks["a"] == pytest.approx((1.0 - hub) / leaves, abs=1e-11)


def test_weight_draws_rank() -> None:
    ranks = pagerank(graph_of("abc", [("a", "b", 9.0), ("a", "c", 1.0)]))
    assert ranks["a"] > ranks["b"] > ranks["c"]


def test_a_thing_without_ties_ranks_below_every_thing_with_ties() -> None:
    ranks = pagerank(graph_of("abc", [("a", "b")]))
    assert 0.0 < ranks["c"] < ranks["a"] == ranks["b"]


def test_a_placeholder_has_rank_zero_and_takes_none_from_others() -> None:
    ranks = pagerank(graph_of(["a", "b", "the team"], [("a", "b"), ("a", "the team")], placeholders=["the team"]))
    assert ranks == {"a": 0.5, "b": 0.5, "the team": 0.0}


def test_a_corpus_takes_its_ranks_and_nothing_else_changes() -> None:
    corpus = graph_of("ab", [("a", "b")])
    ranked = with_ranks(corpus, {"a": 0.75})
    assert [t.rank for t in ranked.things] == [0.75, 0.0]
    assert with_ranks(ranked, {}) == corpus


weighted = st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh"), st.sampled_from([0.5, 1.0, 3.0]))


@given(st.lists(weighted, max_size=30), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_ranks_add_up_to_one_and_do_not_depend_on_the_order(edges: list[Edge], draw: Random) -> None:
    nodes = sorted({*nodes_of(edges), "z"})
    ranks = pagerank(graph_of(nodes, edges))
    assert sum(ranks.values()) == pytest.approx(1.0, abs=1e-9)
    assert list(ranks) == nodes
    assert all(rank > 0.0 for rank in ranks.values())
    shuffled = list(edges)
    draw.shuffle(shuffled)
    assert pagerank(graph_of(reversed(nodes), shuffled)) == ranks
