"""Embeddings of an OpenAI-compatible server, in requests that keep its limits on texts and on tokens."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import openai
from typing_extensions import override

from graphrag_assets.gateways.blank_texts import refuse_blank_texts
from graphrag_assets.gateways.embedder import Embedder, EmbeddingBatch
from graphrag_assets.gateways.openai_client import translated
from graphrag_assets.gateways.retry import RetryPolicy, RetrySummary
from graphrag_assets.gateways.tokens import ByteTokenCounter
from graphrag_assets.model.errors import FailedDocument, TransientError

MAX_REQUEST_TOKENS: Final = 300_000
_FAILED: Final = "embedding-failed"

Json = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """One embedding model of a server.

    Args:
        name: Its name there.
        dimensions: Numbers of a vector.
        revision: What else tells its vectors from others'; the server does not say.
        max_tokens: Tokens that it reads of one text.
        request_dimensions: Ask for ``dimensions``; only models that can shorten their vectors take it.
    """

    name: str
    dimensions: int
    revision: str
    max_tokens: int
    request_dimensions: bool = False


class OpenAiEmbedder(Embedder):
    """An embedding model of a server.

    Args:
        client: Made by `open_client`.
        policy: Which failures are tried again, and the limiter shared with other lanes.
        batch_size: Texts of one request at most.
        max_request_tokens: Tokens of one request at most.
    """

    def __init__(
        self,
        model: EmbeddingModel,
        client: openai.OpenAI,
        *,
        policy: RetryPolicy,
        batch_size: int,
        max_request_tokens: int = MAX_REQUEST_TOKENS,
    ) -> None:
        self.model = model.name
        self.revision = model.revision
        self.dimensions = model.dimensions
        self.max_tokens = model.max_tokens
        self._request_dimensions = model.request_dimensions
        self._client = client
        self._policy = policy
        self._batch_size = batch_size
        self._max_request_tokens = max_request_tokens

    @override
    def embed(self, texts: Sequence[str]) -> EmbeddingBatch:
        refuse_blank_texts(texts)
        parts = [self._embed_part(part) for part in request_parts(texts, self._batch_size, max_request_tokens=self._max_request_tokens)]
        summary = sum((spent for _, spent in parts), RetrySummary())
        return EmbeddingBatch(
            vectors=tuple(vector for part, _ in parts for vector in part.vectors),
            input_tokens=sum(part.input_tokens for part, _ in parts),
            calls=len(parts),
            tokens_estimated=any(part.tokens_estimated for part, _ in parts),
            retries=summary.retries,
            rate_limited=summary.rate_limited,
            waited_seconds=summary.waited_seconds,
        )

    def _embed_part(self, texts: Sequence[str]) -> tuple[EmbeddingBatch, RetrySummary]:
        answer, summary = self._policy.run(lambda: self._ask(texts))
        vectors = _in_order(answer.get("data"), len(texts))
        tokens = _prompt_tokens(answer.get("usage"))
        counted = sum(ByteTokenCounter().count_many(list(texts))) if tokens is None else tokens
        return EmbeddingBatch(vectors, counted, tokens_estimated=tokens is None), summary

    def _ask(self, texts: Sequence[str]) -> Json:
        body: dict[str, Any] = {"model": self.model, "input": list(texts), "encoding_format": "float"}
        if self._request_dimensions:
            body["dimensions"] = self.dimensions
        try:
            content = self._client.embeddings.with_raw_response.create(**body).content
        except openai.OpenAIError as error:
            failure = translated(error, _FAILED)
        else:
            return _read(content)
        raise failure


def request_parts(texts: Sequence[str], batch_size: int, *, max_request_tokens: int = MAX_REQUEST_TOKENS) -> Iterator[Sequence[str]]:
    """Texts in the parts that are sent as one request each, in order.

    A token has at least one byte, so bytes are counted: the bound holds whatever the server's tokenizer. A text that is
    longer than the bound goes alone.
    """
    start, size = 0, 0
    for position, text in enumerate(texts):
        length = len(text.encode())
        if position > start and (position - start >= batch_size or size + length > max_request_tokens):
            yield texts[start:position]
            start, size = position, 0
        size += length
    if start < len(texts):
        yield texts[start:]


def _read(content: bytes) -> Json:
    try:
        answer: object = json.loads(content)
    except ValueError:
        answer = None
    if isinstance(answer, dict):
        return cast("Json", answer)
    # A proxy's page, or an answer that broke off.
    raise TransientError(
        _FAILED, f"The model's server answered 200 with {len(content)} bytes that are no JSON object.", "Check OPENAI_BASE_URL."
    )


def _in_order(data: object, expected: int) -> tuple[Sequence[float], ...]:
    """Vectors in the order of the texts. What stands in them is checked by who knows the embedding set."""
    items = [cast("Json", item) for item in cast("list[object]", data) if isinstance(item, dict)] if isinstance(data, list) else []
    places = [item.get("index", position) for position, item in enumerate(items)]
    if sorted(places, key=str) != sorted(range(expected), key=str):
        raise FailedDocument(
            "embedding-count",
            f"{expected} texts were sent, {len(items)} vectors came back, or not one for each.",
            "Lower ingestion.embedding_batch_size, or check the model's server.",
        )
    by_place = {place: _numbers(item.get("embedding")) for place, item in zip(places, items, strict=True)}
    return tuple(by_place[place] for place in range(expected))


def _numbers(vector: object) -> tuple[float, ...]:
    values = cast("list[object]", vector) if isinstance(vector, list) else []
    return tuple(float(value) if isinstance(value, (int, float)) else math.nan for value in values)


def _prompt_tokens(usage: object) -> int | None:
    tokens = cast("Json", usage).get("prompt_tokens") if isinstance(usage, dict) else None
    return tokens if isinstance(tokens, int) else None
