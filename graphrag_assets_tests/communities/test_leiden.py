"""Communities depend on the graph alone: not on the order it is written in, not on the process."""

import csv
import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_assets.communities.leiden import detect
from graphrag_assets.model.corpus import Community
from graphrag_assets.model.ids import community_id
from graphrag_assets.model.settings import CommunitySettings
from graphrag_assets_tests.communities.graphs import Edge, graph_of, nodes_of

CASES = Path(__file__).parents[1] / "cases"
EDGELESS = json.loads((CASES / "b29_graphs.json").read_bytes())
DEFAULT = CommunitySettings()


def case_edges(name: str) -> list[Edge]:
    with (CASES / name).open(newline="") as file:
        return [(row["src"], row["dst"]) for row in csv.DictReader(file)]


def found(edges: Sequence[Edge], configured: CommunitySettings = DEFAULT) -> tuple[Community, ...]:
    return detect(graph_of(nodes_of(edges), edges), configured)


def is_connected(members: tuple[str, ...], edges: Sequence[Edge]) -> bool:
    inside = set(members)
    reached = {members[0]}
    while True:
        more = {end for edge in edges if reached & set(edge[:2]) for end in edge[:2]} & inside - reached
        if not more:
            return reached == inside
        reached |= more


def planted(groups: int, size: int, seed: int) -> list[Edge]:
    """Groups that are dense inside and joined in a ring by single edges."""
    draw = random.Random(seed)
    inside = [
        (f"g{group:02}n{a:02}", f"g{group:02}n{b:02}")
        for group in range(groups)
        for a in range(size)
        for b in range(a + 1, size)
        if b == a + 1 or draw.random() < 0.7
    ]
    return [*inside, *((f"g{group:02}n00", f"g{(group + 1) % groups:02}n01") for group in range(groups))]


@pytest.mark.parametrize("case", EDGELESS, ids=[case["case"] for case in EDGELESS])
def test_graphs_with_few_or_no_edges_build_and_lone_things_have_no_community(case: dict[str, list[str]]) -> None:
    communities = detect(graph_of(case["entities"], [(a, b) for a, b in case["relations"]]), DEFAULT)
    assert [c.member_ids for c in communities] == ([("a", "b")] if case["case"] == "one pair, one alone" else [])


def test_two_files_of_the_same_edges_give_the_same_communities_and_ids() -> None:
    first, second = case_edges("b30_edges_a.csv"), case_edges("b30_edges_b.csv")
    assert first != second
    communities = found(first)
    assert communities == found(second)
    assert len(communities) > 1


PRINT_IDS = """
import sys
from graphrag_assets_tests.communities.test_leiden import case_edges, found
print([(c.community_id, c.level, c.parent_id) for c in found(case_edges(sys.argv[1]))])
"""


def test_every_process_and_hash_seed_gives_the_same_communities() -> None:
    def ids(name: str, seed: str) -> str:
        command = [sys.executable, "-c", PRINT_IDS, name]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120).stdout

    answers = {ids("b30_edges_a.csv", "0"), ids("b30_edges_b.csv", "1"), ids("b30_edges_a.csv", "4242")}
    assert answers == {str([(c.community_id, c.level, c.parent_id) for c in found(case_edges("b30_edges_a.csv"))]) + "\n"}


def test_groups_that_hang_together_are_found() -> None:
    communities = found(planted(6, 8, seed=1))
    assert {frozenset(member[:3] for member in c.member_ids) for c in communities} == {frozenset([f"g{n:02}"]) for n in range(6)}
    assert all(len(c.member_ids) == 8 for c in communities)


def test_a_community_over_the_size_limit_is_split_below_its_parent() -> None:
    rings = [(f"r{r}g{a[1:]}", f"r{r}g{b[1:]}") for r in range(2) for a, b, *_ in planted(12, 6, seed=2)]
    communities = found(rings, CommunitySettings(resolution=0.05, max_cluster_size=20))
    by_id = {c.community_id: c for c in communities}
    assert max(c.level for c in communities) > 0
    for child in (c for c in communities if c.level > 0):
        assert child.parent_id is not None
        parent = by_id[child.parent_id]
        assert parent.level == child.level - 1
        assert len(parent.member_ids) > 20
        assert set(child.member_ids) < set(parent.member_ids)


