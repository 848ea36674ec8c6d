import math
from collections.abc import Sequence
from typing import Any

import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_assets.gateways.openai_embedder import EmbeddingModel, OpenAiEmbedder, request_parts
from graphrag_assets.gateways.retry import RetryPolicy
from graphrag_assets.model.embedding_set import EmbeddingSet, checked_vector
from graphrag_assets.model.errors import FailedDocument, QuotaExhausted
from graphrag_assets_tests.fakes.model_server import ScriptedModelServer
from graphrag_assets_tests.gateways.case_files import CASES, json_case

MODEL = EmbeddingModel("test-embedding", 2, revision="r1", max_tokens=512)


def embeddings(*vectors: object, order: Sequence[int] | None = None, tokens: int | None = 7) -> dict[str, object]:
    places = order if order is not None else range(len(vectors))
    data = [{"object": "embedding", "index": place, "embedding": vectors[place]} for place in places]
    return {"data": data, "model": "test-embedding", **({"usage": {"prompt_tokens": tokens}} if tokens is not None else {})}


@pytest.fixture
def embedder(client: openai.OpenAI, policy: RetryPolicy) -> OpenAiEmbedder:
    return OpenAiEmbedder(MODEL, client, policy=policy, batch_size=3)


def test_texts_are_sent_as_they_are_and_without_a_size(embedder: OpenAiEmbedder, server: ScriptedModelServer) -> None:
    server.answer(embeddings([1.0, 0.0]))
    embedder.embed(["Harbour "])
    assert server.requests == [("/v1/embeddings", {"model": "test-embedding", "input": ["Harbour "], "encoding_format": "float"})]


def test_a_set_that_asks_for_its_size_sends_it(client: openai.OpenAI, policy: RetryPolicy, server: ScriptedModelServer) -> None:
    server.answer(embeddings([1.0, 0.0]))
    model = EmbeddingModel("test-embedding", 2, revision="", max_tokens=512, request_dimensions=True)
    OpenAiEmbedder(model, client, policy=policy, batch_size=3).embed(["Harbour"])
    assert server.requests[0][1]["dimensions"] == 2


def test_vectors_come_in_the_order_of_the_texts(embedder: OpenAiEmbedder, server: ScriptedModelServer) -> None:
    server.answer(embeddings([1.0, 0.0], [0.0, 1.0], [0.5, 0.5], order=[2, 0, 1]))
    batch = embedder.embed(["a", "b", "c"])
    assert batch.vectors == ((1.0, 0.0), (0.0, 1.0), (0.5, 0.5))
    assert (batch.input_tokens, batch.calls, batch.tokens_estimated) == (7, 1, False)


def test_vectors_without_a_place_keep_the_servers_order(embedder: OpenAiEmbedder, server: ScriptedModelServer) -> None:
    server.answer({"data": [{"embedding": [1.0, 0.0]}, {"embedding": [0.0, 1.0]}]})
    batch = embedder.embed(["12345", "b"])
    assert batch.vectors == ((1.0, 0.0), (0.0, 1.0))
    assert (batch.input_tokens, batch.tokens_estimated) == (3, True)


@pytest.mark.parametrize(
    "answer",
    [
        embeddings([1.0, 0.0]),
        embeddings([1.0, 0.0], [0.0, 1.0], [1.0, 1.0]),
        embeddings([1.0, 0.0], [0.0, 1.0], order=[0, 0]),
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 5, "embedding": [1.0]}]},
        {"data": []},
        {"data": None},
        {},
    ],
    ids=["one missing", "one too many", "one twice", "a place too far", "none", "null", "no data"],
)
def test_anything_but_one_vector_a_text_fails_and_is_not_asked_again(
    embedder: OpenAiEmbedder, server: ScriptedModelServer, answer: dict[str, Any]
) -> None:
    server.answer(answer)
    with pytest.raises(FailedDocument) as failed:
        embedder.embed(["a", "b"])
    assert (failed.value.code, len(server.requests)) == ("embedding-count", 1)


