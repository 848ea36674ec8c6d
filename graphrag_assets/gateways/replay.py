"""Models that record what a real model answers, and models that answer from recordings alone.

A recording is found by the hash of its request, so a changed prompt, schema, chunk or batch needs a new one.
"""

from collections.abc import Sequence

from typing_extensions import override

from graphrag_assets.gateways.blank_texts import refuse_blank_texts
from graphrag_assets.gateways.chat import ChatModel, ChatReply, ChatRequest
from graphrag_assets.gateways.clock import Clock
from graphrag_assets.gateways.embedder import Embedder, EmbeddingBatch
from graphrag_assets.gateways.recordings import HINT_CHARACTERS, ChatRecording, EmbeddingRecording, Recordings, packed, unpacked
from graphrag_assets.model.errors import UsageError
from graphrag_assets.model.ids import request_hash


class RecordingChat(ChatModel):
    """Answers from the recordings, and asks the real model for what is missing there, within the budget.

    Raises:
        UsageError: ``recording-budget``, ``recording-holds-secret``.
    """

    def __init__(self, inner: ChatModel, recordings: Recordings, *, clock: Clock) -> None:
        self.model = inner.model
        self.stand_in = inner.stand_in
        self._inner = inner
        self._recordings = recordings
        self._clock = clock

    @override
    def complete(self, request: ChatRequest) -> ChatReply:
        hashed = request.hash(self.model)
        if (found := _recorded_reply(self._recordings, hashed)) is not None:
            return found
        self._recordings.spend()
        reply = self._inner.complete(request)
        recording = ChatRecording(
            model=reply.model,
            recorded=self._clock.now(),
            hint=_chat_hint(request),
            input_tokens=reply.input_tokens,
            tokens_estimated=reply.tokens_estimated,
            text=reply.text,
            finish_reason=reply.finish_reason,
            output_tokens=reply.output_tokens,
            details=dict(reply.details),
        )
        self._recordings.keep(hashed, recording)
        return reply


class ReplayChat(ChatModel):
    """Answers from the recordings of one model; never calls anything.

    Raises:
        UsageError: ``recording-missing``.
    """

    def __init__(self, model: str, recordings: Recordings) -> None:
        self.model = model
        self._recordings = recordings

    @override
    def complete(self, request: ChatRequest) -> ChatReply:
        hashed = request.hash(self.model)
        reply = _recorded_reply(self._recordings, hashed)
        if reply is None:
            raise _missing(f"a request of the role {request.role!r}", hashed, self.model)
        return reply


class RecordingEmbedder(Embedder):
    """As `RecordingChat`, for vectors. What it gives is rounded to float32, so a replay gives exactly the same."""

    def __init__(self, inner: Embedder, recordings: Recordings, *, clock: Clock) -> None:
        self.model = inner.model
        self.revision = inner.revision
        self.dimensions = inner.dimensions
        self.max_tokens = inner.max_tokens
        self.stand_in = inner.stand_in
        self._inner = inner
        self._recordings = recordings
        self._clock = clock

    @override
    def embed(self, texts: Sequence[str]) -> EmbeddingBatch:
        refuse_blank_texts(texts)
        if not texts:
            return EmbeddingBatch((), 0, calls=0)
        hashed = embedding_request_hash(self.model, self.dimensions, texts)
        if (found := _recorded_vectors(self._recordings, hashed)) is not None:
            return found
        self._recordings.spend()
        batch = self._inner.embed(texts)
        recording = EmbeddingRecording(
            model=self.model,
            recorded=self._clock.now(),
            hint=texts[0][:HINT_CHARACTERS],
            input_tokens=batch.input_tokens,
            tokens_estimated=batch.tokens_estimated,
            calls=batch.calls,
            vectors=tuple(packed(vector) for vector in batch.vectors),
        )
        self._recordings.keep(hashed, recording)
        return EmbeddingBatch(
            tuple(unpacked(vector) for vector in recording.vectors),
            batch.input_tokens,
            batch.calls,
            batch.tokens_estimated,
            batch.retries,
            batch.rate_limited,
            batch.waited_seconds,
        )


class ReplayEmbedder(Embedder):
    """Answers from the recordings of one model; never calls anything.

    Raises:
        UsageError: ``recording-missing``.
    """

    def __init__(self, model: str, recordings: Recordings, *, dimensions: int, revision: str, max_tokens: int) -> None:
        self.model = model
        self.revision = revision
        self.dimensions = dimensions
        self.max_tokens = max_tokens
        self._recordings = recordings

    @override
    def embed(self, texts: Sequence[str]) -> EmbeddingBatch:
        refuse_blank_texts(texts)
        if not texts:
            return EmbeddingBatch((), 0, calls=0)
        hashed = embedding_request_hash(self.model, self.dimensions, texts)
        batch = _recorded_vectors(self._recordings, hashed)
        if batch is None:
            raise _missing(f"an embedding request of {len(texts)} texts", hashed, self.model)
        return batch


def embedding_request_hash(model: str, dimensions: int, texts: Sequence[str]) -> str:
    """Hash of an embedding request: model, dimensions and the texts in their order."""
    return request_hash("embedding", [model, dimensions, list(texts)])


def _recorded_reply(recordings: Recordings, hashed: str) -> ChatReply | None:
    found = recordings.find(hashed)
    if not isinstance(found, ChatRecording):
        return None
    return ChatReply(
        found.text,
        found.finish_reason,
        found.model,
        found.input_tokens,
        found.output_tokens,
        found.tokens_estimated,
        details=found.details,
    )


def _recorded_vectors(recordings: Recordings, hashed: str) -> EmbeddingBatch | None:
    found = recordings.find(hashed)
    if not isinstance(found, EmbeddingRecording):
        return None
    return EmbeddingBatch(tuple(unpacked(vector) for vector in found.vectors), found.input_tokens, found.calls, found.tokens_estimated)


def _chat_hint(request: ChatRequest) -> str:
    texts = [request.question, *(passage.text for passage in request.passages)]
    return next((text for text in texts if text), "")[:HINT_CHARACTERS]


def _missing(what: str, hashed: str, model: str) -> UsageError:
    return UsageError(
        "recording-missing",
        f"there is no recording of {what} to {model!r} ({hashed[:12]}).",
        "Record it: run once with profile: record and OPENAI_API_KEY.",
    )
