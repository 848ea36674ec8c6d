"""From a model's reply to a verified answer or a refusal. Pure: the same reply and items give the same outcome.

A citation counts only when its label is exactly the id of an item of this question and its quote stands in that item.
What is recorded is the stored text at its span, never the model's spelling of it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graphrag_assets.gateways.chat import ChatReply
from graphrag_assets.model.evidence import Citation, EvidenceItem, RefusalReason
from graphrag_assets.model.quotes import locate_quote
from graphrag_assets.retrieval.budget import pages_within

_FENCE: Final = re.compile(r"\A\s*```[a-zA-Z]*\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)


class _CitationReply(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")
    chunk_id: str
    quote: str


class _StatementReply(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")
    text: Annotated[str, Field(pattern=r"\S")]
    citations: list[_CitationReply]


class _AnswerReply(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")
    insufficient: bool
    statements: list[_StatementReply]


@dataclass(frozen=True, slots=True)
class Verified:
    """An answer all of whose citations hold. The text refers to them by number: ``[1]`` is the first."""

    answer: str
    citations: tuple[Citation, ...]
    withdrawn: int = 0


@dataclass(frozen=True, slots=True)
class Rejected:
    """A reply that carries no answer, and why; ``withdrawn`` counts statements dropped before nothing was left."""

    reason: RefusalReason
    withdrawn: int = 0


@dataclass(frozen=True, slots=True)
class _Statement:
    text: str
    citations: tuple[Citation, ...]


def verify_reply(reply: ChatReply, items: Sequence[EvidenceItem], on_bad_citation: Literal["refuse", "withdraw"]) -> Verified | Rejected:
    """Check a reply against the items that were sent.

    Args:
        items: The evidence items of this question; nothing else can be cited.
        on_bad_citation: Whether one bad citation refuses the answer, or takes its statement away.
    """
    read = _read(reply)
    if read is None:
        return Rejected("unreadable-reply")
    if read.insufficient:
        return Rejected("insufficient")
    by_id = {item.chunk_id: item for item in items}
    checked = [_check(statement, by_id) for statement in read.statements]
    bad = [outcome for outcome in checked if isinstance(outcome, Rejected)]
    held = [statement for statement in checked if isinstance(statement, _Statement)]
    if not held or (bad and on_bad_citation == "refuse"):
        return Rejected(bad[0].reason if bad else "no-citation", len(bad) if on_bad_citation == "withdraw" else 0)
    return _joined(held, len(bad))


def _read(reply: ChatReply) -> _AnswerReply | None:
    """The finish reason comes first: half a JSON object is never mended, and a refusal is no answer."""
    if reply.finish_reason != "stop":
        return None
    fenced = _FENCE.match(reply.text)
    try:
        return _AnswerReply.model_validate_json(fenced.group(1) if fenced else reply.text)
    except ValidationError:
        return None


def _check(statement: _StatementReply, by_id: Mapping[str, EvidenceItem]) -> _Statement | Rejected:
    if not statement.citations:
        return Rejected("no-citation")
    citations: list[Citation] = []
    for cited in statement.citations:
        item = by_id.get(cited.chunk_id)
        if item is None:
            return Rejected("unknown-chunk")
        citation = located(item, cited.quote)
        if citation is None:
            return Rejected("quote-not-found")
        citations.append(citation)
    return _Statement(statement.text, tuple(citations))


def located(item: EvidenceItem, quote: str) -> Citation | None:
    """The citation of ``quote`` within an item: the stored text and its place in the document; None when it is not there."""
    span = locate_quote(item.text, quote)
    if span is None:
        return None
    return Citation(
        chunk_id=item.chunk_id,
        document_id=item.document_id,
        uri=item.uri,
        start=item.start + span.start,
        end=item.start + span.end,
        quote=span.text(item.text.encode()),
        pages=pages_within(item, item.start + span.start, item.start + span.end),
        text_origin=item.text_origin,
        grounding=item.grounding,
    )


def _joined(statements: Sequence[_Statement], withdrawn: int) -> Verified:
    numbers: dict[Citation, int] = {}
    lines: list[str] = []
    for statement in statements:
        marks = dict.fromkeys(numbers.setdefault(citation, len(numbers) + 1) for citation in statement.citations)
        lines.append(f"{statement.text.strip()} {''.join(f'[{mark}]' for mark in marks)}")
    return Verified("\n".join(lines), tuple(numbers), withdrawn)
