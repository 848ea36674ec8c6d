"""Names in a passage: capitalised words that stand for things, and what their surroundings say of their class."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from graphrag_assets.extractions.offline.passages import Block
from graphrag_assets.extractions.ontology import Ontology, OntologyClass

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_NO_NAMES: Final = frozenset({"DATE", "TIME", "MONEY", "PERCENT", "CARDINAL", "ORDINAL", "QUANTITY", "LANGUAGE"})
_CUE_VOTES: Final = 5
# From here on a class is certain: no part in a fact changes it.
CERTAIN_VOTES: Final = 5
_PATTERN_VOTES: Final = 12
_LABEL_VOTES: Final = 2
_MONTHS: Final = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS_AND_DAYS: Final = frozenset((*_MONTHS, *_DAYS, "utc", "gmt", "i"))


@dataclass(frozen=True, slots=True)
class NameSpan:
    """One place of a name: block number, and characters within the block."""

    block: int
    start: int
    end: int
    name: str


@dataclass(slots=True)
class Names:
    """All names of a passage, their places, and the votes for their classes (``order``: the ontology's, for ties)."""

    order: tuple[str, ...] = ()
    spans: list[NameSpan] = field(default_factory=list[NameSpan])
    votes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict[str, Counter[str]](Counter))

    def kind(self, name: str) -> str | None:
        """The class with most votes; ties by the ontology's order; None without any."""
        votes = +self.votes.get(name, Counter[str]())
        return min(votes, key=lambda kind: (-votes[kind], self.order.index(kind))) if votes else None

    def vote_for_title(self, title: str, ontology: Ontology, *, outermost: bool) -> None:
        """Votes for a name that stands only in a heading above the passage: its form, its class word; a page's own title, the default."""
        for kind in ontology.classes:
            if kind.pattern and re.fullmatch(kind.pattern, title):
                self.votes[title][kind.name] += _PATTERN_VOTES
            elif title.split()[-1].lower() in kind.cues:
                self.votes[title][kind.name] += _CUE_VOTES
        if not self.votes[title] and ontology.default_class and outermost and len(title.split()) == 1:
            self.votes[title][ontology.default_class] += 1


def find_names(blocks: Sequence[Block], docs: "Sequence[Doc]", titles: Iterable[str], ontology: Ontology) -> Names:
    """Names of a passage.

    Args:
        blocks: Its blocks, parsed as ``docs``.
        titles: Headings above and in it; a title of capitalised words alone is a name too.
    """
    known = _seen_within_sentences(blocks, docs) | {title for title in titles if is_title_name(title)}
    names = Names(order=tuple(c.name for c in ontology.classes))
    for number, (block, doc) in enumerate(zip(blocks, docs, strict=True)):
        for start, end in _name_tokens(doc, known, whole=block.is_heading):
            span = _with_cue(doc, start, end, ontology)
            text = doc[span[0] : span[1]].text
            if span[1] - span[0] == 1 and _cue_class(doc[span[0]], ontology) is not None:
                continue  # "The Service" names nothing by itself
            names.spans.append(NameSpan(number, doc[span[0]].idx, doc[span[0]].idx + len(text), text))
            for kind, votes in _votes(doc, span, ontology):
                names.votes[text][kind] += votes
    _patterns(blocks, names, ontology)
    _defaults(names, blocks, docs, ontology)
    return names


def _defaults(names: Names, blocks: Sequence[Block], docs: "Sequence[Doc]", ontology: Ontology) -> None:
    """A weak vote for the default class, for names that keep their capital inside a sentence or are the page's title."""
    inner = _seen_within_sentences(blocks, docs)
    for span in names.spans if ontology.default_class else ():
        words = span.name.split()
        known_of = max(names.votes[span.name].values(), default=0) > (1 if len(words) == 1 else 0)
        if not known_of and words[0] in inner and not any(word[:1].islower() for word in words):
            names.votes[span.name][ontology.default_class or ""] |= 1


def _is_capital(token: "Token") -> bool:
    return token.text[:1].isupper() and token.lower_ not in _MONTHS_AND_DAYS and token.ent_type_ not in _NO_NAMES


def opens_sentence(token: "Token") -> bool:
    """Whether nothing but spaces, marks and quotes stands before a token in its sentence."""
    return all(before.is_space or before.is_punct for before in token.doc[token.sent.start : token.i])


def _seen_within_sentences(blocks: "Sequence[Block]", docs: "Sequence[Doc]") -> set[str]:
    """Capitalised words that stand inside a sentence, where only names have a capital; headings and tables are none."""
    prose = [doc for block, doc in zip(blocks, docs, strict=True) if block.is_prose]
    return {token.text for doc in prose for token in doc if not opens_sentence(token) and _is_capital(token) and token.is_alpha}


def is_title_name(title: str) -> bool:
    """Whether a heading reads like a name: at most four words, each with a capital."""
    words = title.split()
    return 0 < len(words) <= 4 and words[0][:1].isupper() and all(word[:1].isupper() or word.isdigit() for word in words)


def is_class_word(title: str, ontology: Ontology) -> bool:
    """Whether a heading of one word names a class and nothing by itself: "Services"."""
    word = title.strip().lower()
    return any(word in (cue, f"{cue}s") for kind in ontology.classes for cue in kind.cues)


