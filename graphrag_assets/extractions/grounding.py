"""Where a chunk names a thing, and whether it states a fact: everything is found in the stored bytes, or it is not there."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

from graphrag_assets.model.names import compared_name
from graphrag_assets.model.quotes import locate_quote
from graphrag_assets.model.spans import ByteSpan

# Where a new stretch of text begins: behind a blank line, unless a list or table goes on with what introduced it.
_STRETCH_END: Final = re.compile(r"(?:\r\n|\n|\r(?!\n))[ \t]*(?:\r\n|\n|\r)(?![ \t]*(?:[-*+|]|\d{1,9}[.)])[ \t]?)")
_HEADING: Final = re.compile(r"^[ \t]{0,3}#{1,6}[ \t].*$", re.MULTILINE)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_WORD: Final = re.compile(r"[^\W\d]+")


@dataclass(frozen=True, slots=True)
class _Form:
    """Text as names are compared, with the byte range of the original for each of its characters."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def places(self, name: str) -> Iterator[ByteSpan]:
        """Where ``name`` stands by itself."""
        position = self.text.find(name)
        while name and position >= 0:
            end = position + len(name)
            if _stands_alone(self.text, position, end):
                yield ByteSpan(self.starts[position], self.ends[end - 1])
            position = self.text.find(name, position + 1)


@dataclass(frozen=True)
class ChunkText:
    """The text of a chunk, made `searchable`, to find things in."""

    text: str

    @cached_property
    def _as_written(self) -> _Form:
        return _form(self.text, caseless=False)

    @cached_property
    def _caseless(self) -> _Form:
        return _form(self.text, caseless=True)

    @cached_property
    def _headings(self) -> tuple[ByteSpan, ...]:
        return tuple(_byte_span(self.text, match.start(), match.end()) for match in _HEADING.finditer(self.text))

    @cached_property
    def _stretches(self) -> tuple[ByteSpan, ...]:
        cuts = [0, *(match.end() for match in _STRETCH_END.finditer(self.text)), len(self.text)]
        return tuple(_byte_span(self.text, start, end) for start, end in pairwise(cuts))

    def mentions(self, name: str, aliases: Sequence[str], quotes: Sequence[str]) -> tuple[ByteSpan, ...]:
        """Spans that name a thing, sorted, none inside another.

        Every place where the name or an alias stands counts, and every quote that is found and names it in other words.

        Args:
            quotes: What the reply gave as mentions.
        """
        spans = {span for spelling in (name, *aliases) for span in self.places(spelling)}
        quoted = [span for span in map(self.quote, quotes) if span is not None]
        return _outermost({*spans, *(quote for quote in quoted if not any(quote.contains(span) for span in spans))})

    def places(self, name: str) -> tuple[ByteSpan, ...]:
        """Where a name stands by itself, not as a part of another word.

        First as written, whatever its Unicode form and white space; nowhere so, in any case; nowhere so, by the rules of
        quotes, which forgive typographic marks.
        """
        as_written = tuple(self._as_written.places(_normal(name)))
        found = as_written or tuple(self._caseless.places(compared_name(name)))
        span = None if found else self.quote(name)
        return found if span is None else (span,)

    def quote(self, quote: str) -> ByteSpan | None:
        """Where a quote stands, None when it is not there or begins or ends within a word."""
        span = locate_quote(self.text, quote)
        if span is None:
            return None
        before = len(self.text.encode()[: span.start].decode())
        after = before + len(span.text(self.text.encode()))
        return span if _stands_alone(self.text, before, after) else None

    def states(self, ends: Sequence[Sequence[ByteSpan]], *, quote: str | None, context: str, pronouns: Iterable[str]) -> bool:
        """Whether the text bears a fact about ``ends``. A stretch is a paragraph, with a list that goes on from it.

        Without a quote, one stretch names all ends. A quote is found within one stretch and names an end; the other one is
        named in the quote or its stretch, or stands behind a pronoun before the named one. A heading names its end for all
        that follows, so it counts for every stretch.

        Args:
            ends: Mentions of each end that is a thing.
            context: Headings above the chunk.
            pronouns: Words that can stand for a thing.
        """
        unnamed = [end for end in ends if not self._in_headings(end, context)]
        if quote is None:
            return any(all(_touch(end, stretch) for end in unnamed) for stretch in self._stretches)
        span = self.quote(quote)
        stretch = next((s for s in self._stretches if span is not None and s.contains(span)), None)
        if span is None or stretch is None or not any(_touch(end, span) for end in ends):
            return False
        return all(_touch(end, stretch) for end in unnamed) or self._pronoun_first(span, ends, pronouns)

    def _in_headings(self, end: Sequence[ByteSpan], context: str) -> bool:
        content = self.text.encode()
        above = compared_name(context)
        return any(_touch(end, heading) for heading in self._headings) or any(compared_name(p.text(content)) in above for p in end)

    def _pronoun_first(self, quote: ByteSpan, ends: Sequence[Sequence[ByteSpan]], pronouns: Iterable[str]) -> bool:
        first = min(place.start for end in ends for place in end if _touch([place], quote))
        words = _WORD.findall(self.text.encode()[quote.start : max(first, quote.start)].decode().casefold())
        before = f" {' '.join(words)} "
        return any(f" {compared_name(pronoun)} " in before for pronoun in pronouns)


def searchable(text: str) -> str:
    """Text with its control characters as spaces of the same number of bytes: what a model read, with places still true."""
    return _CONTROL.sub(lambda match: " " if match[0] < "\x80" else "\u00a0", text)


def locate_mentions(chunk_text: str, name: str, aliases: Sequence[str], quotes: Sequence[str]) -> tuple[ByteSpan, ...]:
    """Spans of a chunk that name a thing: see `ChunkText.mentions`."""
    return ChunkText(chunk_text).mentions(name, aliases, quotes)


def _form(text: str, *, caseless: bool) -> _Form:
    characters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    offset = 0
    for cluster in re.findall(r"(?s).[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe20-\ufe2f]*", text):
        size = len(cluster.encode())
        written = compared_name(cluster) if caseless else _normal(cluster)
        if cluster.isspace() and characters and characters[-1] == " ":
            ends[-1] = offset + size
        for character in " " if cluster.isspace() and characters[-1:] != [" "] else written:
            characters.append(character)
            starts.append(offset)
            ends.append(offset + size)
        offset += size
    return _Form("".join(characters), tuple(starts), tuple(ends))


def _normal(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).split())


def _stands_alone(text: str, start: int, end: int) -> bool:
    inside = text[start:end]
    return not _joined(inside, text[max(0, start - 8) : start][::-1]) and not _joined(inside[::-1], text[end : end + 8])


def _joined(inside: str, outside: str) -> bool:
    """Whether a word goes on across an edge; scripts without spaces and cases (Lo) know no such edge.

    Args:
        inside: Text from the edge inwards.
        outside: Text from the edge outwards.
    """
    beyond = next((c for c in outside if c != "_"), " ")
    edge = inside[:1]
    return edge.isalnum() and beyond.isalnum() and "Lo" not in (unicodedata.category(edge), unicodedata.category(beyond))


def _touch(places: Sequence[ByteSpan], span: ByteSpan) -> bool:
    return any(place.start < span.end and span.start < place.end for place in places)


def _byte_span(text: str, start: int, end: int) -> ByteSpan:
    return ByteSpan(len(text[:start].encode()), len(text[:end].encode()))


def _outermost(spans: set[ByteSpan]) -> tuple[ByteSpan, ...]:
    """Spans that lie in no other; of overlapping ones the first stays."""
    kept: list[ByteSpan] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return tuple(kept)
