"""Sentences of a passage, each an unbroken stretch of it, with the headings it stands under. Pure.

Headings are no sentences: they say nothing by themselves, but what they name holds for the lines below them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_HEADING: Final = re.compile(r"\s{0,3}#{1,6}\s+(.*?)\s*#*\s*\Z")
_ITEM: Final = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_ROW: Final = re.compile(r"\s*\|")
_FENCE_LINE: Final = re.compile(r"\s*(?:```|~~~)")
_RULE: Final = re.compile(r"[\s|:=*_-]*\Z")
_END: Final = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s+[\"'“‘«(\[]*[^\W_a-z])")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|Mt|No|Nos|Fig|vs|Jr|Sr|Inc|Ltd|Co|Corp|e\.g|i\.e|etc|cf|approx|ca)|\b[A-Z])\.\Z"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A stretch of a passage.

    Args:
        passage: Which passage, counted from 0.
        text: Exactly as it stands there, without outer whitespace.
        headings: What it stands under, the passage's own heading first.
        before: The sentence before it in the same block; empty at a block's start.
    """

    passage: int
    text: str
    headings: tuple[str, ...]
    before: str = ""


def sentences_of(passage: int, text: str, heading: str) -> tuple[Sentence, ...]:
    """The sentences of one passage in order."""
    own = (heading,) if heading else ()
    found: list[Sentence] = []
    under: tuple[str, ...] = own
    for block in _blocks(text):
        title = _HEADING.match(block)
        if title is not None:
            under = (*own, title.group(1))
            continue
        before = ""
        for sentence in _split(block):
            found.append(Sentence(passage, sentence, under, before))
            before = sentence
    return tuple(found)


def _blocks(text: str) -> Iterator[str]:
    """Headings, list items and table rows alone, other lines of a paragraph together; rules and fence marks left out."""
    gathered: list[str] = []
    for line in text.splitlines(keepends=True):
        alone = _HEADING.match(line) or _ROW.match(line)
        if not line.strip() or alone or _ITEM.match(line) or _FENCE_LINE.match(line):
            yield from _joined(gathered)
            gathered = []
        if alone and not _RULE.match(line):
            yield line
        elif line.strip() and not alone and not _FENCE_LINE.match(line) and not _RULE.match(line):
            gathered.append(line)
    yield from _joined(gathered)


def _joined(lines: list[str]) -> Iterator[str]:
    if lines:
        yield "".join(lines)


def _split(block: str) -> Iterator[str]:
    item = _ITEM.match(block)
    start = item.end() if item is not None else 0
    for end in _END.finditer(block, start):
        if not _ABBREVIATION.search(block[start : end.end()]):
            yield from _shown(block[start : end.end()])
            start = end.end()
    yield from _shown(block[start:])


def _shown(text: str) -> Iterator[str]:
    stripped = text.strip()
    if any(c.isalnum() for c in stripped):
        yield stripped
