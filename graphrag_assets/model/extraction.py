"""What a document says: things, facts, mentions and quotes that were found in its bytes, and what was not kept."""

from dataclasses import dataclass, field
from typing import Literal

from graphrag_assets.model.spans import ByteSpan

DOCUMENT_END = "Document"
PRUNE_REASONS = (
    "unknown-kind",
    "unknown-fact",
    "triple-not-allowed",
    "end-not-kept",
    "no-name",
    "name-too-long",
    "quote-not-found",
    "over-limit",
    "not-storable",
    "self-fact",
    "duplicate",
    "verifier",
)
QUARANTINE_CODES = ("unreadable-reply", "truncated", "refused", "filtered", "empty-reply")


@dataclass(frozen=True, slots=True)
class Mention:
    """One place where a chunk names a thing. ``span`` counts the document's bytes; ``quote`` is exactly its text."""

    chunk_id: str
    thing_id: str
    span: ByteSpan
    quote: str


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing as one document states it. ``name`` is as written, ``aliases`` are sorted and hold no name twice."""

    thing_id: str
    kind: str
    name: str
    aliases: tuple[str, ...] = ()
    description: str | None = None
    is_placeholder: bool = False


@dataclass(frozen=True, slots=True)
class Fact:
    """A typed relation that this document states.

    Args:
        source_id: A thing's id, or the document's when ``source_is_document``.
        target_id: Likewise.
        chunk_ids: Sorted ids of this document's chunks that state it.
    """

    fact_id: str
    type: str
    source_id: str
    target_id: str
    chunk_ids: tuple[str, ...]
    role: str | None = None
    kind: str | None = None
    description: str | None = None
    weight: float = 1.0
    source_is_document: bool = False
    target_is_document: bool = False


@dataclass(frozen=True, slots=True)
class SpokenQuote:
    """Words that a speaker says in a chunk (``SAYS``, ``QUOTED``)."""

    key: str
    type: str
    chunk_id: str
    speaker_id: str
    span: ByteSpan
    words: str
    addressee: str | None = None


@dataclass(frozen=True, slots=True)
class Pruned:
    """An item of a reply that was not kept. ``item`` says which, by kind and position, never by text."""

    chunk_id: str
    reason: str
    item: str


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A reply that could not be used. ``text`` is cut to a bounded length and stays in the artifact alone."""

    chunk_id: str
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """The free part of one document's extraction: a pure function of its replies, its plan and the ontology."""

    document_id: str
    ontology_fingerprint: str
    extractor_version: str
    things: tuple[Thing, ...] = ()
    facts: tuple[Fact, ...] = ()
    mentions: tuple[Mention, ...] = ()
    quotes: tuple[SpokenQuote, ...] = ()
    pruned: tuple[Pruned, ...] = ()
    quarantined: tuple[Quarantined, ...] = ()
    notes: tuple[str, ...] = field(default=())


ReplyOutcome = Literal["read", "truncated", "refused", "filtered", "empty-reply", "unreadable-reply"]


@dataclass(frozen=True, slots=True)
class ExtractionReply:
    """One paid reply as it came.

    Args:
        request_hash: Of the request that was sent; equal requests are paid once.
        outcome: ``read`` when the text parsed as JSON for the schema, else the quarantine code.
        attempts: Requests sent for it (a second ask for an unreadable reply counts).
        reused: True when the reply was copied from an earlier payment.
    """

    chunk_id: str
    request_hash: str
    prompt_hash: str
    model: str
    text: str
    finish_reason: str
    outcome: ReplyOutcome
    input_tokens: int
    output_tokens: int
    attempts: int
    repaired: bool = False
    reused: bool = False
    tokens_estimated: bool = False
    retries: int = 0
    rate_limited: int = 0
    waited_seconds: float = 0.0
