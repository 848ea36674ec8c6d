"""Choosing the sentences that answer a question: a chain of at most three, tied by names, that covers the question's words. Pure.

The score of a chain is the weighted share of the question that it covers, less a little for each further sentence. It is
meant to be read, not to be good: it knows no synonyms and no grammar.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from graphrag_assets.answers.reading import Name, Reading, Wanted, shared_parts, tied

MAX_STATEMENTS: Final = 3
BEAM: Final = 24
LENGTH_COST: Final = 0.07
EXPECTED_GAIN: Final = 0.1
NEARNESS_GAIN: Final = 0.3


@dataclass(frozen=True, slots=True)
class Rules:
    """When a chain is an answer.

    Args:
        coverage: Least weighted share of the question's words.
        open_coverage: Least share of its words that are no names; without any there is nothing to ask of a sentence.
    """

    coverage: float = 0.6
    open_coverage: float = 0.7


@dataclass(frozen=True, slots=True)
class Chain:
    """Sentences in the order of reading, by their places among the readings."""

    places: tuple[int, ...]
    credits: Mapping[str, float]
    names: frozenset[Name]
    score: float


@dataclass(frozen=True, slots=True)
class _Search:
    """What a chain is looked for in."""

    readings: Sequence[Reading]
    wanted: Wanted
    nearness: Mapping[int, float]
    shared: frozenset[Name]

    def extended(self, chain: Chain, place: int) -> Chain | None:
        """The chain with one more sentence; None when that says no further word of the question, or no name ties it.

        A sentence that states facts of the graph, none of which the question asks for, is no step of an answer:
        whatever follows could be tied to the things it names.
        """
        reading, weights = self.readings[place], self.wanted.weights
        gained = {found: credit for found, credit in reading.stems.items() if found in weights and credit > chain.credits.get(found, 0.0)}
        idle = self.wanted.names if self.wanted.has_open_words and reading.states_fact else frozenset[str]()
        if not gained.keys() - chain.credits.keys() - idle:
            return None
        if chain.places and not tied(reading.names, chain.names, self.shared):
            return None
        longer = Chain((*chain.places, place), {**chain.credits, **gained}, reading.names | chain.names, 0.0)
        return replace(longer, score=self._score(longer))

    def _score(self, chain: Chain) -> float:
        score = coverage(chain.credits, self.wanted) - LENGTH_COST * (len(chain.places) - 1)
        score += EXPECTED_GAIN if meets_expectation(self.readings[chain.places[-1]], self.wanted) else 0.0
        return score + NEARNESS_GAIN * max(0.0, max(self.nearness.get(place, 0.0) for place in chain.places))


def best_chain(readings: Sequence[Reading], wanted: Wanted, nearness: Mapping[int, float]) -> Chain | None:
    """The best chain, or None when no sentence holds a word of the question.

    Args:
        nearness: Cosine of a sentence to the question, by place, where one is known.
    """
    search = _Search(readings, wanted, nearness, shared_parts(readings))
    beam = [Chain((), {}, frozenset(), 0.0)]
    best: list[Chain] = []
    for _ in range(MAX_STATEMENTS):
        longer = (search.extended(chain, place) for chain in beam for place in range(len(readings)))
        beam = _best([chain for chain in longer if chain is not None])
        best += beam[:1]
    return _best(best)[0] if best else None


def _best(chains: Sequence[Chain]) -> list[Chain]:
    return sorted(chains, key=lambda chain: (-round(chain.score, 9), len(chain.places), chain.places))[:BEAM]


def coverage(credits: Mapping[str, float], wanted: Wanted) -> float:
    """Weighted share of the question's words, 0 to 1. A name that a heading says is said: sentences leave it to the heading."""
    total = sum(wanted.weights.values())
    said = ((found in wanted.names and bool(credits.get(found))) or credits.get(found, 0.0) for found in wanted.weights)
    return sum(weight * credit for weight, credit in zip(wanted.weights.values(), said, strict=True)) / total if total else 0.0


def meets_expectation(reading: Reading, wanted: Wanted) -> bool:
    """Whether a sentence holds the kind of thing asked for: a number, or a name that the question does not say."""
    if wanted.number:
        return reading.has_number
    if wanted.person or wanted.place:
        return bool(reading.own_names - wanted.weights.keys())
    return True


def is_answer(chain: Chain, readings: Sequence[Reading], wanted: Wanted, rules: Rules) -> bool:
    """Whether a chain says enough: every name of the question, enough of its other words, and the kind of thing asked for."""
    if any(not chain.credits.get(word) for word in wanted.names | wanted.required):
        return False
    others = [found for found in wanted.weights if found not in wanted.names | wanted.asked]
    said = sum(1 for found in others if chain.credits.get(found))
    if others and said / len(others) < rules.open_coverage:
        return False
    return coverage(chain.credits, wanted) >= rules.coverage and any(meets_expectation(readings[place], wanted) for place in chain.places)
