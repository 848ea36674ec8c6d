"""Evidence items out of a few values."""

from collections.abc import Sequence

from graphrag_assets.model.evidence import EvidenceItem


def item(chunk_id: str, text: str, *, start: int = 0, page_starts: Sequence[tuple[int, int]] = (), title: str = "") -> EvidenceItem:
    """An item whose text stands at ``start`` of its document."""
    return EvidenceItem(
        chunk_id=chunk_id,
        document_id=f"document of {chunk_id}",
        uri=f"docs:/{chunk_id}",
        start=start,
        end=start + len(text.encode()),
        text=text,
        score=1.0,
        routes=(),
        title=title or None,
        pages=tuple(number for number, _ in page_starts),
        page_starts=tuple(page_starts),
    )
