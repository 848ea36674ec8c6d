"""Finding a quote in a chunk: whitespace runs, quotation marks, apostrophes, dashes and emphasis marks are forgiven.

At most two ``...`` elisions, in order; never fuzzy, never across chunks. What is found is always the stored bytes.
The rule is that of verified answers: the span of the stored text is the citation, not the words of the model.
"""

import re
from dataclasses import dataclass
from typing import Final

from graphrag_assets.model.limits import MAX_ELISIONS
from graphrag_assets.model.spans import ByteSpan

_DOUBLE: Final = "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u301d\u301e\uff02"
_SINGLE: Final = "\u2018\u2019\u201a\u201b\u2032\u2039\u203a\u02bc\uff07`\u00b4"
_DASH: Final = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_FOLDS: Final = {**dict.fromkeys(_DOUBLE, '"'), **dict.fromkeys(_SINGLE, "'"), **dict.fromkeys(_DASH, "-")}
_EMPHASIS: Final = frozenset("_*")
_INVISIBLE: Final = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")
_ELISION: Final = re.compile(r"\s*(?:\[?\.\.\.\]?|\[?\u2026\]?)\s*")


@dataclass(frozen=True, slots=True)
class _Folded:
    """Text as compared, and for each of its characters the byte range of the original it stands for."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]


def _fold(text: str) -> _Folded:
    characters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    offset = 0
    for character in text:
        size = len(character.encode())
        folded = " " if character.isspace() else _FOLDS.get(character, character)
        if character in _EMPHASIS or character in _INVISIBLE:
            pass
        elif folded == " " and characters and characters[-1] == " ":
            ends[-1] = offset + size
        else:
            characters.append(folded)
            starts.append(offset)
            ends.append(offset + size)
        offset += size
    return _Folded("".join(characters), tuple(starts), tuple(ends))


def _whole(quote: str) -> tuple[str, ...]:
    whole = _fold(quote.strip()).text.strip()
    return (whole,) if whole else ()


def _pieces(quote: str) -> tuple[str, ...]:
    pieces = (_fold(piece).text.strip() for piece in _ELISION.split(quote.strip()))
    return tuple(piece for piece in pieces if piece)


def locate_quote(chunk_text: str, quote: str) -> ByteSpan | None:
    """The byte span of ``quote`` within ``chunk_text`` (offsets of the chunk), or None when it is not there.

    Args:
        chunk_text: The stored text of one chunk.
        quote: What a model says stands there.
    """
    folded = _fold(chunk_text)
    stripped = _without_outer_marks(quote)
    # The whole first: dots that stand in the text itself are no elisions.
    for pieces in (_whole(quote), _pieces(quote), _whole(stripped), _pieces(stripped)):
        found = _locate(folded, pieces)
        if found is not None:
            return found
    return None


def _without_outer_marks(quote: str) -> str:
    """A model that puts marks of its own around the words still quotes the words."""
    stripped = quote.strip()
    if len(stripped) > 1 and _FOLDS.get(stripped[0], stripped[0]) in "\"'" and _FOLDS.get(stripped[-1], stripped[-1]) in "\"'":
        return stripped[1:-1]
    return stripped


def _locate(folded: _Folded, pieces: tuple[str, ...]) -> ByteSpan | None:
    if not pieces or len(pieces) > MAX_ELISIONS + 1 or not any(c.isalnum() for piece in pieces for c in piece):
        return None
    first = folded.text.find(pieces[0])
    while first >= 0:
        end = _follow(folded.text, pieces, first)
        if end is not None:
            return ByteSpan(folded.starts[first], folded.ends[end - 1])
        first = folded.text.find(pieces[0], first + 1)
    return None


def _follow(text: str, pieces: tuple[str, ...], first: int) -> int | None:
    position = first + len(pieces[0])
    for piece in pieces[1:]:
        found = text.find(piece, position)
        if found < 0:
            return None
        position = found + len(piece)
    return position
