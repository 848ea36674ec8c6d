"""A passage as sentences can be parsed of it: Markdown's marks blanked one for one, so that every offset stays true."""

import re
from dataclasses import dataclass
from typing import Final

_MARKS: Final = (
    re.compile(r"^[ \t]{0,3}#{1,6}(?=[ \t])", re.MULTILINE),
    re.compile(r"(?<=\s)#+[ \t\r]*$", re.MULTILINE),
    re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])(?=[ \t])", re.MULTILINE),
    re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE),
    re.compile(r"\]\([^)\s]*\)"),
    re.compile(r"[\[\]*`|]|(?<!\w)_|_(?!\w)|^[ \t]*[:|\-= ]{3,}\r?$", re.MULTILINE),
)
_FENCE: Final = re.compile(r"^[ \t]{0,3}(```|~~~).*?(?:^[ \t]{0,3}\1[`~]*[ \t\r]*$|\Z)", re.MULTILINE | re.DOTALL)
_BLOCK: Final = re.compile(r"\n[ \t\r]*\n|\n(?=[ \t]*(?:[-*+]|\d{1,9}[.)]|#{1,6}|>|\|)[ \t]?)")
_HEADING: Final = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+(.+?)[ \t\r#]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a passage: its text with marks blanked and line ends as spaces, and where it starts in the passage.

    ``is_prose`` is False for headings and table rows, whose capitals say nothing.
    """

    text: str
    start: int
    is_heading: bool = False
    is_prose: bool = True


def blocks_of(passage: str) -> tuple[Block, ...]:
    """The blocks of a passage that hold prose; code is left out."""
    prose = _FENCE.sub(lambda m: " " * len(m.group()), passage)
    headings = {m.start() for m in _HEADING.finditer(prose)}
    found: list[Block] = []
    start = 0
    for cut in [*(m.end() for m in _BLOCK.finditer(prose)), len(prose)]:
        found += _lines(prose[start:cut], start, headings)
        start = cut
    return tuple(block for block in found if block.text.strip())


def _lines(text: str, start: int, headings: set[int]) -> list[Block]:
    """A block; a heading directly above its paragraph is a block of its own."""
    offset = len(text) - len(text.lstrip("\r\n"))
    if start + offset in headings:
        end = text.find("\n", offset)
        end = len(text) if end < 0 else end
        return [
            Block(_plain(text[:end]), start, is_heading=True, is_prose=False),
            Block(_plain(text[end:]), start + end),
        ]
    return [Block(_plain(text), start, is_prose=not text.lstrip().startswith("|"))]


def _plain(text: str) -> str:
    for marks in _MARKS:
        text = marks.sub(lambda m: " " * len(m.group()), text)
    return re.sub(r"[\n\r\t\x00-\x1f\x7f-\x9f]", " ", text)


def titles_of(passage: str, heading: str) -> tuple[str, ...]:
    """Headings above and in a passage, outermost first."""
    above = [part.strip() for part in re.split(r"\s[>/›]\s|\n", heading) if part.strip()]
    return (*above, *(m.group(1).strip() for m in _HEADING.finditer(passage)))
