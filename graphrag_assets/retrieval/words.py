"""Words of a question: where they stand, which of them carry meaning, and the light stem under which two forms meet.

Everything here is a rule over characters; nothing is learnt and nothing is looked up in a corpus.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final


def listed(text: str) -> frozenset[str]:
    """The words of a list that is written as text."""
    return frozenset(text.split())


STOP_WORDS: Final = listed(
    """
    a about above after again all also am an and any anybody anyone anything are aren't as at be because been before being
    below between both but by can can't could couldn't did didn't directly do does doesn't doing don't down during each
    either else ever every exactly few for from further had has hasn't have haven't having he her here hers herself him
    himself his how i if in into is isn't it its itself just let's many me more most much my myself neither no nor not now
    of off often on once one only onto or other our ours ourselves out over per please same shall she should
    so some somebody someone something such than that the their theirs them themselves then there these they this those
    through to together too toward towards under until up upon us very was wasn't we were weren't what when where whether
    which while who whom whose why will with within without won't would wouldn't yet you your yours yourself tell name
    give show say says said get gets got
    """
)

_IRREGULAR: Final = {
    form: verb
    for verb, forms in {
        "lead": "led",
        "run": "ran",
        "hold": "held",
        "build": "built",
        "write": "wrote written",
        "make": "made",
        "sell": "sold",
        "buy": "bought",
        "sit": "sat",
        "stand": "stood",
        "keep": "kept",
        "begin": "began begun",
        "become": "became",
        "bring": "brought",
        "catch": "caught",
        "choose": "chose chosen",
        "come": "came",
        "give": "gave given",
        "go": "went gone",
        "grow": "grew grown",
        "know": "knew known",
        "leave": "left",
        "lose": "lost",
        "meet": "met",
        "pay": "paid",
        "see": "saw seen",
        "send": "sent",
        "speak": "spoke spoken",
        "take": "took taken",
        "teach": "taught",
        "think": "thought",
        "win": "won",
        "break": "broke broken",
        "fall": "fell fallen",
        "draw": "drew drawn",
        "drive": "drove driven",
        "fly": "flew flown",
        "feed": "fed",
        "fight": "fought",
        "spend": "spent",
        "wear": "wore worn",
        "steal": "stole stolen",
        "hide": "hid hidden",
        "person": "people",
        "child": "children",
        "woman": "women",
        "man": "men",
    }.items()
    for form in forms.split()
}

# Names of things come again with every question; a stem takes 2 microseconds to find and a twentieth of that to remember.
STEMS_REMEMBERED: Final = 16_384
_WORD: Final = re.compile(r"[^\W_]+(?:[.'’&_-][^\W_]+)*[+#]*")
_ENDING: Final = re.compile(r"[,;:?!)\]}\"”»]")
_POSSESSIVE: Final = re.compile(r"(?:['’]s|(?<=s)['’])$", re.IGNORECASE)
_VOWELS: Final = frozenset("aeiouy")
# Each list longest first; an ending goes only while three letters with a vowel stay.
_INFLECTIONS: Final = ("ings", "ing", "ed", "es", "s")
_DERIVATIONS: Final = ("ership", "ment", "ence", "ency", "ent", "ion", "er", "or", "al")


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it stands in a text, by character offsets. ``closes`` says that a mark after it ends a phrase."""

    text: str
    start: int
    end: int
    closes: bool

    @property
    def folded(self) -> str:
        """Case-folded, without a possessive ending."""
        return _folded(self.text)

    @property
    def is_stop(self) -> bool:
        """Whether it carries no meaning of its own."""
        return self.folded in STOP_WORDS

    @property
    def is_name_like(self) -> bool:
        """Whether it is written as names are: a capital letter or a digit in it."""
        return any(c.isupper() or c.isdigit() for c in self.text)


def words_of(text: str) -> tuple[Word, ...]:
    """The words of a text in order, with inner dots, hyphens and apostrophes kept (``INC-2041``, ``St.John``)."""
    return tuple(Word(m.group(), m.start(), m.end(), _closes(text, m.end())) for m in _WORD.finditer(text))


def _closes(text: str, end: int) -> bool:
    """A full stop after one letter or two ("St. Ives") does not end a phrase, so full stops are not looked at."""
    rest = text[end : end + 2].lstrip("'’")
    return bool(rest) and _ENDING.match(rest) is not None


def _folded(word: str) -> str:
    plain = word.lower() if word.isascii() else unicodedata.normalize("NFKC", word).casefold().replace("’", "'")
    return _POSSESSIVE.sub("", plain) if "'" in plain else plain


@lru_cache(maxsize=STEMS_REMEMBERED)
def stem(word: str) -> str:
    """A light stem: an inflection and up to two endings of nouns less, so that ``owns``, ``owner`` and ``ownership`` meet.

    Not a linguist's stem: it needs only to be the same for forms of one word.
    """
    folded = _folded(word)
    folded = _IRREGULAR.get(folded, folded)
    if not folded.isalpha() or len(folded) < 4:
        return folded
    bare = folded[:-3] + "y" if folded.endswith(("ies", "ied")) else _shorn(folded, _INFLECTIONS)
    bare = _shorn(_shorn(_IRREGULAR.get(bare, _single_end(bare)), _DERIVATIONS), _DERIVATIONS)
    return _IRREGULAR.get(bare, _single_end(bare).removesuffix("e") if len(bare) > 3 else bare)


def _shorn(word: str, endings: tuple[str, ...]) -> str:
    if word.endswith(("ss", "us", "is")):
        return word
    for ending in endings:
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= 3 and not _VOWELS.isdisjoint(rest):
            return rest
    return word


def _single_end(word: str) -> str:
    """The doubled consonant before an ending goes (``planned``, ``plan``)."""
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeioulsz" else word


def content_stems(text: str) -> tuple[str, ...]:
    """Stems of the words that carry meaning, each once, in order of appearance."""
    return tuple(dict.fromkeys(stem(word.text) for word in words_of(text) if not word.is_stop))
