"""Where a chunk names a thing: every mention is found in the stored bytes, or it is none."""

import re
from collections.abc import Sequence

from graphrag_assets.model.quotes import locate_quote
from graphrag_assets.model.spans import ByteSpan


def locate_mentions(chunk_text: str, name: str, aliases: Sequence[str], quotes: Sequence[str]) -> tuple[ByteSpan, ...]:
    """Spans of the chunk that name a thing, sorted, none inside another.

    Every place where the name or an alias stands as whole words counts, and every quote that is found and says it in other
    words. When nothing is found so, the name is looked for once by the rules of quotes.

    Args:
        quotes: What the reply gave as mentions.
    """
    spans = {span for spelling in (name, *aliases) for span in _whole_words(chunk_text, spelling)}
    quoted = (locate_quote(chunk_text, quote) for quote in quotes)
    spans |= {span for span in quoted if span is not None and not any(span.contains(named) for named in spans)}
    if not spans:
        found = locate_quote(chunk_text, name)
        spans = {found} if found is not None else set()
    return _outermost(spans)


def _whole_words(text: str, spelling: str) -> list[ByteSpan]:
    pattern = rf"(?<!\w){re.escape(spelling)}(?!\w)"
    return [ByteSpan(len(text[: m.start()].encode()), len(text[: m.end()].encode())) for m in re.finditer(pattern, text)]


def _outermost(spans: set[ByteSpan]) -> tuple[ByteSpan, ...]:
    """Spans that lie in no other; of overlapping ones the first stays."""
    kept: list[ByteSpan] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return tuple(kept)
