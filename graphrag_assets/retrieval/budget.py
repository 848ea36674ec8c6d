"""The evidence budget: items in rank order until their number or their bytes are used up, and what was left out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from graphrag_assets.model.evidence import EvidenceItem
from graphrag_assets.model.limits import Limit
from graphrag_assets.model.spans import floor_boundary


@dataclass(frozen=True, slots=True)
class Budgeted:
    """The items kept, in rank order; ``omitted`` counts whole items, a cut one is kept."""

    items: tuple[EvidenceItem, ...]
    omitted: int
    utf8_bytes: int
    limits: tuple[Limit, ...]


def within_budget(items: Sequence[EvidenceItem], *, max_items: int, max_utf8_bytes: int, unread: int = 0) -> Budgeted:
    """Take items in rank order and stop at the first bound.

    The item that passes ``max_utf8_bytes`` is cut at a code point; its ``end`` is the cut, so its text is still exactly
    its bytes. Nothing after it is taken, however small: rank decides, not size.

    Args:
        unread: Items of lower rank that were not even read, because ``max_items`` had no room for them.
    """
    kept: list[EvidenceItem] = []
    used = 0
    for item in items[:max_items]:
        size = len(item.text.encode())
        if used + size > max_utf8_bytes:
            beginning = _cut(item, max_utf8_bytes - used)
            kept += [beginning] if beginning is not None else []
            used += beginning.end - beginning.start if beginning is not None else 0
            return Budgeted(tuple(kept), len(items) + unread - len(kept), used, (Limit("evidence-bytes", max_utf8_bytes),))
        kept.append(item)
        used += size
    omitted = len(items) + unread - len(kept)
    return Budgeted(tuple(kept), omitted, used, (Limit("max-items", max_items),) if omitted else ())


def _cut(item: EvidenceItem, room: int) -> EvidenceItem | None:
    """The beginning of an item; None when no word of it fits."""
    content = item.text.encode()
    size = floor_boundary(content, room)
    text = content[:size].decode()
    if not text.strip():
        return None
    end = item.start + size
    starts = tuple(page for page in item.page_starts if page[1] < end)
    return replace(item, end=end, text=text, page_starts=starts, pages=pages_within(item, item.start, end))


def pages_within(item: EvidenceItem, start: int, end: int) -> tuple[int, ...]:
    """Numbers of the pages that a stretch of an item touches; all of the item's where it does not say where they begin."""
    if not item.page_starts:
        return item.pages
    ends = [first for _, first in item.page_starts[1:]] + [item.end]
    return tuple(number for (number, first), last in zip(item.page_starts, ends, strict=True) if first < end and start < last)
