"""Lines of a PDF page put together to paragraphs, by where they stand. Pure; reads no PDF.

A line is not a paragraph. Two lines that follow each other are one of four things: a wrapped line (joined by a
space), a word broken at the line's end, a deliberate new line (kept as a line break), or a new paragraph (a blank
line). The signs, in this order: a hyphen, a jump upwards (next column), another size of type, a vertical gap, an
indentation, and room on the line before for the first word of the next one.
"""

import re
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, Literal

from graphrag_assets.sources.pdf_lines import PdfLine

Joint = Literal["wrapped", "broken-word", "new-line", "paragraph"]

_JOINTS: Final[dict[Joint, str]] = {"wrapped": " ", "broken-word": "", "new-line": "\n", "paragraph": "\n\n"}
_NEIGHBOURS: Final = 60
_SAME_SIZE: Final = 0.15
_GAP: Final = 1.45
_INDENT: Final = 0.8
_COLUMN_INDENT: Final = 3.0
_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST_WORD: Final = re.compile(r"[^\W\d_]+$")
_FIRST_WORD: Final = re.compile(r"[^\W\d_]+")
_HYPHENS: Final = ("-", "\u2010", "\u00ad")
_SENTENCE_END: Final = re.compile(r"[.!?:;\u2026\u3002][\"'\u2019\u201d\u00bb)\]]*$")
_ITEM: Final = re.compile(r"(?:[\u2022\u25aa\u25cf\u25e6\u2023\u2043*\u2013\u2014-]|\(?\w{1,3}[.)])\s")


def known_words(pages: Iterable[Sequence[PdfLine]]) -> frozenset[str]:
    """The words of a document that no line end touches, in lower case, hyphenated ones whole.

    They tell whether a word broken at a line's end is written with a hyphen.
    """
    words: set[str] = set()
    for lines in pages:
        for line in lines:
            words.update(word.lower() for word in _WORD.findall(line.text)[:-1])
    return frozenset(words)


def page_text(lines: Sequence[PdfLine], words: frozenset[str]) -> str:
    """The text of a page: paragraphs apart by a blank line, wrapped lines joined."""
    merged = _merge_pieces(lines)
    page = _Page(merged, _usual_drop(merged))
    parts: list[str] = []
    paragraph_start = 0
    for index, line in enumerate(merged):
        text = line.text
        if index:
            joint = page.joint(index, paragraph_start)
            if joint == "paragraph":
                paragraph_start = index
            if joint == "broken-word":
                parts[-1] = _before_broken_word(merged[index - 1], text, words)
            parts.append(_JOINTS[joint])
        parts.append(f"{text}-" if line.broken_word else text)
    return "".join(parts)


def _before_broken_word(line: PdfLine, following: str, words: frozenset[str]) -> str:
    """The line without its hyphen only when that is certain: a soft hyphen, or the whole word stands elsewhere."""
    text = line.text
    if text.endswith("\u00ad"):
        return text[:-1]
    stem = text if line.broken_word else text[:-1]
    first, second = _LAST_WORD.search(stem), _FIRST_WORD.match(following)
    if first is not None and second is not None:
        whole, hyphenated = f"{first[0]}{second[0]}".lower(), f"{first[0]}-{second[0]}".lower()
        if whole in words and hyphenated not in words:
            return stem
    return f"{stem}-" if line.broken_word else text


def _merge_pieces(lines: Sequence[PdfLine]) -> tuple[PdfLine, ...]:
    """Pieces that stand on one line (a raised mark splits a line in three) as one line again."""
    merged: list[PdfLine] = []
    for line in lines:
        last = merged[-1] if merged else None
        if last is not None and not last.broken_word and _on_one_line(last, line):
            space = " " if line.left - last.right > 0.15 * line.height else ""
            merged[-1] = replace(
                last,
                text=f"{last.text}{space}{line.text}",
                right=max(last.right, line.right),
                bottom=min(last.bottom, line.bottom),
                height=max(last.height, line.height),
                broken_word=line.broken_word,
            )
        else:
            merged.append(line)
    return tuple(merged)


