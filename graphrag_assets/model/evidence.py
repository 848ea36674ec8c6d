"""Evidence, citations and answers: what retrieval selects and what the verifier lets through."""

from dataclasses import dataclass, field
from typing import Literal

from graphrag_assets.model.limits import Limit

Route = Literal["vector", "full-text", "graph"]
RefusalReason = Literal["no-evidence", "insufficient", "unreadable-reply", "unknown-chunk", "quote-not-found", "no-citation", "empty-scope"]
Grounding = Literal["source", "chunk"]


@dataclass(frozen=True, slots=True)
class RouteRank:
    """Where one route ranked an item (from 1), and the route's own score."""

    route: Route
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """One chunk, or its beginning when the budget cut it: ``text`` is always exactly the bytes from start to end.

    Args:
        page_starts: Number and first byte of each page that the chunk touches, in order; empty without pages.
    """

    chunk_id: str
    document_id: str
    uri: str
    start: int
    end: int
    text: str
    score: float
    routes: tuple[RouteRank, ...]
    why: str = ""
    title: str | None = None
    heading_path: str = ""
    pages: tuple[int, ...] = ()
    text_origin: str = "source"
    grounding: Grounding = "source"
    page_starts: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ContextItem:
    """Labelled context (a neighbour chunk, a fact line): to read, never to cite."""

    text: str
    reason: str
    chunk_id: str | None = None


@dataclass(frozen=True, slots=True)
class EvidenceReceipt:
    """What a retrieval did and with what: route, server, sets, indexes, counts, calls, times."""

    route: str
    server_version: str
    embedding_set: str
    indexes: tuple[str, ...]
    utf8_bytes: int
    embedding_calls: int
    stand_ins: tuple[str, ...] = ()
    seconds: float = 0.0
    details: dict[str, int | float | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Selected evidence for one question, in rank order."""

    question: str
    items: tuple[EvidenceItem, ...]
    context: tuple[ContextItem, ...]
    omitted: int
    limits: tuple[Limit, ...]
    receipt: EvidenceReceipt


@dataclass(frozen=True, slots=True)
class Citation:
    """A verified citation: ``quote`` is exactly the document's bytes ``[start, end)``."""

    chunk_id: str
    document_id: str
    uri: str
    start: int
    end: int
    quote: str
    pages: tuple[int, ...] = ()
    text_origin: str = "source"
    grounding: Grounding = "source"


@dataclass(frozen=True, slots=True)
class AnswerReceipt:
    """Chat calls, tokens and times of one answer, and what was dropped on the way."""

    chat_model: str
    chat_calls: int
    input_tokens: int
    output_tokens: int
    retrieval_seconds: float
    answer_seconds: float
    withdrawn_statements: int = 0
    stand_ins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer whose every citation was found in the stored bytes."""

    answer: str
    citations: tuple[Citation, ...]
    evidence: Evidence
    receipt: AnswerReceipt


@dataclass(frozen=True, slots=True)
class Refused:
    """No answer: the evidence does not carry one, or a citation failed. There is a reason and no text."""

    reason: RefusalReason
    evidence: Evidence
    receipt: AnswerReceipt


Answer = Answered | Refused
