"""What a sentence says of a question, in stems: its own words, those of its headings, and those of fact lines it carries. Pure."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from graphrag_assets.answers.sentences import Sentence
from graphrag_assets.retrieval.words import Word, listed, stem, words_of

# A word that only the headings say, or that the sentence before said and a pronoun takes up, counts a little less.
INHERITED: Final = 0.8
NAME_WEIGHT: Final = 2.0
_PRONOUNS: Final = listed(
    "it its he him his she her hers they them their theirs this that these those both itself himself herself themselves there"
)
_WHO: Final = frozenset({"who", "whom", "whose"})
_MEASURES: Final = listed("many much often long old far tall high big large")
_TIMES: Final = listed("year date day month century decade")
_KINDS: Final = listed("kind kinds sort sorts type types")
_BEING: Final = listed("is are was were")
_NUMBER_WORDS: Final = listed(
    """one two three four five six seven eight nine ten eleven twelve dozen twenty thirty forty fifty sixty seventy eighty ninety
    hundred thousand million billion twice once monday tuesday wednesday thursday friday saturday sunday mondays tuesdays
    wednesdays thursdays fridays saturdays sundays january february march april may june july august september october november
    december daily weekly monthly yearly annually"""
)


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence as read.

    Args:
        stems: Stem to credit: 1 for its own words, less for what it takes over from headings or the sentence before.
        names: Stems of the names it holds or takes over, by which it may be tied to another sentence.
        own_names: Those it holds itself.
        has_number: A digit or a word for a number, a day or a month.
    """

    sentence: Sentence
    stems: dict[str, float]
    names: frozenset[str]
    own_names: frozenset[str]
    has_number: bool


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question wants.

    Args:
        weights: Stems of its words, with what each is worth.
        names: Those that are names; an answer leaves none out.
        asked: Words that say what kind of thing is wanted ("which river"); an answer may name one without the word.
        required: Words that say what of a thing is wanted ("what is the capital of"); an answer has them.
        person, number, place: Kind of answer that a question word asks for.
    """

    weights: dict[str, float]
    names: frozenset[str]
    asked: frozenset[str]
    required: frozenset[str]
    person: bool
    number: bool
    place: bool


def read_sentences(sentences: Sequence[Sentence], fact_lines: Sequence[str], cues: Mapping[str, Sequence[str]]) -> tuple[Reading, ...]:
    """Read each sentence, once with its headings and once with the fact lines whose names it holds.

    Args:
        cues: Phrase of a fact to further words for it; a fact line with the phrase says those words too.
    """
    further = [(phrase, _stems(" ".join(words))) for phrase, words in sorted(cues.items())]
    lines = [
        (names_in(line), _stems(line).union(*(stems for phrase, stems in further if f" {phrase} " in line))) for line in fact_lines
    ]
    return tuple(_read(sentence, lines) for sentence in sentences)


def _read(sentence: Sentence, lines: Sequence[tuple[frozenset[str], frozenset[str]]]) -> Reading:
    words = words_of(sentence.text)
    own = {stem(word.text) for word in words if not word.is_stop}
    taken = " ".join(sentence.headings)
    if any(word.folded in _PRONOUNS for word in words):
        taken = f"{taken}\n{sentence.before}"
    names = names_in(sentence.text) | frozenset(stem(w.text) for w in words_of(taken) if w.is_name_like and not w.is_stop)
    credits = dict.fromkeys(_stems(taken), INHERITED)
    for line_names, line_stems in lines:
        if line_names and line_names <= names:
            credits.update(dict.fromkeys(line_stems, INHERITED))
    credits.update(dict.fromkeys(own, 1.0))
    number = any(any(c.isdigit() for c in word.text) or word.folded in _NUMBER_WORDS for word in words)
    return Reading(sentence, credits, names, names_in(sentence.text), number)


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word.text) for word in words_of(text) if not word.is_stop)


def names_in(text: str) -> frozenset[str]:
    """Stems of words written as names; the first word of a text counts only with a second mark of a name near it."""
    words = words_of(text)
    found = [word for place, word in enumerate(words) if _is_name(words, place)]
    return frozenset(stem(word.text) for word in found)


def _is_name(words: Sequence[Word], place: int) -> bool:
    word = words[place]
    if not word.is_name_like or (word.is_stop and not word.text.isupper()):
        return False
    if place > 0 or any(c.isupper() or c.isdigit() for c in word.text[1:]):
        return True
    # A sentence begins with a capital letter whatever its first word is: a name there is followed by a name or a verb of being.
    return len(words) > 1 and (words[1].is_name_like or words[1].is_stop)


def read_question(question: str, readings: Sequence[Reading]) -> Wanted:
    """Weigh the question's words: rare among the sentences weighs more, a name weighs double.

    A word written small in the question is a name where the passages write it as one.
    """
    words = words_of(question)
    seen = Counter(found for reading in readings for found in reading.stems)
    written = {name for reading in readings for name in reading.own_names}
    content = [word for word in words if not word.is_stop] or list(words)
    names = {stem(w.text) for i, w in enumerate(words) if not w.is_stop and ((i > 0 and w.is_name_like) or stem(w.text) in written)}
    weights = {
        found: _rarity(seen[found], len(readings)) * (NAME_WEIGHT if found in names else 1.0)
        for found in dict.fromkeys(stem(word.text) for word in content)
    }
    folded = [word.folded for word in words]
    after_how = {second for first, second in pairwise(folded) if first == "how"}
    names &= weights.keys()
    return Wanted(
        weights=weights,
        names=frozenset(names),
        asked=frozenset(_asked_kinds(words)) - names,
        required=frozenset(_asked_attributes(words)) - names,
        person=not _WHO.isdisjoint(folded),
        number="when" in folded or bool(after_how & _MEASURES) or bool(set(folded) & _TIMES),
        place="where" in folded,
    )


def _asked_kinds(words: Sequence[Word]) -> Iterator[str]:
    """The word after "which" or "what": of "which river flows", river; with "kind of" between, the word after that too."""
    for place, word in enumerate(words):
        if word.folded in {"which", "what"}:
            following = [w for w in words[place + 1 : place + 5] if w.folded not in {"of", "the", "a", "an"}]
            count = 2 if following and following[0].folded in _KINDS else 1
            yield from (stem(w.text) for w in following[:count] if not w.is_stop)


def _asked_attributes(words: Sequence[Word]) -> Iterator[str]:
    """The word after "what is the": of "what is the capital of", capital; superlatives and other describing words stay with it."""
    for first, second, *others in zip(words, words[1:], words[2:], words[3:], strict=False):
        if first.folded in {"what", "who"} and second.folded in _BEING and others[0].folded in {"the", "a", "an"} and not others[1].is_stop:
            yield stem(others[1].text)


def _rarity(seen: int, of: int) -> float:
    return math.log(1.0 + (of + 1.0) / (seen + 1.0))
