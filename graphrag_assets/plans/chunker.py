"""Cuts blocks into chunks: whole blocks while they fit, and too long ones at the best place there is.

A chunk never holds text of two sections. Where one starts and ends follows from the section's own text and the
settings alone, so that an edit elsewhere moves no chunk's text.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from graphrag_assets.gateways.tokens import TokenCounter
from graphrag_assets.model.settings import ChunkingSettings
from graphrag_assets.model.spans import ByteSpan, floor_boundary
from graphrag_assets.plans.blocks import Block, line_starts
from graphrag_assets.plans.fitting import Fitting

# Part of every chunk id: another version means other ids for every chunk of every document.
CHUNKER_VERSION: Final = "1"
# Between words, but not where a writer forbade a break.
_BETWEEN_WORDS: Final = re.compile(r"[^\S\u00a0\u2007\u202f]+")
_WORD_TOLERANCE: Final = 0.1


@dataclass(frozen=True, slots=True)
class Piece:
    """One chunk to be.

    Args:
        span: Its bytes; ``overlap_bytes`` of them repeat the end of the piece before.
        heading: Which heading's section it lies in, counted over the document; None before the first.
        token_count: By the real counter.
        table: The table whose header was left in an earlier piece, when this one starts with a later row.
        too_many_tokens: A single code point that alone is over the token bound.
    """

    span: ByteSpan
    heading: int | None
    token_count: int
    overlap_bytes: int = 0
    table: Block | None = None
    too_many_tokens: bool = False


def cut_blocks(text: bytes, blocks: Sequence[Block], settings: ChunkingSettings, counter: TokenCounter) -> Iterator[Piece]:
    """All pieces of a document, in order. Together they hold every byte, and their starts strictly increase."""
    fitting = Fitting(text, settings, counter)
    lines = line_starts(text)
    for heading, run in _runs(blocks):
        yield from _Run(text, run, heading, fitting, lines, settings.overlap_paragraphs).pieces()
        fitting.forget()


def _runs(blocks: Sequence[Block]) -> Iterator[tuple[int | None, Sequence[Block]]]:
    """Stretches that no chunk may leave: what stands before the first heading, then each heading with what follows it."""
    heading: int | None = None
    first = 0
    for index, block in enumerate(blocks):
        if block.kind == "heading":
            if index > first:
                yield heading, blocks[first:index]
            heading = 0 if heading is None else heading + 1
            first = index
    if first < len(blocks):
        yield heading, blocks[first:]


class _Run:
    """One stretch of blocks being cut."""

    def __init__(
        self, text: bytes, blocks: Sequence[Block], heading: int | None, fitting: Fitting, lines: Sequence[int], overlap_paragraphs: int
    ) -> None:
        self._text = text
        self._blocks = blocks
        self._heading = heading
        self._fitting = fitting
        self._lines = lines
        self._overlap_paragraphs = overlap_paragraphs
        self._starts = [block.span.start for block in blocks]
        self._ends = [block.span.end for block in blocks]

    def pieces(self) -> Iterator[Piece]:
        position, previous = self._starts[0], None
        while position < self._ends[-1]:
            start, end = self._next(position, previous)
            previous = ByteSpan(start, end)
            yield self._piece(previous, position - start)
            position = end

    def _piece(self, span: ByteSpan, overlap_bytes: int) -> Piece:
        block = self._block_at(span.start)
        tokens = self._fitting.tokens(span.start, span.end)
        return Piece(
            span=span,
            heading=self._heading,
            token_count=tokens,
            overlap_bytes=overlap_bytes,
            table=block if block.header is not None and span.start >= block.header.end else None,
            too_many_tokens=tokens > self._fitting.max_tokens,
        )

    def _block_at(self, position: int) -> Block:
        return self._blocks[bisect_right(self._starts, position) - 1]

    def _next(self, position: int, previous: ByteSpan | None) -> tuple[int, int]:
        """Start and end of the piece whose new text begins at ``position``; overlap is dropped when nothing new fits."""
        for start in (*self._overlap_starts(position, previous), position):
            end = self._whole_blocks(start, position)
            end = self._begin_long_block(start, end)
            if end > position:
                return start, end
        return position, self._within_block(position, position, any_code_point=True)

    def _overlap_starts(self, position: int, previous: ByteSpan | None) -> list[int]:
        """Where the piece may start to repeat whole paragraphs of the one before, most of them first.

        Only paragraphs after the start of the piece before count, so that starts increase.
        """
        index = bisect_right(self._starts, position) - 1
        if previous is None or self._starts[index] != position:
            return []
        candidates = reversed(self._blocks[max(0, index - self._overlap_paragraphs) : index])
        kept = takewhile(lambda block: block.kind == "paragraph" and block.span.start > previous.start, candidates)
        return [block.span.start for block in kept][::-1]

    def _whole_blocks(self, start: int, position: int) -> int:
        """The greatest end of a block that fits, ``position`` when none does."""
        found = self._fitting.greatest(start, _between(self._ends, position, start + self._fitting.max_bytes))
        return position if found is None else found

    def _begin_long_block(self, start: int, end: int) -> int:
        """Where the next block is too long for any piece it begins in this one, if half of it is still free.

        So a heading or a table's caption stays with what it stands above.
        """
        index = bisect_right(self._starts, end) - 1
        if start == end or end == self._ends[-1] or self._starts[index] != end:
            return end
        block = self._blocks[index].span
        if not self._fitting.fits_half(start, end) or self._fitting.fits(block.start, block.end):
            return end
        return self._within_block(start, end, any_code_point=False)

    def _within_block(self, start: int, position: int, *, any_code_point: bool) -> int:
        """The best cut inside the block at ``position``: between rows or items, at a line, between words, anywhere.

        A table begins with its header and at least one row, or not in this piece.
        """
        block = self._block_at(position)
        limit = min(block.span.end, start + self._fitting.max_bytes)
        greatest = self._fitting.greatest
        found = greatest(start, _between(block.cuts, position, limit))
        if found is None and block.header is not None and not any_code_point:
            return position
        if found is None:
            found = greatest(start, _between(self._lines, position, limit))
        if found is None:
            found = greatest(start, self._word_ends(position, limit), tolerance=_WORD_TOLERANCE)
        if found is None and any_code_point:
            ends = self._code_points(position, limit)
            found = greatest(start, ends, tolerance=_WORD_TOLERANCE)
            return ends[0] if found is None else found
        return position if found is None else found

    def _word_ends(self, position: int, limit: int) -> list[int]:
        """Ends of the whitespace between words: it goes with the word before."""
        window = self._text[position : floor_boundary(self._text, limit)].decode()
        ends: list[int] = []
        offset, done = position, 0
        for match in _BETWEEN_WORDS.finditer(window):
            offset += len(window[done : match.end()].encode())
            done = match.end()
            if done < len(window):
                ends.append(offset)
        return ends

    def _code_points(self, position: int, limit: int) -> list[int]:
        window = self._text[position : min(limit + 1, len(self._text))]
        return [position + offset for offset, byte in enumerate(window) if offset and byte & 0xC0 != 0x80] or [limit]


def _between(offsets: Sequence[int], after: int, to: int) -> Sequence[int]:
    return offsets[bisect_right(offsets, after) : bisect_right(offsets, to)]
