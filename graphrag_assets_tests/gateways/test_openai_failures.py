import traceback

import openai
import pytest

from graphrag_assets.gateways.openai_chat import OpenAiChat
from graphrag_assets.gateways.openai_client import open_client, retry_hint
from graphrag_assets.gateways.retry import RetriesExhausted, RetryPolicy
from graphrag_assets.model.errors import FailedDocument, QuotaExhausted
from graphrag_assets_tests.fakes.clock import FakeClock
from graphrag_assets_tests.fakes.model_server import ScriptedModelServer, completion
from graphrag_assets_tests.gateways.case_files import json_case
from graphrag_assets_tests.gateways.chat_requests import PASSAGE, PROMPT, chat_request
from graphrag_assets_tests.gateways.conftest import API_KEY

LIMITS = {case["case"]: case for case in json_case("b12_http_429.json")}
RATE_LIMIT = {"error": {"type": "tokens", "code": "rate_limit_exceeded"}}


@pytest.fixture
def chat(client: openai.OpenAI, policy: RetryPolicy) -> OpenAiChat:
    return OpenAiChat("test-model", client, policy)


def test_no_money_left_is_one_request_and_the_end_of_the_run(chat: OpenAiChat, server: ScriptedModelServer, clock: FakeClock) -> None:
    case = LIMITS["out of money"]
    server.answer(case["body"], status=case["status"], headers=case["headers"])
    with pytest.raises(QuotaExhausted) as failed:
        chat.complete(chat_request())
    assert failed.value.code == "quota-exhausted"
    assert (len(server.requests), clock.sleeps) == (1, [])


def test_payment_required_is_no_money_left_too(chat: OpenAiChat, server: ScriptedModelServer) -> None:
    server.answer({"error": {"message": "Insufficient Balance"}}, status=402)
    with pytest.raises(QuotaExhausted):
        chat.complete(chat_request())


def test_too_fast_is_waited_as_told_and_then_succeeds(chat: OpenAiChat, server: ScriptedModelServer, clock: FakeClock) -> None:
    case = LIMITS["too fast"]
    server.answer(case["body"], status=case["status"], headers=case["headers"])
    server.answer(completion("{}"))
    reply = chat.complete(chat_request())
    assert clock.sleeps == [0.06]
    assert (reply.retries, reply.rate_limited, reply.waited_seconds) == (1, 1, 0.06)
    assert len(server.requests) == 2


def test_a_rate_limit_that_stays_fails_the_document_as_rate_limited(chat: OpenAiChat, server: ScriptedModelServer) -> None:
    for _ in range(5):
        server.answer(RATE_LIMIT, status=429)
    with pytest.raises(RetriesExhausted) as failed:
        chat.complete(chat_request())
    assert (failed.value.code, failed.value.summary.rate_limited, len(server.requests)) == ("rate-limited", 4, 5)


def test_one_lanes_rate_limit_holds_another_model_of_the_same_server(
    client: openai.OpenAI, policy: RetryPolicy, server: ScriptedModelServer
) -> None:
    server.answer(RATE_LIMIT, status=429, headers={"retry-after": "20"})
    server.answer(completion("{}"))
    with pytest.raises(RetriesExhausted):
        OpenAiChat("one", client, policy.without_retries()).complete(chat_request())
    assert OpenAiChat("other", client, policy).complete(chat_request()).waited_seconds == 20.0


@pytest.mark.parametrize("status", [408, 500, 502, 503, 504, 529])
def test_a_server_in_trouble_is_asked_again(chat: OpenAiChat, server: ScriptedModelServer, clock: FakeClock, status: int) -> None:
    server.answer({"error": {"message": "overloaded"}}, status=status)
    server.answer(completion("{}"))
    reply = chat.complete(chat_request())
    assert (reply.retries, reply.rate_limited, clock.sleeps) == (1, 0, [1.0])


def test_a_dropped_connection_is_called_so(client: openai.OpenAI, policy: RetryPolicy, server: ScriptedModelServer) -> None:
    server.drop()
    with pytest.raises(RetriesExhausted, match="connection to the model's server broke"):
        OpenAiChat("test-model", client, policy.without_retries()).complete(chat_request())
    assert len(server.requests) == 1


def test_a_dropped_connection_is_tried_again(chat: OpenAiChat, server: ScriptedModelServer) -> None:
    server.drop()
    server.answer(completion("{}"))
    assert chat.complete(chat_request()).retries == 1


def test_a_connection_that_stays_broken_fails_the_document(policy: RetryPolicy) -> None:
    with open_client(API_KEY, "http://127.0.0.1:9/v1") as nobody, pytest.raises(RetriesExhausted) as failed:
        OpenAiChat("test-model", nobody, policy).complete(chat_request())
    assert (failed.value.code, failed.value.summary.retries) == ("extraction-failed", 4)


def test_a_server_that_says_nothing_ends_with_the_time_limit(server: ScriptedModelServer, policy: RetryPolicy) -> None:
    server.keep_waiting()
    impatient = open_client(API_KEY, server.base_url, timeout_seconds=0.2)
    with impatient, pytest.raises(RetriesExhausted, match="time limit") as failed:
        OpenAiChat("test-model", impatient, policy.without_retries()).complete(chat_request())
    assert failed.value.code == "extraction-failed"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422])
def test_a_refused_request_is_not_sent_again_and_says_its_status(
    chat: OpenAiChat, server: ScriptedModelServer, clock: FakeClock, status: int
) -> None:
    server.answer({"error": {"code": "some_reason", "message": "no"}}, status=status)
    with pytest.raises(FailedDocument, match=f"{status} \\(some_reason\\)") as failed:
        chat.complete(chat_request())
    assert failed.value.code == "extraction-failed"
    assert (len(server.requests), clock.sleeps) == (1, [])


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_no_error_carries_the_key_the_prompt_or_the_passages(chat: OpenAiChat, server: ScriptedModelServer, status: int) -> None:
    echo = f"Incorrect key {API_KEY} for {PROMPT} with {PASSAGE}"
    for _ in range(5):
        server.answer({"error": {"code": echo, "type": echo, "message": echo}}, status=status)
    with pytest.raises(FailedDocument) as failed:
        chat.complete(chat_request())
    told = "".join(traceback.format_exception(failed.value))
    assert str(status) in told
    for secret in (API_KEY, PROMPT, PASSAGE):
        assert secret not in told


def test_an_error_that_is_no_json_is_told_by_its_status_alone(chat: OpenAiChat, server: ScriptedModelServer) -> None:
    server.answer(b"<html>nginx</html>", status=404)
    with pytest.raises(FailedDocument) as failed:
        chat.complete(chat_request())
    assert failed.value.message == "The model's server answered 404."


DATED = "Thu, 01 Jan 2026 00:00:00 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "60"}, 0.06),
        ({"retry-after-ms": "60", "retry-after": "5"}, 0.06),
        ({"retry-after": "Thu, 01 Jan 2026 00:00:30 GMT", "date": DATED}, 30.0),
        ({"retry-after": "Wed, 31 Dec 2025 23:59:00 GMT", "date": DATED}, None),
        ({"retry-after": "Thu, 01 Jan 2026 00:00:30 GMT"}, None),
        ({"retry-after": "Thu, 01 Jan 2026 00:00:30 GMT", "date": "Thu, 01 Jan 2026 00:00:00"}, 30.0),
        ({"retry-after": "soon", "date": DATED}, None),
        ({"retry-after": "0"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({}, None),
    ],
)
def test_a_hint_is_read_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_hint(headers) == seconds
