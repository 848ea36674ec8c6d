"""Things over all documents: one per canonical id, with a name, aliases and a description that all of them vote on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graphrag_assets.model.corpus import ResolvedThing
from graphrag_assets.model.extraction import Extraction, Thing
from graphrag_assets.model.names import compared_name
from graphrag_assets.resolution.canonical import DecisionIndex
from graphrag_assets.resolution.elections import cut_description, elect


@dataclass(frozen=True, slots=True)
class StatedThing:
    """A thing as one document states it.

    Args:
        canonical_id: The id it goes by.
        own_id: Its id before merges; differs from ``canonical_id`` when it is merged into another thing.
        places: Chunk id and start byte of each mention, so that two merged things named at one place count once.
    """

    canonical_id: str
    own_id: str
    document_id: str
    thing: Thing
    places: frozenset[tuple[str, int]]

    @property
    def is_merged(self) -> bool:
        """Whether a decision merged it into another thing."""
        return self.own_id != self.canonical_id


def stated_things(extraction: Extraction, index: DecisionIndex) -> tuple[StatedThing, ...]:
    """The things of one document under their canonical ids."""
    places: dict[str, set[tuple[str, int]]] = {}
    for mention in extraction.mentions:
        places.setdefault(mention.thing_id, set()).add((mention.chunk_id, mention.span.start))
    return tuple(
        StatedThing(
            canonical_id=index.canonical_id(thing, extraction.document_id),
            own_id=index.own_id(thing, extraction.document_id),
            document_id=extraction.document_id,
            thing=thing,
            places=frozenset(places.get(thing.thing_id, ())),
        )
        for thing in extraction.things
    )


def resolve_thing(stated: Sequence[StatedThing], reviewed_aliases: Iterable[str] = ()) -> tuple[ResolvedThing, bool]:
    """One thing from all that documents state under its id, and whether its description was cut.

    The kept thing of a merge gives name and kind: a merge must not rename what a person chose to keep, however often
    the other name occurs. Merged things decide only when no document states the kept one any more.

    Args:
        stated: At least one, all of one canonical id, in any order.
        reviewed_aliases: Names that a person added.
    """
    kept = [s for s in stated if not s.is_merged] or list(stated)
    name = elect((s.thing.name, s.document_id, len(s.places)) for s in kept) or kept[0].thing.name
    kind = elect((s.thing.kind, s.document_id, len(s.places)) for s in kept) or kept[0].thing.kind
    description, was_cut = _description(stated)
    places = frozenset[tuple[str, int]]().union(*(s.places for s in stated))
    resolved = ResolvedThing(
        thing_id=stated[0].canonical_id,
        kind=kind,
        name=name,
        aliases=_aliases(name, stated, reviewed_aliases),
        description=description,
        is_placeholder=all(s.thing.is_placeholder for s in stated),
        document_ids=tuple(sorted({s.document_id for s in stated})),
        chunk_ids=tuple(sorted({chunk for chunk, _ in places})),
        mentions=len(places),
        merged_ids=tuple(sorted({s.own_id for s in stated if s.is_merged})),
    )
    return resolved, was_cut


def _aliases(name: str, stated: Iterable[StatedThing], reviewed: Iterable[str]) -> tuple[str, ...]:
    """All other names, one spelling of each: of names that compare equal the one that sorts first."""
    spellings: dict[str, str] = {}
    candidates = {alias for s in stated for alias in (s.thing.name, *s.thing.aliases)} | set(reviewed)
    for candidate in sorted(candidates):
        spellings.setdefault(compared_name(candidate), candidate)
    return tuple(sorted(spelling for compared, spelling in spellings.items() if compared not in ("", compared_name(name))))


def _description(stated: Iterable[StatedThing]) -> tuple[str | None, bool]:
    """The description of the document with the smallest id that has one; the kept thing's goes before a merged thing's."""
    texts = ((s.is_merged, s.document_id, s.own_id, s.thing.description or "") for s in stated)
    first = min((text for text in texts if text[3].strip()), default=None)
    return (None, False) if first is None else cut_description(first[3])
