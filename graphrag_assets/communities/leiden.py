"""Communities by hierarchical Leiden (Traag, Waltman and van Eck, 2019) over modularity.

A fixed seed alone does not fix the result: the order in which pairs are handed over decides as well. So they are
handed over sorted, each pair once, and the ids of communities are made of their members, not of the numbers that the
algorithm gives them.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, cast

from graphrag_assets.communities.ties import Tie, ties
from graphrag_assets.model.corpus import Community, ResolvedCorpus
from graphrag_assets.model.ids import community_id
from graphrag_assets.model.settings import CommunitySettings

SMALLEST_COMMUNITY: Final = 2
_SEEDS: Final = 2**64


class _Placed(Protocol):
    """One row of the library's result: a node's cluster at one level."""

    node: str
    cluster: int
    level: int
    parent_cluster: int | None


@dataclass(frozen=True, slots=True)
class _Cluster:
    level: int
    parent: int | None
    members: tuple[str, ...]


def detect(corpus: ResolvedCorpus, settings: CommunitySettings) -> tuple[Community, ...]:
    """The communities of a corpus, sorted by level and id.

    Level 0 partitions the things that have ties; a deeper level holds only what communities larger than
    ``max_cluster_size`` were split into, with their parent's id, and one that cannot be split stays as it is. A
    community has two members or more: a thing without ties, or one that a high resolution leaves alone, belongs to none
    of that level. A corpus without ties has none.

    The members of a community are connected by facts between themselves: Leiden's refinement gives that.
    """
    pairs = ties(corpus)
    if not pairs:
        return ()
    return _communities(_clusters(_run(pairs, settings)))


def _run(pairs: Sequence[Tie], settings: CommunitySettings) -> Sequence[_Placed]:
    from graspologic_native import hierarchical_leiden  # pyright: ignore[reportAttributeAccessIssue] # compiled, without stubs

    rows = hierarchical_leiden(
        list(pairs),
        resolution=settings.resolution,
        randomness=settings.randomness,
        iterations=settings.iterations,
        use_modularity=True,
        max_cluster_size=settings.max_cluster_size,
        seed=settings.seed % _SEEDS,  # the library takes 64 bits without a sign
    )
    return cast("Sequence[_Placed]", rows)


def _clusters(rows: Iterable[_Placed]) -> dict[int, _Cluster]:
    """Clusters by the library's number, which is unique over all levels."""
    members: dict[int, list[str]] = defaultdict(list)
    places: dict[int, tuple[int, int | None]] = {}
    for row in rows:
        members[row.cluster].append(row.node)
        places[row.cluster] = (row.level, row.parent_cluster)
    return {number: _Cluster(level, parent, tuple(sorted(members[number]))) for number, (level, parent) in places.items()}


def _communities(clusters: Mapping[int, _Cluster]) -> tuple[Community, ...]:
    ids = {number: community_id(cluster.level, cluster.members) for number, cluster in clusters.items()}
    found = (
        Community(ids[number], cluster.level, cluster.members, None if cluster.parent is None else ids[cluster.parent])
        for number, cluster in clusters.items()
        if len(cluster.members) >= SMALLEST_COMMUNITY
    )
    return tuple(sorted(found, key=lambda community: (community.level, community.community_id)))
