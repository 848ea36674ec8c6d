"""Sections of a document: from a heading to the next of the same or a higher level."""

from collections.abc import Sequence
from dataclasses import dataclass

from graphrag_assets.model.ids import section_id
from graphrag_assets.model.plans import Section
from graphrag_assets.model.spans import ByteSpan
from graphrag_assets.plans.blocks import Block


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """What every section and chunk id of one plan is made of, beside spans."""

    document_id: str
    content_hash: str
    chunker_fingerprint: str


def read_sections(blocks: Sequence[Block], version: DocumentVersion) -> tuple[Section, ...]:
    """The sections in the order of their headings. A section lies within its parent; levels may skip."""
    headings = [block for block in blocks if block.kind == "heading"]
    document_end = blocks[-1].span.end if blocks else 0
    ends = [document_end] * len(headings)
    parents: list[int | None] = [None] * len(headings)
    open_orders: list[int] = []
    for order, heading in enumerate(headings):
        while open_orders and headings[open_orders[-1]].level >= heading.level:
            ends[open_orders.pop()] = heading.span.start
        parents[order] = open_orders[-1] if open_orders else None
        open_orders.append(order)
    return tuple(
        Section(
            section_id=section_id(
                version.document_id, version.content_hash, version.chunker_fingerprint, order, heading.span.start, ends[order]
            ),
            order=order,
            level=heading.level,
            title=heading.title,
            span=ByteSpan(heading.span.start, ends[order]),
            parent_order=parents[order],
        )
        for order, heading in enumerate(headings)
    )


def heading_path(sections: Sequence[Section], order: int | None) -> tuple[str, ...]:
    """Titles from the outermost section to the section ``order``, empty ones left out."""
    titles: list[str] = []
    while order is not None:
        section = sections[order]
        if section.title:
            titles.append(section.title)
        order = section.parent_order
    return tuple(reversed(titles))