def _on_one_line(left: PdfLine, right: PdfLine) -> bool:
    overlap = min(left.bottom + left.height, right.bottom + right.height) - max(left.bottom, right.bottom)
    return overlap > 0.5 * min(left.height, right.height) and right.left > left.right - 0.5 * right.height


def _usual_drop(lines: Sequence[PdfLine]) -> float:
    """How far a line usually stands below the one before, in heights of type."""
    drops = [
        (above.bottom - below.bottom) / above.height
        for above, below in pairwise(lines)
        if above.height > 0 and _same_size(above, below) and 0.5 < (above.bottom - below.bottom) / above.height < 3.0
    ]
    return statistics.median_low(drops) if drops else 1.2


def _same_size(one: PdfLine, other: PdfLine) -> bool:
    return abs(one.height - other.height) <= _SAME_SIZE * max(one.height, other.height)


@dataclass(frozen=True, slots=True)
class _Page:
    lines: tuple[PdfLine, ...]
    usual_drop: float

    def joint(self, index: int, paragraph_start: int) -> Joint:
        """How the line at ``index`` follows the one before it."""
        above, below = self.lines[index - 1], self.lines[index]
        drop = (above.bottom - below.bottom) / above.height if above.height > 0 else self.usual_drop
        near = _same_size(above, below) and drop < _GAP * self.usual_drop
        if near and _breaks_word(above, below):
            return "broken-word"
        if drop < 0.3:
            return "wrapped" if _goes_on(above, below) else "paragraph"
        if not near:
            return "paragraph"
        if _ITEM.match(below.text):
            return "new-line"
        return self._joint_in_column(index, paragraph_start)

    def _joint_in_column(self, index: int, paragraph_start: int) -> Joint:
        above, below = self.lines[index - 1], self.lines[index]
        shift = (below.left - above.left) / above.height if above.height > 0 else 0.0
        has_room = self._has_room(index)
        if _centred(above, below):
            return "new-line" if has_room else "wrapped"
        if shift > _INDENT and not (self._hangs(index) or _ITEM.match(above.text)):
            return "paragraph"
        if shift < -_INDENT and index - 1 > paragraph_start:
            return "paragraph"
        if not has_room:
            return "wrapped"
        ended = _SENTENCE_END.search(above.text) is not None and not below.text[:1].islower()
        other_font = "" not in {above.font, below.font} and above.font != below.font
        return "paragraph" if ended or other_font else "new-line"

    def _has_room(self, index: int) -> bool:
        """Whether the first word of a line would have fitted on the line before: that line was ended on purpose."""
        above, below = self.lines[index - 1], self.lines[index]
        near = self.lines[max(0, index - 1 - _NEIGHBOURS) : index + _NEIGHBOURS]
        aligned = (line.right for line in near if _same_size(line, above) and abs(line.left - above.left) < _COLUMN_INDENT * above.height)
        edge = max(aligned, default=above.right)
        return above.right + 0.25 * above.height + below.first_word_width < edge

    def _hangs(self, index: int) -> bool:
        """Whether a line and the one after it are indented alike under a full line: a hanging indentation."""
        if index + 1 >= len(self.lines) or self._has_room(index):
            return False
        below, after = self.lines[index], self.lines[index + 1]
        return abs(after.left - below.left) < _INDENT * below.height / 2 and after.bottom < below.bottom


def _breaks_word(above: PdfLine, below: PdfLine) -> bool:
    return (above.broken_word or (above.text.endswith(_HYPHENS) and above.text[-2:-1].isalpha())) and below.text[:1].islower()


def _goes_on(above: PdfLine, below: PdfLine) -> bool:
    return below.text[:1].islower() and not _SENTENCE_END.search(above.text)


def _centred(above: PdfLine, below: PdfLine) -> bool:
    middle = abs((above.left + above.right) - (below.left + below.right)) / 2
    return middle < 0.5 * above.height and abs(above.left - below.left) > _INDENT * above.height
