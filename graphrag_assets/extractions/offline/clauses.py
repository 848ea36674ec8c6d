"""What verbs and nouns of a sentence say about its names: plain statements "agent, phrase, patient".

Statements that are denied, conditional, wished for or over are left out here: they state no fact.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_SUBJECTS: Final = ("nsubj", "nsubjpass")
_UNREAL_MODALS: Final = frozenset({"would", "could", "might", "may", "should", "'d", "can", "must", "will", "shall"})
_UNREAL_VERBS: Final = frozenset(
    "plan want hope consider intend propose refuse stop cease avoid try fail decline suggest discuss debate wish expect".split()  # noqa: SIM905
)
_OVER: Final = frozenset(
    {"formerly", "previously", "once", "until", "originally", "nearly", "almost", "never", "longer", "rarely", "hardly"}
)
_UNREAL_MARKS: Final = frozenset({"if", "unless", "whether", "until", "before", "though"})


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement about two tokens. ``is_past`` when the verb says it of the past alone."""

    agent: "Token"
    phrase: str
    patient: "Token"
    is_past: bool = False


def statements_of(doc: "Doc") -> Iterator[Statement]:
    """Statements of a parsed text, in order."""
    for token in doc:
        if token.pos_ in ("VERB", "AUX") and token.dep_ not in ("aux", "auxpass"):
            yield from _of_verb(token)
        if token.pos_ in ("NOUN", "PROPN"):
            yield from _of_noun(token)
            yield from _of_misread_verb(token)


def _of_verb(verb: "Token") -> Iterator[Statement]:
    if not is_stated(verb):
        return
    subjects = list(_spread(_subjects(verb)))
    past = _is_past(verb)
    for phrase, patient, inverted in _objects(verb):
        for subject in subjects:
            for other in _spread([patient]):
                if subject.i != other.i:
                    agent, target = (other, subject) if inverted else (subject, other)
                    yield Statement(agent, phrase, target, past)


def _of_misread_verb(noun: "Token") -> Iterator[Statement]:
    """A verb that the parser took for a plural: "the team, which Ann heads"."""
    if noun.dep_ == "relcl" and noun.tag_ == "NNS" and any(child.tag_ in ("WDT", "WP") for child in noun.children):
        for child in noun.children:
            if child.dep_ == "compound":
                yield Statement(child, noun.lemma_.lower(), noun.head)


def is_stated(verb: "Token") -> bool:
    """Whether a verb is asserted: no negation, modal, condition, plan or "no longer" on it or above it."""
    seen: set[int] = set()
    word = verb
    while word.i not in seen:
        seen.add(word.i)
        for child in word.children:
            if child.dep_ == "neg" or (child.dep_ == "aux" and child.lower_ in _UNREAL_MODALS):
                return False
            if child.dep_ in ("advmod", "mark", "prep") and child.lower_ in (_OVER | _UNREAL_MARKS) and child.i != word.i:
                return False
        if word.dep_ in ("xcomp", "ccomp", "conj", "advcl") and word.head.i != word.i:
            if word.dep_ == "xcomp" and word.head.lemma_ in _UNREAL_VERBS:
                return False
            if word.dep_ == "conj" and any(child.dep_ in _SUBJECTS for child in word.children):
                break
            if word.dep_ in ("advcl", "ccomp"):
                break
            word = word.head
    return True


def _is_past(verb: "Token") -> bool:
    auxiliaries = [child for child in verb.children if child.dep_ in ("aux", "auxpass")]
    if auxiliaries:
        return any(child.tag_ == "VBD" for child in auxiliaries)
    if verb.dep_ == "conj" and verb.tag_ == "VBN":
        return _is_past(verb.head)
    return verb.tag_ == "VBD"


def _subjects(verb: "Token") -> "list[Token]":
    own = [child for child in verb.children if child.dep_ in _SUBJECTS]
    if own:
        return [_antecedent(child, verb) for child in own]
    if verb.dep_ in ("relcl", "acl") and verb.head.pos_ in ("NOUN", "PROPN", "PRON"):
        return [verb.head]
    if verb.dep_ in ("conj", "xcomp", "advcl") and verb.head.i != verb.i:
        return _subjects(verb.head)
    return []


def _antecedent(token: "Token", verb: "Token") -> "Token":
    """What a relative pronoun stands for."""
    return verb.head if token.tag_ in ("WDT", "WP") and verb.dep_ == "relcl" else token


