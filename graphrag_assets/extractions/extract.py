"""The two halves of extraction: asking, which is paid, and building, which is a pure function of the replies."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from graphrag_assets.extractions.kept_items import KeptItems
from graphrag_assets.extractions.merging import merge_chunks
from graphrag_assets.extractions.ontology import Ontology
from graphrag_assets.extractions.prompts import extraction_request, second_ask
from graphrag_assets.extractions.pruning import ChunkPruner, ExtractionVerifier
from graphrag_assets.extractions.replies import Unreadable, outcome_of, read_items, without_surrogates
from graphrag_assets.gateways.chat import ChatModel, ChatReply, ChatRequest
from graphrag_assets.model.documents import LoadedDocument
from graphrag_assets.model.extraction import Extraction, ExtractionReply, Pruned, Quarantined
from graphrag_assets.model.limits import QUARANTINED_TEXT_CHARACTERS
from graphrag_assets.model.plans import Chunk, ChunkPlan
from graphrag_assets.model.settings import ExtractionSettings

EXTRACTOR_VERSION: Final = "1"
Reuse = Callable[[str], ExtractionReply | None]


def ask(
    plan: ChunkPlan,
    ontology: Ontology,
    settings: ExtractionSettings,
    chat: ChatModel,
    *,
    reuse: Reuse,
    on_paid: Callable[[ExtractionReply], None],
) -> tuple[ExtractionReply, ...]:
    """Ask about every chunk that has something in it, in order.

    Args:
        reuse: Request hash to a reply that was paid for earlier.
        on_paid: Called with each new reply at once, so that a failure later on loses none.

    Raises:
        FailedDocument: What the model raises; a reply that cannot be used is an outcome, not an error.
    """
    replies: list[ExtractionReply] = []
    paid: dict[str, ExtractionReply] = {}
    for chunk in plan.chunks:
        if chunk.blank:
            continue
        request = extraction_request(chunk, ontology, settings)
        request_hash = request.hash(chat.model)
        earlier = paid.get(request_hash) or reuse(request_hash)
        if earlier is not None and not _deserves_second_ask(earlier, settings):
            replies.append(replace(earlier, chunk_id=chunk.chunk_id, reused=True))
            continue
        reply = _ask(request, request_hash, chunk, chat, settings)
        on_paid(reply)
        paid[request_hash] = reply
        replies.append(reply)
    return tuple(replies)


def _deserves_second_ask(earlier: ExtractionReply, settings: ExtractionSettings) -> bool:
    """Whether an unreadable reply was asked for once while the settings now allow a second ask."""
    return earlier.outcome == "unreadable-reply" and earlier.attempts == 1 and settings.retry_unreadable_replies


def _ask(request: ChatRequest, request_hash: str, chunk: Chunk, chat: ChatModel, settings: ExtractionSettings) -> ExtractionReply:
    first = chat.complete(request)
    outcome, problem = outcome_of(first)
    if outcome != "unreadable-reply" or not settings.retry_unreadable_replies:
        return _reply(request, request_hash, chunk, [first])
    return _reply(request, request_hash, chunk, [first, chat.complete(second_ask(request, problem))])


def _reply(request: ChatRequest, request_hash: str, chunk: Chunk, asked: Sequence[ChatReply]) -> ExtractionReply:
    last = asked[-1]
    outcome, _ = outcome_of(last)
    return ExtractionReply(
        chunk_id=chunk.chunk_id,
        request_hash=request_hash,
        prompt_hash=request.prompt_hash(),
        model=last.model,
        text=without_surrogates(last.text),
        finish_reason=last.finish_reason,
        outcome=outcome,
        input_tokens=sum(reply.input_tokens for reply in asked),
        output_tokens=sum(reply.output_tokens for reply in asked),
        attempts=len(asked),
        repaired=len(asked) > 1 and outcome == "read",
        tokens_estimated=any(reply.tokens_estimated for reply in asked),
        retries=sum(reply.retries for reply in asked),
        rate_limited=sum(reply.rate_limited for reply in asked),
        waited_seconds=sum(reply.waited_seconds for reply in asked),
    )


def build_extraction(
    document: LoadedDocument,
    plan: ChunkPlan,
    replies: Sequence[ExtractionReply],
    ontology: Ontology,
    settings: ExtractionSettings,
    *,
    verifier: ExtractionVerifier | None = None,
) -> Extraction:
    """What a document states: every item checked and found in its bytes, put together over its chunks.

    Pure: the same replies give the same extraction, in every process.
    """
    chunks = {chunk.chunk_id: chunk for chunk in plan.chunks}
    kept: list[tuple[Chunk, KeptItems]] = []
    pruned: list[Pruned] = []
    quarantined: list[Quarantined] = []
    for reply in replies:
        items = read_items(reply.text) if reply.outcome == "read" else None
        if items is None or isinstance(items, Unreadable):
            code = "unreadable-reply" if reply.outcome == "read" else reply.outcome
            quarantined.append(Quarantined(reply.chunk_id, code, reply.text[:QUARANTINED_TEXT_CHARACTERS]))
            continue
        chunk = chunks[reply.chunk_id]
        found = ChunkPruner(chunk, ontology, settings, verifier).prune(items)
        kept.append((chunk, found))
        pruned += found.pruned
    merged = merge_chunks(document, kept)
    return Extraction(
        document_id=document.document_id,
        ontology_fingerprint=ontology.fingerprint,
        extractor_version=EXTRACTOR_VERSION,
        things=merged.things,
        facts=merged.facts,
        mentions=merged.mentions,
        quotes=merged.quotes,
        pruned=(*pruned, *merged.pruned),
        quarantined=tuple(quarantined),
    )
