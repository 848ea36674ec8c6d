"""Paths of facts: simple, both ways, bounded, and told apart by their facts."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_assets.model.limits import Limit
from graphrag_assets.retrieval.paths import (
    PathThing,
    StatedFact,
    distinct_paths,
    fact_sentence,
    path_line,
    path_sentence,
    simple_paths,
)
from graphrag_assets_tests.retrieval.small_world import PHRASES, WORLD, fact

PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=14, unique=True)


def facts_between(pairs: list[tuple[int, int]]) -> list[StatedFact]:
    things = [PathThing(f"t{n}", "Thing", f"thing {n}") for n in range(7)]
    return [StatedFact(f"{a}-{b}", "TIED_TO", things[a], things[b], ("c",)) for a, b in pairs]


def test_a_path_follows_facts_in_both_directions() -> None:
    walked = simple_paths("id of Thyme", WORLD, max_hops=1, limit=100)
    assert {path.facts[0].fact_id for path in walked.paths} == {
        "Basil DEPENDS_ON Thyme",
        "Thyme DEPENDS_ON Sumac",
        "Thyme OWNED_BY Meadow team",
        "OUT-17 AFFECTED Thyme",
    }


def test_a_path_reads_each_fact_in_its_own_direction() -> None:
    walked = simple_paths("id of Meadow team", WORLD, max_hops=2, limit=100)
    path = next(path for path in walked.paths if path.end.name == "Sumac")
    assert path_sentence(path, PHRASES) == "Thyme is owned by Meadow team; Thyme depends on Sumac"
    assert path_line(path, PHRASES) == "Thyme (System) is owned by Meadow team (Team); Thyme (System) depends on Sumac (System)"


def test_a_type_without_a_phrase_is_read_by_its_name() -> None:
    assert fact_sentence(fact("Basil DEPENDS_ON Thyme"), {}) == "Basil depends on Thyme"


@settings(deadline=None)
@given(PAIRS, st.integers(1, 4))
def test_paths_are_simple_connected_and_within_the_hops(pairs: list[tuple[int, int]], hops: int) -> None:
    for path in simple_paths("t0", facts_between(pairs), max_hops=hops, limit=10_000).paths:
        passed = ["t0", *(thing.thing_id for thing in path.things)]
        assert len(set(passed)) == len(passed) == len(path.facts) + 1 <= hops + 1
        for before, one, after in zip(passed, path.facts, passed[1:], strict=False):
            assert {one.source.thing_id, one.target.thing_id} == {before, after}


@settings(deadline=None)
@given(PAIRS, st.randoms(use_true_random=False))
def test_the_order_of_the_facts_does_not_matter(pairs: list[tuple[int, int]], random: Random) -> None:
    facts = facts_between(pairs)
    shuffled = random.sample(facts, len(facts))
    assert simple_paths("t0", facts, max_hops=3, limit=20) == simple_paths("t0", shuffled, max_hops=3, limit=20)


@settings(deadline=None)
@given(PAIRS, st.integers(1, 12))
def test_the_bound_keeps_the_shortest_and_says_so(pairs: list[tuple[int, int]], limit: int) -> None:
    everything = simple_paths("t0", facts_between(pairs), max_hops=3, limit=10_000).paths
    bounded = simple_paths("t0", facts_between(pairs), max_hops=3, limit=limit)
    assert bounded.paths == everything[:limit]
    assert bounded.limits == ((Limit("paths-per-seed", limit),) if len(everything) > limit else ())
    assert [len(path.facts) for path in everything] == sorted(len(path.facts) for path in everything)


def test_one_path_found_from_both_its_ends_counts_once() -> None:
    from_basil = simple_paths("id of Basil", WORLD, max_hops=2, limit=100).paths
    from_sumac = simple_paths("id of Sumac", WORLD, max_hops=2, limit=100).paths
    both = distinct_paths([*from_basil, *from_sumac])
    between = [path for path in both if frozenset({"Basil DEPENDS_ON Thyme", "Thyme DEPENDS_ON Sumac"}) == path.fact_ids]
    assert [path.seed_id for path in between] == ["id of Basil"]
    assert len(both) < len(from_basil) + len(from_sumac)


def test_a_fact_of_a_thing_with_itself_leads_nowhere() -> None:
    assert simple_paths("t0", facts_between([(0, 0)]), max_hops=3, limit=10).paths == ()