def _name_tokens(doc: "Doc", known: set[str], *, whole: bool) -> list[tuple[int, int]]:
    """Token ranges of names: runs of capitalised words, numbers and hyphens after one included."""
    if whole and is_title_name(doc.text.strip()):
        inner = [token.i for token in doc if not token.is_space]
        return [(inner[0], inner[-1] + 1)]
    found: list[tuple[int, int]] = []
    position = 0
    while position < len(doc):
        if not _starts_name(doc[position], known):
            position += 1
            continue
        end = position + 1
        while end < len(doc) and _continues_name(doc, position, end):
            end += 1
        found.append((position, end))
        position = end
    return found


def _starts_name(token: "Token", known: set[str]) -> bool:
    if not _is_capital(token) or token.is_punct or token.pos_ in ("PRON", "DET", "ADP", "CCONJ", "SCONJ"):
        return False
    if token.ent_type_ == "NORP" and token.pos_ == "ADJ":
        return False
    return not opens_sentence(token) or token.text in known or token.pos_ == "PROPN" or _acts_as_name(token)


def _acts_as_name(token: "Token") -> bool:
    """A bare word that opens a sentence and is its subject: followed by a verb in the third person, or ", which"."""
    rest = token.doc[token.i + 1 : token.i + 3]
    if token.pos_ not in ("NOUN", "VERB", "ADJ", "X") or len(rest) < 2 or token.tag_ == "NNS":
        return False
    return rest[0].tag_ in ("VBZ", "VBD", "MD") or (rest[0].text == "," and rest[1].lower_ in ("which", "who", "whose", "a", "an", "the"))


def _continues_name(doc: "Doc", start: int, end: int) -> bool:
    token = doc[end]
    if opens_sentence(token) or token.is_space:
        return False
    if token.text == "-" and end + 1 < len(doc):
        return not doc[end - 1].whitespace_ and not token.whitespace_
    return _is_capital(token) or (token.like_num and end == start + 1 and token.text.isdigit()) or doc[end - 1].text == "-"


def _with_cue(doc: "Doc", start: int, end: int, ontology: Ontology) -> tuple[int, int]:
    """The range, with the class word behind it where that belongs to names of the class ("the Dock team")."""
    kind = _cue_class(doc[end], ontology) if end < len(doc) else None
    return (start, end + 1) if kind is not None and kind.name_with_cue and doc[end].text.islower() else (start, end)


def _cue_class(token: "Token", ontology: Ontology) -> OntologyClass | None:
    return next((c for c in ontology.classes if token.lemma_.lower() in c.cues or token.lower_ in c.cues), None)


def _votes(doc: "Doc", span: tuple[int, int], ontology: Ontology) -> list[tuple[str, int]]:
    start, end = span
    last = doc[end - 1]
    near = [last, *([doc[end]] if end < len(doc) else []), *_described_by(doc, span)]
    votes = [(kind.name, _CUE_VOTES) for token in near if (kind := _cue_class(token, ontology)) is not None]
    labels = {token.ent_type_ for token in doc[start:end]}
    # The recogniser takes most unknown names for places: it is believed of a place only behind a preposition of place.
    before = doc[start - 1].lower_ if start else ""
    labels -= set() if before in ("in", "at", "from", "near", "outside") else {"GPE", "LOC", "FAC"}
    # A single word is called a person far too readily.
    weight = 1 if labels == {"PERSON"} and end - start == 1 else _LABEL_VOTES
    votes += [(c.name, weight) for c in ontology.classes if labels & set(c.labels)]
    if _like_a_person(doc, span):
        votes += [(c.name, 1) for c in ontology.classes if "PERSON" in c.labels]
    return votes


def _like_a_person(doc: "Doc", span: tuple[int, int]) -> bool:
    """Two capitalised words with no article before them."""
    start, end = span
    article = start > 0 and doc[start - 1].lower_ in ("the", "a", "an", "our")
    return end - start == 2 and not article and all(token.is_alpha and token.is_title for token in doc[start:end])


def _described_by(doc: "Doc", span: tuple[int, int]) -> "list[Token]":
    """Nouns that say what a name is: "X is the booking service", "X, a small queue,", "the vendor X"."""
    tokens = doc[span[0] : span[1]]
    root = tokens.root
    found = [child for child in root.children if child.dep_ == "appos" and child.i not in range(*span)]
    if root.dep_ in ("nsubj", "nsubjpass") and root.head.lemma_ == "be":
        found += [child for child in root.head.children if child.dep_ == "attr"]
    if root.dep_ == "appos":
        found.append(root.head)
    before = doc[span[0] - 1] if span[0] else None
    if before is not None and before.pos_ == "NOUN" and not opens_sentence(before):
        found.append(before)
    return found


def _patterns(blocks: Sequence[Block], names: Names, ontology: Ontology) -> None:
    """Names that a class knows by their form replace whatever was found in their place."""
    for kind in ontology.classes:
        for number, block in enumerate(blocks) if kind.pattern else ():
            for match in re.finditer(kind.pattern or "", block.text):
                spans = [s for s in names.spans if s.block == number and s.start < match.end() and match.start() < s.end]
                names.spans = [s for s in names.spans if s not in spans]
                names.spans.append(NameSpan(number, match.start(), match.end(), match.group()))
                names.votes[match.group()][kind.name] += _PATTERN_VOTES
    names.spans.sort(key=lambda span: (span.block, span.start))