def _is_passive(verb: "Token") -> bool:
    return any(child.dep_ in ("auxpass", "nsubjpass") for child in verb.children) or (
        verb.tag_ == "VBN" and (verb.dep_ == "acl" or (verb.dep_ == "conj" and _is_passive(verb.head)))
    )


def _objects(verb: "Token") -> "Iterator[tuple[str, Token, bool]]":
    """Phrase, patient, and whether agent and patient change places, for everything a verb is said with."""
    lemma = verb.lemma_.lower()
    particle = next((f" {child.lower_}" for child in verb.children if child.dep_ == "prt" or _is_stranded(child)), "")
    passive = _is_passive(verb)
    for child in verb.children:
        if child.dep_ in ("dobj", "dative") and not passive:
            yield f"{lemma}{particle}", _antecedent(child, verb), False
            yield from ((f"{lemma} {child.lower_} {p}", o, False) for p, o in _prepositional(child))
        elif child.dep_ == "agent":
            yield from ((f"{lemma}{particle}", o, True) for o in _pobjs(child))
        elif child.dep_ in ("attr", "acomp") and lemma == "be":
            yield from ((f"be {child.lower_} {p}", o, False) for p, o in _prepositional(child))
        elif child.dep_ == "oprd":
            yield f"{lemma} as", child, False
    for preposition, patient in _prepositional(verb):
        if passive:
            yield f"be {verb.lower_} {preposition}", patient, False
        yield f"{lemma}{particle} {preposition}", patient, False
    if verb.dep_ == "relcl" and not passive and _lacks_object(verb):
        yield f"{lemma}{particle}", verb.head, False


def _is_stranded(child: "Token") -> bool:
    """A preposition that governs nothing belongs to its verb: "is looked after by"."""
    return child.dep_ == "prep" and not any(True for _ in child.children)


def _lacks_object(verb: "Token") -> bool:
    """A relative clause with a subject of its own and no object speaks of what it hangs on: "the queue the team owns"."""
    has_subject = any(child.dep_ == "nsubj" and child.tag_ not in ("WDT", "WP") for child in verb.children)
    return has_subject and not any(child.dep_ == "dobj" for child in verb.children)


def _prepositional(word: "Token") -> "Iterator[tuple[str, Token]]":
    """Prepositions of a word with what they govern; "in charge of" counts as one, "back to" as "back to"."""
    for child in word.children:
        if child.dep_ in ("prep", "dative") and child.pos_ in ("ADP", "SCONJ"):
            for noun in _pobjs(child):
                # "a vendor on which it depends": the vendor.
                yield child.lower_, _antecedent(noun, word)
                yield from ((f"{child.lower_} {noun.lower_} {p}", o) for p, o in _prepositional(noun) if noun.pos_ == "NOUN")
        elif child.dep_ == "advmod":
            yield from ((f"{child.lower_} {p}", o) for p, o in _prepositional(child))


def _pobjs(preposition: "Token") -> "list[Token]":
    return [child for child in preposition.children if child.dep_ == "pobj"]


def _of_noun(noun: "Token") -> Iterator[Statement]:
    """Statements like "X's NOUN is Y" or "Y, NOUN of X": agent X, phrase "NOUN of", patient Y."""
    owners = [child for child in noun.children if child.dep_ == "poss"]
    owners += [o for p, o in _prepositional(noun) if p in ("of", "for", "behind")]
    others = [child for child in noun.children if child.dep_ == "appos"]
    if noun.dep_ == "appos":
        others.append(noun.head)
    past = False
    if noun.dep_ == "nsubj" and noun.head.lemma_ == "be" and is_stated(noun.head):
        others += [child for child in noun.head.children if child.dep_ == "attr"]
        past = _is_past(noun.head)
    elif noun.dep_ == "attr" and noun.head.lemma_ == "be" and is_stated(noun.head):
        others += _subjects(noun.head)
        past = _is_past(noun.head)
    for owner in _spread(owners):
        for other in _spread(others):
            if owner.i != other.i:
                yield Statement(owner, f"{noun.lemma_.lower()} of", other, past)


def _spread(tokens: "Iterable[Token]") -> "Iterator[Token]":
    """Tokens with all that is joined to them by "and" or stands in apposition."""
    for token in tokens:
        yield token
        yield from _spread(child for child in token.children if child.dep_ in ("conj", "appos") and child.pos_ in ("NOUN", "PROPN", "PRON"))
