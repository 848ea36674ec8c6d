"""Which paths a question is about: how much of the question a path speaks, and how near its sentence is. Pure.

The nearness of a path's sentence to the question alone favours short paths that repeat the question's words over the
chain that answers it. So three things are ranked and their ranks fused: the named things a path touches, the words of
the question that its facts, classes and names speak, and the nearness of its sentence. No weight is learnt.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from graphrag_assets.retrieval.linking import Link, class_words
from graphrag_assets.retrieval.paths import FactPath, PathThing, StatedFact, spoken_type
from graphrag_assets.retrieval.wording import Wording
from graphrag_assets.retrieval.words import content_stems, stem, words_of

# What a question word asks for, as the words of classes that may answer it.
_ASKED_CLASS: Final[Mapping[str, tuple[str, ...]]] = {
    "who": ("person", "character"),
    "whom": ("person", "character"),
    "whose": ("person", "character"),
    "where": ("place", "location"),
}


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """A question once its things are linked.

    Args:
        open_stems: Stems of its words beside those things.
        asked: Stems of classes that a question word asks for; one of them is enough.
        named: The things it names for sure: a group for each stretch, of more than one where they share a name.
    """

    open_stems: frozenset[str]
    asked: frozenset[str]
    named: tuple[frozenset[str], ...]

    def names(self, thing_id: str) -> bool:
        """Whether the question names this thing."""
        return any(thing_id in group for group in self.named)


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a path leaves unsaid of a question; the less the better.

    Args:
        untouched: Named things that it does not touch; things of one name count as one.
        unspoken: Words that neither its facts nor the classes and names of its things say.
        idle_facts: Facts of which neither the phrase nor the thing they lead to says a word of the question.
    """

    untouched: int
    unspoken: int
    idle_facts: int
    hops: int

    @property
    def order(self) -> tuple[int, int, int]:
        """Named things first, then the question's words, then no fact for nothing."""
        return (self.untouched, self.unspoken, self.idle_facts)


@dataclass(frozen=True, slots=True)
class RankedPath:
    """A path with its fused score and the cosine of its sentence to the question."""

    path: FactPath
    score: float
    similarity: float
    spoken: Spoken


def question_words(question: str, links: Sequence[Link]) -> QuestionWords:
    """Open words and named things. Things linked by nearness alone count as named only when none is named by name."""
    sure = [link for link in links if link.by == "name"] or list(links)
    words = words_of(question)
    taken = {place for link in sure for place in range(link.span.first, link.span.last + 1)}
    stems = {stem(word.text) for place, word in enumerate(words) if place not in taken and not word.is_stop}
    asked = {stem(c) for word in words for c in _ASKED_CLASS.get(word.folded, ())}
    places = sorted({(link.span.first, link.span.last) for link in sure})
    named = tuple(frozenset(link.thing.thing_id for link in sure if (link.span.first, link.span.last) == place) for place in places)
    return QuestionWords(frozenset(stems), frozenset(asked), named)


def first_by_words(paths: Sequence[FactPath], words: QuestionWords, wording: Wording, bound: int) -> tuple[tuple[FactPath, Spoken], ...]:
    """The ``bound`` paths that speak the question best, so that no more sentences than that are embedded."""
    speech = _speech(paths, words, wording)
    measured = [(path, _spoken(path, words, speech)) for path in paths]
    measured.sort(key=lambda pair: (*pair[1].order, pair[1].hops, _identity(pair[0])))
    return tuple(measured[:bound])


@dataclass(frozen=True, slots=True)
class _Speech:
    """Which words of the question each fact type and each thing says."""

    types: Mapping[str, frozenset[str]]
    things: Mapping[str, frozenset[str]]


def _speech(paths: Sequence[FactPath], words: QuestionWords, wording: Wording) -> _Speech:
    """Worked out once for each type and thing: thousands of paths pass the same few."""
    asked = words.open_stems | words.asked
    types = {fact.type for path in paths for fact in path.facts}
    things = {thing.thing_id: thing for path in paths for thing in path.things}
    return _Speech(
        {name: asked & _type_stems(name, wording) for name in types},
        {key: asked & _thing_stems(thing, words, wording) for key, thing in things.items()},
    )


def _type_stems(fact_type: str, wording: Wording) -> frozenset[str]:
    texts = (wording.phrases.get(fact_type, ""), spoken_type(fact_type), *wording.cues.get(fact_type, ()))
    return frozenset(found for text in texts for found in content_stems(text))


