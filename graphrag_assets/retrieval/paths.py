"""Paths of facts from a thing: how they are enumerated, told apart and read as a sentence. Pure.

A path is simple (no thing twice), follows facts in both directions, and knows nothing of chunks as places to pass
through: a walk over mentions would reach everything that shares a document.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from graphrag_assets.model.limits import Limit


@dataclass(frozen=True, slots=True)
class PathThing:
    """An end of a fact."""

    thing_id: str
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact between two things and the chunks that state it, sorted; ``stated`` counts them where the list was cut."""

    fact_id: str
    type: str
    source: PathThing
    target: PathThing
    chunk_ids: tuple[str, ...]
    stated: int = 0

    def other_end(self, thing_id: str) -> PathThing:
        """The end that is not ``thing_id``."""
        return self.target if self.source.thing_id == thing_id else self.source


@dataclass(frozen=True, slots=True)
class FactPath:
    """Facts in walking order from ``seed_id``. Two walks over the same facts are one path, whichever end they began at."""

    seed_id: str
    facts: tuple[StatedFact, ...]
    things: tuple[PathThing, ...]

    @property
    def fact_ids(self) -> frozenset[str]:
        """What makes it this path."""
        return frozenset(fact.fact_id for fact in self.facts)

    @property
    def end(self) -> PathThing:
        """Where it leads."""
        return self.things[-1]


@dataclass(frozen=True, slots=True)
class PathsOfSeed:
    """The paths of one seed, shortest first; ``limits`` says when there were more."""

    paths: tuple[FactPath, ...]
    limits: tuple[Limit, ...] = ()


def simple_paths(seed_id: str, facts: Iterable[StatedFact], *, max_hops: int, limit: int) -> PathsOfSeed:
    """All simple paths of 1 to ``max_hops`` facts that begin at the seed, shortest first, then by fact ids.

    Args:
        facts: Every fact within reach; others do no harm.
        limit: Paths of one seed; the shortest stay.
    """
    facts_at = _facts_at(facts)
    found: list[FactPath] = []
    edge: list[FactPath] = [FactPath(seed_id, (), ())]
    for _ in range(max_hops):
        edge = list(islice((longer for path in edge for longer in _extended(path, facts_at)), limit + 1 - len(found)))
        found += edge
        if len(found) > limit:
            return PathsOfSeed(tuple(found[:limit]), (Limit("paths-per-seed", limit),))
    return PathsOfSeed(tuple(found))


def distinct_paths(paths: Iterable[FactPath]) -> tuple[FactPath, ...]:
    """Each set of facts once, as first walked."""
    first: dict[frozenset[str], FactPath] = {}
    for path in paths:
        first.setdefault(path.fact_ids, path)
    return tuple(first.values())


def path_sentence(path: FactPath, phrases: Mapping[str, str]) -> str:
    """The path in words: each fact in its own direction and phrase, joined by semicolons."""
    return "; ".join(fact_sentence(fact, phrases) for fact in path.facts)


def fact_sentence(fact: StatedFact, phrases: Mapping[str, str]) -> str:
    """A fact in its phrase; a type without one is read by its own name."""
    return f"{fact.source.name} {phrases.get(fact.type, spoken_type(fact.type))} {fact.target.name}"


def path_line(path: FactPath, phrases: Mapping[str, str]) -> str:
    """The path as people and models read it: like its sentence, with the class of each thing."""
    return "; ".join(fact_line(fact, phrases) for fact in path.facts)


def fact_line(fact: StatedFact, phrases: Mapping[str, str]) -> str:
    """A fact as people and models read it, with the classes of its ends: two things of one name are told apart."""
    return f"{_shown(fact.source)} {phrases.get(fact.type, spoken_type(fact.type))} {_shown(fact.target)}"


def _shown(thing: PathThing) -> str:
    return f"{thing.name} ({thing.kind})" if thing.kind else thing.name


def spoken_type(fact_type: str) -> str:
    """``DEPENDS_ON`` as words."""
    return fact_type.replace("_", " ").lower()


def _facts_at(facts: Iterable[StatedFact]) -> dict[str, list[StatedFact]]:
    at: dict[str, list[StatedFact]] = {}
    for fact in sorted({fact.fact_id: fact for fact in facts}.values(), key=lambda f: f.fact_id):
        if fact.source.thing_id != fact.target.thing_id:
            at.setdefault(fact.source.thing_id, []).append(fact)
            at.setdefault(fact.target.thing_id, []).append(fact)
    return at


def _extended(path: FactPath, facts_at: Mapping[str, Sequence[StatedFact]]) -> Iterable[FactPath]:
    at = path.end.thing_id if path.things else path.seed_id
    passed = {path.seed_id, *(thing.thing_id for thing in path.things)}
    for fact in facts_at.get(at, ()):
        end = fact.other_end(at)
        if end.thing_id not in passed:
            yield FactPath(path.seed_id, (*path.facts, fact), (*path.things, end))
