from dataclasses import replace

import openai
import pytest

from graphrag_assets.gateways.openai_chat import OpenAiChat, output_bound_name
from graphrag_assets.gateways.retry import RetryPolicy
from graphrag_assets.gateways.token_estimates import estimated_input_tokens
from graphrag_assets.model.errors import FailedDocument
from graphrag_assets_tests.fakes.clock import FakeClock
from graphrag_assets_tests.fakes.model_server import ScriptedModelServer, completion
from graphrag_assets_tests.gateways.case_files import json_case
from graphrag_assets_tests.gateways.chat_requests import PASSAGE, SCHEMA, chat_request

ENDINGS = {case["case"]: case for case in json_case("b11_llm_responses.json")}


@pytest.fixture
def chat(client: openai.OpenAI, policy: RetryPolicy) -> OpenAiChat:
    return OpenAiChat("test-model", client, policy)


def test_a_request_is_sent_with_its_schema_and_bound(chat: OpenAiChat, server: ScriptedModelServer) -> None:
    server.answer(completion('{"answer": "Harbour"}'))
    request = chat_request(max_output_tokens=123)
    chat.complete(request)
    path, body = server.requests[0]
    assert path == "/v1/chat/completions"
    assert body == {
        "model": "test-model",
        "messages": list(request.messages()),
        "max_tokens": 123,
        "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}},
    }


def test_the_strict_flag_is_the_requests_own(chat: OpenAiChat, server: ScriptedModelServer) -> None:
    server.answer(completion("{}"))
    chat.complete(chat_request(strict=False))
    assert server.requests[0][1]["response_format"]["json_schema"]["strict"] is False


def test_a_request_without_schema_asks_for_plain_text(chat: OpenAiChat, server: ScriptedModelServer) -> None:
    server.answer(completion("Harbour"))
    chat.complete(chat_request(schema={}))
    assert "response_format" not in server.requests[0][1]


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("api.openai.com", "max_completion_tokens"),
        ("example.openai.azure.com", "max_completion_tokens"),
        ("notopenai.com", "max_tokens"),
        ("127.0.0.1", "max_tokens"),
    ],
)
def test_the_bound_on_output_has_the_name_that_the_server_knows(host: str, name: str) -> None:
    assert output_bound_name(host) == name


def test_a_reply_carries_what_the_server_counted(chat: OpenAiChat, server: ScriptedModelServer) -> None:
    server.answer(completion('{"answer": "Harbour"}'))
    reply = chat.complete(chat_request())
    assert (reply.text, reply.finish_reason, reply.model) == ('{"answer": "Harbour"}', "stop", "test-model")
    assert (reply.input_tokens, reply.output_tokens, reply.tokens_estimated) == (17, 5, False)


def test_tokens_are_estimated_and_marked_where_the_server_counts_none(chat: OpenAiChat, server: ScriptedModelServer) -> None:
    server.answer({"choices": [{"finish_reason": "stop", "message": {"content": "12345678"}}]})
    request = chat_request()
    reply = chat.complete(request)
    assert (reply.input_tokens, reply.output_tokens, reply.tokens_estimated) == (estimated_input_tokens(request), 2, True)


def test_another_name_of_the_served_model_and_its_reasoning_are_kept(chat: OpenAiChat, server: ScriptedModelServer) -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 90, "completion_tokens_details": {"reasoning_tokens": 64}}
    server.answer({**completion("{}"), "model": "test-model-2026-01", "usage": usage})
    reply = chat.complete(chat_request())
    assert (reply.model, reply.output_tokens) == ("test-model", 90)
    assert reply.details == {"served_model": "test-model-2026-01", "reasoning_tokens": "64"}


@pytest.mark.parametrize("case", json_case("b10_llm_responses.json"), ids=lambda case: case["case"])
def test_a_reply_cut_at_the_bound_is_called_so_whatever_its_text(
    chat: OpenAiChat, server: ScriptedModelServer, case: dict[str, str | None]
) -> None:
    server.answer(completion(case["content"], "length"))
    reply = chat.complete(chat_request())
    assert (reply.finish_reason, reply.text) == ("length", case["content"] or "")
    assert len(server.requests) == 1