def _thing_stems(thing: PathThing, words: QuestionWords, wording: Wording) -> frozenset[str]:
    """The words of its class and of its name; a named thing's own name is no answer to the rest of the question."""
    name = () if words.names(thing.thing_id) else content_stems(thing.name)
    return frozenset((*name, *(stem(part) for part in (*class_words(thing.kind), *wording.cues.get(thing.kind, ())))))


def _spoken(path: FactPath, words: QuestionWords, speech: _Speech) -> Spoken:
    said: set[str] = set()
    idle = 0
    for fact, thing in zip(path.facts, path.things, strict=True):
        new = speech.types[fact.type] | speech.things[thing.thing_id]
        idle += 0 if new or words.names(thing.thing_id) else 1
        said |= new
    touched = {path.seed_id, *(thing.thing_id for thing in path.things)}
    unspoken = len(words.open_stems - said) + (1 if words.asked and not said & words.asked else 0)
    return Spoken(sum(1 for group in words.named if not group & touched), unspoken, idle, len(path.facts))


def rank_paths(measured: Sequence[tuple[FactPath, Spoken]], similarities: Sequence[float], k: int = 60) -> tuple[RankedPath, ...]:
    """Fuse the rank by words with the rank by nearness; equals share a rank, ties go by hops and fact ids."""
    by_words = _shared_ranks([pair[1].order for pair in measured])
    by_nearness = _shared_ranks([(-round(similarity, 6),) for similarity in similarities])
    ranked = [
        RankedPath(path, 1.0 / (k + by_words[i]) + 1.0 / (k + by_nearness[i]), similarities[i], told)
        for i, (path, told) in enumerate(measured)
    ]
    return tuple(sorted(ranked, key=lambda r: (-r.score, r.spoken.hops, _identity(r.path))))


def _shared_ranks(keys: Sequence[tuple[float, ...]]) -> list[int]:
    """The rank of each key from 1; equal keys share the rank of the first, and the next one counts them all."""
    first: dict[tuple[float, ...], int] = {}
    for rank, key in enumerate(sorted(keys), start=1):
        first.setdefault(key, rank)
    return [first[key] for key in keys]


@dataclass(frozen=True, slots=True)
class KeptPaths:
    """The paths kept, none of them part of another, and their facts in the order in which ranking met them."""

    paths: tuple[RankedPath, ...]
    facts: tuple[StatedFact, ...]


def keep_paths(ranked: Sequence[RankedPath], count: int) -> KeptPaths:
    """The first ``count`` paths by rank, where a path within another takes no place of its own.

    A longer path takes over the place of a kept one that it continues, so that the places hold different chains; the
    facts keep the order of the ranking, so that the continuation does not push itself forward.
    """
    kept: list[RankedPath] = []
    facts: dict[str, StatedFact] = {}
    for candidate in ranked:
        ids = candidate.path.fact_ids
        if not any(ids <= other.path.fact_ids for other in kept):
            rest = [other for other in kept if not other.path.fact_ids < ids]
            if len(rest) == count:
                break
            place = next((i for i, other in enumerate(kept) if other.path.fact_ids < ids), len(kept))
            kept = [*(o for o in kept[:place] if o in rest), candidate, *(o for o in kept[place:] if o in rest)]
        for fact in candidate.path.facts:
            facts.setdefault(fact.fact_id, fact)
    return KeptPaths(tuple(kept), tuple(facts.values()))


def chunks_of_facts(facts: Sequence[StatedFact]) -> tuple[tuple[str, tuple[StatedFact, ...]], ...]:
    """The chunks that state the facts, each with the facts it states.

    First one chunk for each fact in order, the one that states most of them; then all others, in the same order.
    """
    states: dict[str, list[StatedFact]] = {}
    for fact in facts:
        for chunk in fact.chunk_ids:
            states.setdefault(chunk, []).append(fact)
    order: dict[str, None] = {}
    for fact in facts:
        if fact.chunk_ids and not any(chunk in order for chunk in fact.chunk_ids):
            order[min(fact.chunk_ids, key=lambda chunk: (-len(states[chunk]), chunk))] = None
    for fact in facts:
        order.update(dict.fromkeys(sorted(fact.chunk_ids)))
    return tuple((chunk, tuple(states[chunk])) for chunk in order)


def _identity(path: FactPath) -> tuple[str, ...]:
    return tuple(fact.fact_id for fact in path.facts)
