"""What a sentence says of a question, in stems: its own words, those of its headings, and those of fact lines it carries. Pure."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from graphrag_assets.answers.sentences import Sentence
from graphrag_assets.retrieval.wording import Wording
from graphrag_assets.retrieval.words import Word, listed, stem, words_of

# A word that only the headings say, or that the sentence before said and a pronoun takes up, counts a little less.
INHERITED: Final = 0.8
NAME_WEIGHT: Final = 2.0
ASKED_WEIGHT: Final = 0.4
_PRONOUNS: Final = listed(
    "it its he him his she her hers they them their theirs this that these those both itself himself herself themselves there"
)
_KIND: Final = re.compile(r" \(([A-Z]\w*)\)")
_WHO: Final = frozenset({"who", "whom", "whose"})
_MEASURES: Final = listed("many much often long old far tall high big large")
_TIMES: Final = listed("year date day month century decade")
_KINDS: Final = listed("kind kinds sort sorts type types")
_HELPING: Final = listed("is are was were do does did has have had can could will would should may might")
_BEING: Final = listed("is are was were has had")
_NUMBER_WORDS: Final = listed(
    """one two three four five six seven eight nine ten eleven twelve dozen twenty thirty forty fifty sixty seventy eighty ninety
    hundred thousand million billion twice once monday tuesday wednesday thursday friday saturday sunday mondays tuesdays
    wednesdays thursdays fridays saturdays sundays january february march april may june july august september october november
    december daily weekly monthly yearly annually second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
    half quarter noon midnight morning evening night winter spring summer autumn"""
)


Name = frozenset[str]


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence as read.

    Args:
        stems: Stem to credit: 1 for its own words, less for what it takes over from headings or the sentence before.
        names: Names it holds or takes over, each a set of stems; by them it may be tied to another sentence.
        own_names: Stems of the names it holds itself.
        has_number: A digit or a word for a number, a day or a month.
        states_fact: A fact line of the context is about things that it names.
    """

    sentence: Sentence
    stems: dict[str, float]
    names: frozenset[Name]
    own_names: frozenset[str]
    has_number: bool
    states_fact: bool = False


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

    @property
    def has_open_words(self) -> bool:
        """Whether it asks for something beyond the names it says."""
        return bool(self.weights.keys() - self.names)


@dataclass(frozen=True, slots=True)
class FactLine:
    """A fact that the graph holds, as a line of context: the names of its ends, and all words that speak of it."""

    names: frozenset[str]
    stems: frozenset[str]


def fact_lines(text: str, wording: Wording) -> tuple[FactLine, ...]:
    """The facts of a context item, with the further words that the ontology has for their types and classes."""
    phrases = {phrase: wording.cues.get(name, ()) for name, phrase in wording.phrases.items()}
    return tuple(_fact_line(part, phrases, wording.cues) for part in text.split("; "))


def _fact_line(text: str, phrases: Mapping[str, Sequence[str]], cues: Mapping[str, Sequence[str]]) -> FactLine:
    further = [word for phrase, words in sorted(phrases.items()) if f" {phrase} " in text for word in words]
    kinds = _KIND.findall(text)
    further += [word for kind in kinds for word in (kind, *cues.get(kind, ()))]
    bare = _KIND.sub("", text)
    names = frozenset(stem(word.text) for word in words_of(bare) if word.is_name_like and not word.is_stop)
    return FactLine(names, _stems(bare) | _stems(" ".join(further)))


def read_sentences(sentences: Sequence[Sentence], lines: Sequence[FactLine]) -> tuple[Reading, ...]:
    """Read each sentence, once with its headings and once with the facts all of whose names it holds."""
    return tuple(_read(sentence, lines) for sentence in sentences)


def _read(sentence: Sentence, lines: Sequence[FactLine]) -> Reading:
    words = words_of(sentence.text)
    own = {stem(word.text) for word in words if not word.is_stop}
    taken = " ".join(sentence.headings)
    if any(word.folded in _PRONOUNS for word in words):
        taken = f"{taken}\n{sentence.before}"
    own_names = names_in(sentence.text)
    names = own_names | _names(taken, words_of(taken), 0)
    stems = frozenset[str]().union(*names)
    own_stems = frozenset[str]().union(*own_names)
    credits = dict.fromkeys(_stems(taken), INHERITED)
    stated = [line for line in lines if len(line.names) > 1 and line.names <= stems and line.names & own_stems]
    for line in stated:
        credits.update(dict.fromkeys(line.stems, INHERITED))
    credits.update(dict.fromkeys(own, 1.0))
    number = any(any(c.isdigit() for c in word.text) or word.folded in _NUMBER_WORDS for word in words)
    return Reading(sentence, credits, names, own_stems, number, bool(stated))


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word.text) for word in words_of(text) if not word.is_stop)