def test_direction_repetition_and_self_facts_do_not_matter() -> None:
    edges = case_edges("b30_edges_a.csv")
    turned: Sequence[Edge] = [(edge[1], edge[0]) for edge in edges]
    halves: Sequence[Edge] = [(*edge[:2], 0.5) for edge in edges] + [(*edge[:2], 0.5) for edge in turned]
    assert found(halves) == found(edges) == found([*turned, ("n0", "n0")])


def test_weights_pull_things_together() -> None:
    def pairs(strong: float, weak: float) -> set[tuple[str, ...]]:
        edges: list[Edge] = [("a", "b", strong), ("c", "d", strong), ("a", "c", weak), ("b", "d", weak)]
        return {c.member_ids for c in found(edges)}

    assert pairs(9.0, 1.0) == {("a", "b"), ("c", "d")}
    assert pairs(1.0, 9.0) == {("a", "c"), ("b", "d")}


def test_placeholders_and_documents_tie_nothing() -> None:
    edges: list[Edge] = [("a", "b"), ("b", "the team"), ("the team", "c"), ("c", "d"), ("document", "a"), ("document", "d")]
    corpus = graph_of(["a", "b", "c", "d", "the team"], edges, placeholders=["the team"])
    assert {c.member_ids for c in detect(corpus, DEFAULT)} == {("a", "b"), ("c", "d")}


def test_a_thing_left_alone_by_a_high_resolution_has_no_community() -> None:
    star: list[Edge] = [("hub", f"n{n}") for n in range(6)]
    assert all(len(c.member_ids) > 1 for c in found(star, CommunitySettings(resolution=50.0)))


def test_every_seed_within_bounds_works() -> None:
    for seed in (0, 1, 2**63 - 1):
        assert found(case_edges("b30_edges_a.csv"), CommunitySettings(seed=seed))


edge_lists = st.lists(st.tuples(st.sampled_from("abcdefghijklmnop"), st.sampled_from("abcdefghijklmnop")), max_size=60)


@given(edge_lists, st.sampled_from([2, 3, 5, 1_000]), st.sampled_from([0.3, 1.0, 2.5]), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=150)
def test_communities_are_connected_and_each_level_partitions_what_it_holds(
    edges: list[tuple[str, str]], size: int, resolution: float, draw: random.Random
) -> None:
    configured = CommunitySettings(max_cluster_size=size, resolution=resolution)
    communities = found(edges, configured)
    by_id = {c.community_id: c for c in communities}
    assert len(by_id) == len(communities)
    for community in communities:
        assert community.member_ids == tuple(sorted(community.member_ids))
        assert community.community_id == community_id(community.level, community.member_ids)
        assert is_connected(community.member_ids, edges)
        assert (community.parent_id is None) == (community.level == 0)
        if community.parent_id is not None:
            assert set(community.member_ids) < set(by_id[community.parent_id].member_ids)
    for level in {c.level for c in communities}:
        members = [member for c in communities if c.level == level for member in c.member_ids]
        assert len(members) == len(set(members))
    shuffled = list(edges)
    draw.shuffle(shuffled)
    assert found(shuffled, configured) == communities


def test_communities_of_a_larger_graph_are_connected_and_the_same_in_any_order() -> None:
    draw = random.Random(7)
    edges: list[Edge] = [
        (f"n{a:04}", f"n{b:04}")
        for a in range(1_500)
        for b in ((a + 1) % 1_500, a // 25 * 25 + draw.randrange(25), draw.randrange(1_500))
        if a != b
    ]
    configured = CommunitySettings(max_cluster_size=40)
    communities = found(edges, configured)
    assert max(c.level for c in communities) >= 1
    neighbours: dict[str, set[str]] = {}
    for low, high, *_ in edges:
        neighbours.setdefault(low, set()).add(high)
        neighbours.setdefault(high, set()).add(low)
    for community in communities:
        inside, reached, ahead = set(community.member_ids), {community.member_ids[0]}, [community.member_ids[0]]
        while ahead:
            more = neighbours[ahead.pop()] & inside - reached
            reached |= more
            ahead += more
        assert reached == inside
    draw.shuffle(edges)
    assert found(edges, configured) == communities
