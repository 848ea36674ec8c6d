"""Items of a reply that passed their own checks, with spans in the chunk, before a document puts them together."""

from dataclasses import dataclass, field

from graphrag_assets.model.extraction import Pruned
from graphrag_assets.model.spans import ByteSpan


@dataclass(frozen=True, slots=True)
class KeptThing:
    """A thing of one chunk. Spans count the chunk's bytes and are sorted; ``phrases`` are the texts of its mentions."""

    kind: str
    name: str
    aliases: tuple[str, ...]
    description: str | None
    spans: tuple[ByteSpan, ...]
    phrases: tuple[str, ...]
    is_placeholder: bool


@dataclass(frozen=True, slots=True)
class KeptFact:
    """A fact of one chunk; its ends are positions among the chunk's kept things, None for the document itself.

    ``position`` is where the reply lists it.
    """

    type: str
    source: int | None
    target: int | None
    role: str | None
    kind: str | None
    description: str | None
    weight: float
    position: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class KeptQuote:
    """Words of one chunk and the position of who says them."""

    type: str
    speaker: int
    span: ByteSpan
    addressee: str | None


@dataclass(frozen=True, slots=True)
class KeptItems:
    """What a chunk's reply leaves."""

    things: tuple[KeptThing, ...] = ()
    facts: tuple[KeptFact, ...] = ()
    quotes: tuple[KeptQuote, ...] = ()
    pruned: tuple[Pruned, ...] = ()