def test_a_bad_vector_harms_no_other_and_is_found_by_the_sets_own_check(
    client: openai.OpenAI, policy: RetryPolicy, server: ScriptedModelServer
) -> None:
    case = json_case("b07_embedding_responses.json")
    vectors = [vector and [math.nan if x == "NaN" else x for x in vector] for vector in case["vectors"]]
    server.answer(embeddings(*vectors))
    model = EmbeddingModel("test-embedding", case["dimension"], revision="", max_tokens=512)
    batch = OpenAiEmbedder(model, client, policy=policy, batch_size=32).embed(case["inputs"])
    embedding_set = EmbeddingSet(name="served", model="test-embedding", dimensions=case["dimension"])
    stored, codes = [], {}
    for text, vector in zip(case["inputs"], batch.vectors, strict=True):
        try:
            checked_vector(vector, embedding_set)
            stored.append(text)
        except FailedDocument as error:
            codes[text] = error.code
    assert stored == case["may_be_stored"]
    assert codes == {
        "nan": "invalid-embedding",
        "zero": "invalid-embedding",
        "short": "embedding-dimensions",
        "missing": "embedding-dimensions",
    }


@pytest.mark.parametrize(
    "blank", ["", "  \n", (CASES / "b08_whitespace_only.md").read_text(encoding="utf-8")], ids=["none", "space", "unseen"]
)
def test_a_blank_text_never_reaches_the_server(embedder: OpenAiEmbedder, server: ScriptedModelServer, blank: str) -> None:
    with pytest.raises(ValueError, match="text 1 of 2 is blank"):
        embedder.embed(["Harbour", blank])
    assert server.requests == []


def test_no_texts_are_no_request(embedder: OpenAiEmbedder, server: ScriptedModelServer) -> None:
    batch = embedder.embed([])
    assert (batch.vectors, batch.calls, server.requests) == ((), 0, [])


def test_more_texts_than_a_batch_are_several_requests(embedder: OpenAiEmbedder, server: ScriptedModelServer) -> None:
    server.answer(embeddings([1.0, 0.0], [2.0, 0.0], [3.0, 0.0], tokens=30))
    server.answer(embeddings([4.0, 0.0], tokens=10))
    batch = embedder.embed(["a", "b", "c", "d"])
    assert [vector[0] for vector in batch.vectors] == [1.0, 2.0, 3.0, 4.0]
    assert (batch.calls, batch.input_tokens) == (2, 40)
    assert [body["input"] for _, body in server.requests] == [["a", "b", "c"], ["d"]]


def test_a_part_that_fails_is_asked_again_alone(embedder: OpenAiEmbedder, server: ScriptedModelServer) -> None:
    server.answer(embeddings([1.0, 0.0], [2.0, 0.0], [3.0, 0.0]))
    server.answer({}, status=503)
    server.answer(embeddings([4.0, 0.0]))
    batch = embedder.embed(["a", "b", "c", "d"])
    assert (batch.calls, batch.retries, batch.rate_limited) == (2, 1, 0)
    assert [body["input"] for _, body in server.requests] == [["a", "b", "c"], ["d"], ["d"]]


@pytest.mark.parametrize("body", [b"<html>proxy</html>", b"[]"], ids=["a page", "a list"])
def test_an_answer_that_is_no_object_fails_as_an_embedding(embedder: OpenAiEmbedder, server: ScriptedModelServer, body: bytes) -> None:
    for _ in range(5):
        server.answer(body)
    with pytest.raises(FailedDocument) as failed:
        embedder.embed(["a"])
    assert (failed.value.code, len(server.requests)) == ("embedding-failed", 5)


def test_a_refused_embedding_fails_as_an_embedding(embedder: OpenAiEmbedder, server: ScriptedModelServer) -> None:
    server.answer({"error": {"message": "no"}}, status=400)
    with pytest.raises(FailedDocument) as failed:
        embedder.embed(["a"])
    assert failed.value.code == "embedding-failed"


def test_no_money_left_ends_embedding_at_once(embedder: OpenAiEmbedder, server: ScriptedModelServer) -> None:
    server.answer({"error": {"code": "insufficient_quota"}}, status=429)
    with pytest.raises(QuotaExhausted):
        embedder.embed(["a"])
    assert len(server.requests) == 1


@given(texts=st.lists(st.text(min_size=1, max_size=20), max_size=30), batch_size=st.integers(1, 8), bound=st.integers(1, 60))
def test_parts_keep_both_bounds_the_order_and_every_text(texts: list[str], batch_size: int, bound: int) -> None:
    parts = [list(part) for part in request_parts(texts, batch_size, max_request_tokens=bound)]
    assert [text for part in parts for text in part] == texts
    for part in parts:
        assert 1 <= len(part) <= batch_size
        assert len(part) == 1 or sum(len(text.encode()) for text in part) <= bound
