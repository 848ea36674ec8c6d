"""Fusing the ranks of several routes. Scores of different routes are never compared: they are not of one scale."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphrag_assets.model.evidence import Route, RouteRank


@dataclass(frozen=True, slots=True)
class RouteHit:
    """A chunk as one route found it, with that route's own score."""

    chunk_id: str
    score: float


@dataclass(frozen=True, slots=True)
class FusedHit:
    """A chunk with its fused score and its place on each route that found it."""

    chunk_id: str
    score: float
    routes: tuple[RouteRank, ...]


def fuse(rankings: Mapping[Route, Sequence[RouteHit]], k: int = 60) -> tuple[FusedHit, ...]:
    """Reciprocal rank fusion: each route adds ``1 / (k + rank)``, ranks counted from 1.

    Args:
        rankings: Hits of each route, best first. A chunk that a route lists twice counts at its better rank.
        k: How little the first ranks stand out; 60 is the constant of Cormack, Clarke and Büttcher (2009).

    Returns:
        Every chunk once, best first, ties by chunk id. The order of the routes does not matter.
    """
    ranks: dict[str, list[RouteRank]] = {}
    for route in sorted(rankings):
        for rank, hit in enumerate(_once(rankings[route]), start=1):
            ranks.setdefault(hit.chunk_id, []).append(RouteRank(route, rank, hit.score))
    fused = (FusedHit(chunk, sum(1.0 / (k + place.rank) for place in places), tuple(places)) for chunk, places in ranks.items())
    return tuple(sorted(fused, key=lambda hit: (-hit.score, hit.chunk_id)))


def _once(hits: Sequence[RouteHit]) -> tuple[RouteHit, ...]:
    first: dict[str, RouteHit] = {}
    for hit in hits:
        first.setdefault(hit.chunk_id, hit)
    return tuple(first.values())
