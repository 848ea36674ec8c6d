"""Which things a question names: stretches of its words matched to names and aliases, else to the nearest thing.

Pure. The method is that of entity linking without a model: stretches of one to four words that neither start nor end
in a word without meaning. Two rules keep noise out: words inside a matched name link nothing else ("Routes" within
"Routes team"), and a stretch that only says a class ("team") is no name of the nearest team.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from graphrag_assets.model.limits import Limit
from graphrag_assets.model.names import compared_name
from graphrag_assets.retrieval.words import Word, stem, words_of

MAX_SPAN_WORDS: Final = 4
MAX_SPANS: Final = 160
_ARTICLE: Final = re.compile(r"(?:the|a|an) (?=\S)")
_CAMEL: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True, slots=True)
class QuestionSpan:
    """A stretch of a question: its text and the places of its first and last word."""

    text: str
    first: int
    last: int

    def overlaps(self, other: "QuestionSpan") -> bool:
        """Whether the two share a word."""
        return self.first <= other.last and other.first <= self.last


@dataclass(frozen=True, slots=True)
class QuestionSpans:
    """All stretches, in order of their place; ``limits`` says when there were more."""

    spans: tuple[QuestionSpan, ...]
    limits: tuple[Limit, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedThing:
    """A thing as linking sees it; placeholders never get this far."""

    thing_id: str
    kind: str
    name: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """A thing that a question names. ``score`` is 1 for a name or alias, else the cosine."""

    thing: NamedThing
    span: QuestionSpan
    score: float
    by: Literal["name", "vector"]


@dataclass(frozen=True, slots=True)
class NearThing:
    """A thing near a stretch's vector, with their cosine."""

    thing: NamedThing
    cosine: float


def question_spans(question: str) -> QuestionSpans:
    """Stretches of one to four words, none across a mark that ends a phrase, none at whose ends stands a stop word."""
    words = words_of(question)
    found = [
        _span(question, words, first, last)
        for first in range(len(words))
        for last in range(first, min(first + MAX_SPAN_WORDS, len(words)))
        if _may_name(words, first) and _may_name(words, last) and not any(word.closes for word in words[first:last])
    ]
    limits = (Limit("question-spans", MAX_SPANS),) if len(found) > MAX_SPANS else ()
    return QuestionSpans(tuple(found[:MAX_SPANS]), limits)


def _span(question: str, words: Sequence[Word], first: int, last: int) -> QuestionSpan:
    tail = words[last]
    text = question[words[first].start : tail.end]
    shown = re.sub(r"(?:['’]s|(?<=s)['’])$", "", text, flags=re.IGNORECASE)
    return QuestionSpan(shown, first, last)


def _may_name(words: Sequence[Word], place: int) -> bool:
    """A stop word may be part of a name where a capital letter says so ("The Hague"), except at the start of the question."""
    word = words[place]
    return not word.is_stop or (place > 0 and word.text[0].isupper())


def link_names(spans: Sequence[QuestionSpan], things: Iterable[NamedThing]) -> tuple[Link, ...]:
    """Things one of whose names equals a stretch as names are compared; the longest stretch wins its words.

    Things of one name are all kept: a place and a vendor called Calder are two links of one stretch.
    """
    by_name: dict[str, dict[str, NamedThing]] = {}
    for thing in things:
        for name in (thing.name, *thing.aliases):
            for key in _compared(name):
                by_name.setdefault(key, {})[thing.thing_id] = thing
    links: list[Link] = []
    for span in sorted(spans, key=lambda s: (s.first - s.last, s.first)):
        named = {thing_id: thing for key in _compared(span.text) for thing_id, thing in by_name.get(key, {}).items()}
        if named and not any(span.overlaps(link.span) for link in links):
            links += [Link(named[thing_id], span, 1.0, "name") for thing_id in sorted(named)]
    return _best_per_thing(links)


def open_spans(spans: Sequence[QuestionSpan], links: Sequence[Link]) -> tuple[QuestionSpan, ...]:
    """The stretches that share no word with a linked one."""
    return tuple(span for span in spans if not any(span.overlaps(link.span) for link in links))


def link_nearest(near: Mapping[QuestionSpan, Sequence[NearThing]], threshold: float) -> tuple[Link, ...]:
    """The nearest thing of each stretch, from ``threshold`` up; things of one name as near as it are kept beside it."""
    links: list[Link] = []
    for span, candidates in near.items():
        ranked = sorted(candidates, key=lambda n: (-n.cosine, n.thing.thing_id))
        if not ranked or ranked[0].cosine < threshold or _says_class(span, ranked[0].thing.kind):
            continue
        best = compared_name(ranked[0].thing.name)
        same = [n for n in ranked if n.cosine >= threshold and compared_name(n.thing.name) == best]
        links += [Link(n.thing, span, n.cosine, "vector") for n in same]
    return _best_per_thing(links)


def _says_class(span: QuestionSpan, kind: str) -> bool:
    said = {stem(word.text) for word in words_of(span.text)}
    return said <= {stem(part) for part in class_words(kind)}


def class_words(kind: str) -> tuple[str, ...]:
    """The words of a class name: ``DataCentre`` gives ``data`` and ``centre``."""
    return tuple(part.lower() for part in _CAMEL.findall(kind))


def _compared(name: str) -> tuple[str, ...]:
    """The compared form, and the same without its article."""
    compared = compared_name(name)
    bare = _ARTICLE.sub("", compared, count=1) if _ARTICLE.match(compared) else compared
    return tuple(dict.fromkeys((compared, bare)))


def _best_per_thing(links: Sequence[Link]) -> tuple[Link, ...]:
    """The best stretch of each thing; best link first, ties by place and id."""
    ranked = sorted(links, key=lambda link: (-link.score, link.span.first - link.span.last, link.span.first, link.thing.thing_id))
    best: dict[str, Link] = {}
    for link in ranked:
        best.setdefault(link.thing.thing_id, link)
    return tuple(best.values())