def names_in(text: str) -> frozenset[Name]:
    """The names of a sentence: neighbouring words written as names are one.

    A sentence begins with a capital letter whatever its first word is, so that word counts only with a second mark of a name.
    """
    words = words_of(text)
    first = words[0] if words else None
    marked = first is not None and (any(c.isupper() or c.isdigit() for c in first.text[1:]) or _goes_on_as_name(words))
    return _names(text, words, 0 if marked else 1)


def _goes_on_as_name(words: Sequence[Word]) -> bool:
    return len(words) > 1 and (words[1].is_name_like or words[1].folded in _BEING)


def _names(text: str, words: Sequence[Word], start: int) -> frozenset[Name]:
    """Runs of words written as names, nothing but a space or a hyphen between them."""
    runs: list[list[Word]] = []
    for word in words[start:]:
        if not word.is_name_like or (word.is_stop and not word.text.isupper()):
            continue
        if runs and not text[runs[-1][-1].end : word.start].strip(" -"):
            runs[-1].append(word)
        else:
            runs.append([word])
    return frozenset(frozenset(stem(word.text) for word in run) for run in runs)


def shared_parts(readings: Sequence[Reading]) -> frozenset[Name]:
    """Names that are part of more than one longer name, as "Incident" is of each numbered one: they tie nothing to those."""
    names = {name for reading in readings for name in reading.names}
    return frozenset(name for name in names if sum(1 for other in names if name < other) > 1)


def tied(one: frozenset[Name], other: frozenset[Name], shared: frozenset[Name]) -> bool:
    """Whether two sets of names share one: equal, or one part of the other, as Adair is of Juno Adair.

    Names that share a word and differ in another are two names: Incident 2058 and Incident 2067.

    Args:
        shared: Parts that do not say of which name, see `shared_parts`.
    """
    return any(a == b or (a < b and a not in shared) or (b < a and b not in shared) for a in one for b in other)


def read_question(question: str, readings: Sequence[Reading]) -> Wanted:
    """Weigh the question's words: rare among the sentences weighs more, a name weighs double.

    A word written small in the question is a name where the passages write it as one.
    """
    words = words_of(question)
    seen = Counter(found for reading in readings for found in reading.stems)
    written = {found for reading in readings for found in reading.own_names}
    spelled = {word.folded for reading in readings for word in words_of(reading.sentence.text) if word.is_name_like}
    content = [word for word in words if not word.is_stop] or list(words)
    names = {
        stem(w.text)
        for i, w in enumerate(words)
        if not w.is_stop and ((i > 0 and w.is_name_like) or (stem(w.text) in written and w.folded in spelled))
    }
    weights = {
        found: _rarity(seen[found], len(readings)) * (NAME_WEIGHT if found in names else 1.0)
        for found in dict.fromkeys(stem(word.text) for word in content)
    }
    folded = [word.folded for word in words]
    after_how = {second for first, second in pairwise(folded) if first == "how"}
    names &= weights.keys()
    asked = frozenset(_asked_kinds(words)) - names
    weights.update({found: weights[found] * ASKED_WEIGHT for found in asked})
    return Wanted(
        weights=weights,
        names=frozenset(names),
        asked=asked,
        required=frozenset(_asked_attributes(words)) - names,
        person=not _WHO.isdisjoint(folded),
        number="when" in folded or bool(after_how & _MEASURES) or bool(set(folded) & _TIMES),
        place="where" in folded,
    )


def _asked_kinds(words: Sequence[Word]) -> Iterator[str]:
    """The word after "which" or "what": of "which river flows", river; with "kind of" between, the word after that too.

    After "what" stands a kind only where a helping verb follows soon: "what alloy was used", but not "what caused it".
    """
    for place, word in enumerate(words):
        following = [w for w in words[place + 1 : place + 5] if w.folded not in {"of", "the", "a", "an"}]
        if word.folded == "which" or (word.folded == "what" and any(w.folded in _HELPING for w in following[1:3])):
            count = 2 if following and following[0].folded in _KINDS else 1
            yield from (stem(w.text) for w in following[:count] if not w.is_stop)


def _asked_attributes(words: Sequence[Word]) -> Iterator[str]:
    """The word after "what is the": of "what is the capital of", capital; superlatives and other describing words stay with it."""
    for first, second, *others in zip(words, words[1:], words[2:], words[3:], strict=False):
        if first.folded in {"what", "who"} and second.folded in _BEING and others[0].folded in {"the", "a", "an"} and not others[1].is_stop:
            yield stem(others[1].text)


def _rarity(seen: int, of: int) -> float:
    return math.log(1.0 + (of + 1.0) / (seen + 1.0))
