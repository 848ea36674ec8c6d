"""What verbs and nouns of a sentence say about its names: plain statements "agent, phrase, patient".

Statements that are denied, conditional, wished for or over are left out here: they state no fact.
"""

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_SUBJECTS: Final = ("nsubj", "nsubjpass")
_UNREAL_MODALS: Final = frozenset({"would", "could", "might", "may", "should", "'d", "can", "must", "will", "shall"})
# Verbs whose infinitive is not yet, no longer or not really so ("used to", "going to", "is supposed to").
_PLANNED: Final = "plan want hope consider intend propose wish expect suggest discuss debate go aim seek prepare promise offer threaten"
_UNREAL_VERBS: Final = frozenset((_PLANNED + " refuse stop cease avoid try fail decline use suppose mean pretend forbid").split())
# Verbs whose "that …" is not stated by the sentence.
_DOUBTING_VERBS: Final = frozenset("doubt deny suppose imagine assume pretend wish hope fear let refuse dispute disprove".split())  # noqa: SIM905
_OVER: Final = frozenset(
    {"formerly", "previously", "once", "until", "originally", "nearly", "almost", "never", "longer", "rarely", "hardly"}
)
_UNREAL_MARKS: Final = frozenset({"if", "unless", "whether", "until", "before", "though"})
_NEITHER: Final = frozenset({"neither", "either", "nor", "or"})
# "At no time", "in no way": the nouns that a "no" of the whole sentence stands before.
_NO_WAY: Final = frozenset({"time", "point", "moment", "way", "circumstance", "case", "account", "means"})
# Who is this is not, or not now, what the noun says: "the former lead", "the deputy lead".
_NOT_QUITE: Final = frozenset(
    "former ex previous past next future deputy assistant vice prospective possible alleged supposed no not".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement about two tokens. ``is_past`` when the verb says it of the past alone."""

    agent: "Token"
    phrase: str
    patient: "Token"
    is_past: bool = False


def statements_of(doc: "Doc") -> Iterator[Statement]:
    """Statements of a parsed text, in order; a question states nothing."""
    for token in (token for sentence in doc.sents if not _is_question(sentence) for token in sentence):
        if token.pos_ in ("VERB", "AUX") and token.dep_ not in ("aux", "auxpass"):
            yield from _of_verb(token)
        if token.pos_ in ("NOUN", "PROPN"):
            yield from _of_noun(token)
            yield from _of_misread_verb(token)


def _is_question(sentence: "Span") -> bool:
    marks = [token.text for token in sentence if token.is_punct and not token.is_quote]
    return marks[-1:] == ["?"]


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
    """Whether a verb is asserted: no negation, modal, condition, plan, doubt or "no longer" on it or above it."""
    seen: set[int] = set()
    word = verb
    while word.i not in seen:
        seen.add(word.i)
        if any(_unstates(child) for child in word.children):
            return False
        head = word.head
        if word.dep_ == "xcomp" and head.lemma_ in _UNREAL_VERBS:
            return False
        if word.dep_ == "ccomp" and (head.lemma_ in _DOUBTING_VERBS or _is_denied_before(word, head)):
            return False
        if word.dep_ not in ("xcomp", "conj") or (word.dep_ == "conj" and any(child.dep_ in _SUBJECTS for child in word.children)):
            break
        word = head
    return True


def _is_denied_before(word: "Token", head: "Token") -> bool:
    """Whether a "that …" hangs on a denial: "we never said that …". Before its verb it is a sentence of its own: "…, so it cannot"."""
    return head.i < word.i and any(child.dep_ == "neg" for child in head.children)


def _unstates(child: "Token") -> bool:
    """Whether a word takes back what its verb says."""
    word = child.lower_
    if child.dep_ == "neg" or (child.dep_ == "aux" and word in _UNREAL_MODALS) or (child.dep_ == "preconj" and word in _NEITHER):
        return True
    if child.dep_ == "prep" and any(noun.lemma_ in _NO_WAY and _has(noun, ("no",)) for noun in _pobjs(child)):
        return True
    return child.dep_ in ("advmod", "mark", "prep") and word in (_OVER | _UNREAL_MARKS)


def _has(token: "Token", words: "Container[str]") -> bool:
    return any(child.lower_ in words for child in token.children)


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
        elif child.dep_ == "agent" and not _is_denied(child):
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
        if child.dep_ in ("prep", "dative") and child.pos_ in ("ADP", "SCONJ") and not _is_denied(child):
            for noun in _pobjs(child):
                # "a vendor on which it depends": the vendor.
                yield child.lower_, _antecedent(noun, word)
                yield from ((f"{child.lower_} {noun.lower_} {p}", o) for p, o in _prepositional(noun) if noun.pos_ == "NOUN")
        elif child.dep_ == "advmod":
            yield from ((f"{child.lower_} {p}", o) for p, o in _prepositional(child))


def _is_denied(preposition: "Token") -> bool:
    """Whether a preposition is said not to hold: "not by the team", "neither by Ann nor by Bo"."""
    return any(child.dep_ == "neg" or (child.dep_ in ("cc", "preconj") and child.lower_ in _NEITHER) for child in preposition.children)


def _pobjs(preposition: "Token") -> "list[Token]":
    return [child for child in preposition.children if child.dep_ == "pobj"]


def _of_noun(noun: "Token") -> Iterator[Statement]:
    """Statements like "X's NOUN is Y" or "Y, NOUN of X": agent X, phrase "NOUN of", patient Y."""
    if _has(noun, _NOT_QUITE | _OVER):
        return
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
    """Tokens with all that is joined to them by "and" or stands in apposition; none of those that "or", "nor" or "not" rules out."""
    for token in tokens:
        if _is_ruled_out(token):
            continue
        yield token
        yield from _spread(child for child in token.children if child.dep_ in ("conj", "appos") and child.pos_ in ("NOUN", "PROPN", "PRON"))


def _is_ruled_out(token: "Token") -> bool:
    """Whether a name stands behind "not", or in a choice: "Ann or Bo" states nothing of either."""
    before = token.doc[token.left_edge.i - 1].lower_ if token.left_edge.i else ""
    return before == "not" or any(child.dep_ in ("cc", "preconj", "det") and child.lower_ in _NEITHER for child in token.children)