def test_length_is_said_before_a_refusal(chat: OpenAiChat, server: ScriptedModelServer) -> None:
    server.answer(completion(None, "length", refusal="I am sorry, but"))
    assert chat.complete(chat_request()).finish_reason == "length"


def ending(chat: OpenAiChat, server: ScriptedModelServer, name: str) -> tuple[str, str, dict[str, str]]:
    server.answer(ENDINGS[name]["body"], status=ENDINGS[name]["http"])
    reply = chat.complete(chat_request())
    assert len(server.requests) == 1, "none of these is sent again"
    return reply.finish_reason, reply.text, dict(reply.details)


def test_a_refusal_keeps_its_words(chat: OpenAiChat, server: ScriptedModelServer) -> None:
    assert ending(chat, server, "refusal") == ("refusal", "cannot help with that", {})


def test_an_answer_without_choices_is_a_failure_that_may_pass(chat: OpenAiChat, server: ScriptedModelServer, clock: FakeClock) -> None:
    for _ in range(5):
        server.answer(ENDINGS["no choices"]["body"])
    with pytest.raises(FailedDocument, match="no choices") as failed:
        chat.complete(chat_request())
    assert failed.value.code == "extraction-failed"
    assert (len(server.requests), clock.sleeps) == (5, [1.0, 2.0, 4.0, 8.0])


def test_a_reply_without_message_is_empty(chat: OpenAiChat, server: ScriptedModelServer) -> None:
    assert ending(chat, server, "message null") == ("empty", "", {"empty": "no message"})


def test_a_filtered_reply_is_named(chat: OpenAiChat, server: ScriptedModelServer) -> None:
    assert ending(chat, server, "filtered output") == ("content-filter", '{"entities": [', {"filtered": "reply"})


def test_a_filtered_prompt_is_named_and_not_sent_again(chat: OpenAiChat, server: ScriptedModelServer) -> None:
    assert ending(chat, server, "filtered prompt") == ("content-filter", "", {"filtered": "prompt"})


def test_only_a_reply_that_says_so_found_nothing(chat: OpenAiChat, server: ScriptedModelServer) -> None:
    assert ending(chat, server, "truly nothing found") == ("stop", '{"entities": [], "relations": []}', {})


@pytest.mark.parametrize("content", [None, "", " \n"], ids=["null", "no text", "blank"])
def test_a_message_that_shows_nothing_is_empty(chat: OpenAiChat, server: ScriptedModelServer, content: str | None) -> None:
    server.answer(completion(content))
    reply = chat.complete(chat_request())
    assert (reply.finish_reason, reply.text, reply.details) == ("empty", "", {"empty": "no text"})


def test_an_unknown_ending_is_kept_beside_the_text(chat: OpenAiChat, server: ScriptedModelServer) -> None:
    server.answer(completion("{}", "tool_calls"))
    reply = chat.complete(chat_request())
    assert (reply.finish_reason, reply.details) == ("stop", {"finish_reason": "tool_calls"})


@pytest.mark.parametrize("body", [b"<html>proxy</html>", b"[]", b'{"choices": "none"}'], ids=["a page", "a list", "other types"])
def test_an_answer_that_is_no_completion_fails_without_its_text(chat: OpenAiChat, server: ScriptedModelServer, body: bytes) -> None:
    for _ in range(5):
        server.answer(body)
    with pytest.raises(FailedDocument) as failed:
        chat.complete(chat_request())
    assert failed.value.code == "extraction-failed"
    assert body.decode() not in str(failed.value)


def test_passages_reach_the_server_unchanged(chat: OpenAiChat, server: ScriptedModelServer) -> None:
    server.answer(completion("{}"))
    request = chat_request()
    passage = replace(request.passages[0], text=PASSAGE + " {braces} <<end>> é 🚢")
    chat.complete(replace(request, passages=(passage,)))
    assert passage.text in server.requests[0][1]["messages"][1]["content"]
