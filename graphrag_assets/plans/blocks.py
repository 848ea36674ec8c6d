"""Blocks of a document: headings, paragraphs, tables, fences and so on, as byte spans that cover every byte once.

Blank lines belong to the block before them, leading ones to the first block. Only Markdown has headings and other
kinds than paragraphs; every other text is paragraphs between blank lines.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal

from graphrag_assets.model.spans import ByteSpan
from graphrag_assets.sources.markdown import MARKDOWN, ParsedMarkdown, front_matter_end, heading_title, parse_blocks

if TYPE_CHECKING:
    from markdown_it.token import Token

BlockKind = Literal["front-matter", "heading", "paragraph", "fence", "code", "table", "list", "quote", "html", "rule", "reference"]

_KINDS: Final[dict[str, BlockKind]] = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "fence": "fence",
    "code_block": "code",
    "table_open": "table",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "blockquote_open": "quote",
    "html_block": "html",
    "hr": "rule",
}
# The line ends of CommonMark, which splits lines in the same places.
_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_TABLE_HEADER_LINES: Final = 2


@dataclass(frozen=True, slots=True)
class Block:
    """One block.

    Args:
        level: Of a heading, 1 to 6; else 0.
        title: Plain text of a heading, on one line; may be empty.
        title_cut: Whether the title is longer than what is kept of it.
        cuts: Offsets where this block is cut first when it is too long: starts of table rows and list items but for
            the first. A table's first row stays with its header.
        header: A table's header row and the line below it.
    """

    kind: BlockKind
    span: ByteSpan
    level: int = 0
    title: str = ""
    title_cut: bool = False
    cuts: tuple[int, ...] = ()
    header: ByteSpan | None = None


def line_starts(text: bytes) -> tuple[int, ...]:
    """Where each line starts, and the end of the text last. A line ends at LF, CRLF or a lone CR."""
    starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
    return tuple(starts if starts[-1] == len(text) and len(starts) > 1 else [*starts, len(text)])


def read_blocks(text: bytes, media_type: str) -> tuple[Block, ...]:
    """The blocks of a loaded document, in order; none when there is no byte.

    Args:
        text: Valid UTF-8.
        media_type: ``text/markdown`` is read as CommonMark with tables; everything else as plain text.
    """
    if not text:
        return ()
    found = _markdown_blocks(text) if media_type == MARKDOWN else _plain_blocks(text)
    return _tiled(tuple(found) or (Block("paragraph", ByteSpan(0, len(text))),), len(text))


def _tiled(blocks: Sequence[Block], end: int) -> tuple[Block, ...]:
    starts = [0, *(block.span.start for block in blocks[1:]), end]
    return tuple(replace(block, span=ByteSpan(start, stop)) for block, (start, stop) in zip(blocks, pairwise(starts), strict=True))


def _plain_blocks(text: bytes) -> Iterator[Block]:
    start = -1
    for line, end in pairwise(line_starts(text)):
        blank = text[line:end].decode().isspace()
        if not blank and start < 0:
            start = line
        elif blank and start >= 0:
            yield Block("paragraph", ByteSpan(start, line))
            start = -1
    if start >= 0:
        yield Block("paragraph", ByteSpan(start, len(text)))


def _markdown_blocks(text: bytes) -> Iterator[Block]:
    body = front_matter_end(text)
    if body:
        yield Block("front-matter", ByteSpan(0, body))
    if body == len(text):
        return
    starts = [body + start for start in line_starts(text[body:])]
    parsed = parse_blocks(text[body:].decode())
    tokens = parsed.tokens
    line = 0
    for index, token in enumerate(tokens):
        if token.level != 0 or token.map is None or token.type not in _KINDS:
            continue
        first, last = max(line, token.map[0]), token.map[1]
        yield from _references(text, starts, line, first)
        if last > first:
            yield _block(parsed, index, starts, ByteSpan(starts[first], starts[last]))
        line = max(line, last)
    yield from _references(text, starts, line, len(starts) - 1)


def _references(text: bytes, starts: Sequence[int], first: int, last: int) -> Iterator[Block]:
    """Link reference definitions give no token: what stands between two blocks and is not blank."""
    filled = next((line for line in range(first, last) if not text[starts[line] : starts[line + 1]].isspace()), last)
    if filled < last:
        yield Block("reference", ByteSpan(starts[filled], starts[last]))


def _block(parsed: ParsedMarkdown, index: int, starts: Sequence[int], span: ByteSpan) -> Block:
    tokens = parsed.tokens
    token = tokens[index]
    kind = _KINDS[token.type]
    if kind == "heading":
        title, cut = heading_title(tokens[index + 1].content, parsed)
        return Block(kind, span, level=int(token.tag[1:]), title=title, title_cut=cut)
    if kind == "table" and token.map is not None:
        header = ByteSpan(span.start, starts[token.map[0] + _TABLE_HEADER_LINES])
        return Block(kind, span, cuts=_part_starts(tokens, index, starts, ("tr_open", 2), after=header.end), header=header)
    if kind == "list":
        return Block(kind, span, cuts=_part_starts(tokens, index, starts, ("list_item_open", 1), after=span.start))
    return Block(kind, span)


def _part_starts(tokens: "Sequence[Token]", index: int, starts: Sequence[int], part: tuple[str, int], *, after: int) -> tuple[int, ...]:
    """Starts of the rows or items of the block that opens at ``index``, those after ``after`` only."""
    found: list[int] = []
    for following in range(index + 1, len(tokens)):
        token = tokens[following]
        if token.level == 0:
            break
        if (token.type, token.level) == part and token.map is not None:
            found.append(starts[token.map[0]])
    return tuple(found[bisect_right(found, after) :])
