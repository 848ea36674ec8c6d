"""Parsing with names masked: a parser that never saw a name takes it for a verb or splits it; it knows these three."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from graphrag_assets.extractions.offline.names import Names, NameSpan
from graphrag_assets.extractions.offline.parser import parse
from graphrag_assets.extractions.offline.passages import Block
from graphrag_assets.extractions.ontology import Ontology

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_MASKS: Final = ("Mary", "London", "Microsoft")
_PERSON, _PLACE, _OTHER = _MASKS
_PLACE_LABELS: Final = frozenset({"GPE", "LOC", "FAC"})


@dataclass(frozen=True, slots=True)
class MaskedBlock:
    """A block parsed with its names masked.

    Args:
        start: Where the block starts in the passage.
        places: Character offset of a masked name to its span in the block.
    """

    number: int
    start: int
    doc: "Doc"
    places: Mapping[int, NameSpan]
    is_heading: bool

    def name_at(self, token: "Token") -> NameSpan | None:
        """The name that a token stands for."""
        return self.places.get(token.idx)

    def within_passage(self, offset: int) -> int:
        """Where a character of the masked text stands in the passage."""
        before = max((place for place in self.places if place < offset), default=None)
        if before is None:
            return self.start + offset
        mask = next(mask for mask in _MASKS if self.doc.text.startswith(mask, before))
        return self.start + self.places[before].end + offset - before - len(mask)


def mask_blocks(blocks: Sequence[Block], names: Names, ontology: Ontology) -> tuple[MaskedBlock, ...]:
    """Every block, parsed with its names masked."""
    texts: list[str] = []
    places: list[dict[int, NameSpan]] = []
    for number, block in enumerate(blocks):
        text, found = _masked(block.text, [s for s in names.spans if s.block == number], names, ontology)
        texts.append(text)
        places.append(found)
    docs = parse(texts)
    return tuple(
        MaskedBlock(number, block.start, doc, found, block.is_heading)
        for number, (block, doc, found) in enumerate(zip(blocks, docs, places, strict=True))
    )


def _masked(text: str, spans: Sequence[NameSpan], names: Names, ontology: Ontology) -> tuple[str, dict[int, NameSpan]]:
    parts: list[str] = []
    places: dict[int, NameSpan] = {}
    position = length = 0
    for span in spans:
        before = text[position : span.start]
        parts += [before, _mask(span.name, names, ontology)]
        places[length + len(before)] = span
        length += len(before) + len(parts[-1])
        position = span.end
    parts.append(text[position:])
    return "".join(parts), places


def _mask(name: str, names: Names, ontology: Ontology) -> str:
    kind = names.kind(name)
    labels = {label for c in ontology.classes if c.name == kind for label in c.labels}
    if "PERSON" in labels:
        return _PERSON
    return _PLACE if labels & _PLACE_LABELS else _OTHER
