import json
import math
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_assets.gateways.chat import ChatReply
from graphrag_assets.gateways.recordings import Recordings, packed, unpacked
from graphrag_assets.gateways.replay import RecordingChat, RecordingEmbedder, ReplayChat, ReplayEmbedder
from graphrag_assets.model.errors import QuotaExhausted, UsageError
from graphrag_assets_tests.fakes.chat import ScriptedChat, chat_reply
from graphrag_assets_tests.fakes.clock import FakeClock
from graphrag_assets_tests.fakes.embedder import ScriptedEmbedder
from graphrag_assets_tests.gateways.chat_requests import chat_request

SECRET = "sk-live-abcdefgh"
ENVIRON = {"OPENAI_API_KEY": SECRET, "HOME": "/home/someone", "PIN_TOKEN": "1234567", "MY_PASSWORD": 'quo"ted\\secret'}


@pytest.fixture
def recordings(tmp_path: Path) -> Recordings:
    return Recordings(tmp_path / "recordings", ENVIRON)


def entries(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "recordings").glob("*")) if (tmp_path / "recordings").is_dir() else []


def replay_embedder(recordings: Recordings, dimensions: int = 4) -> ReplayEmbedder:
    return ReplayEmbedder("scripted", recordings, dimensions=dimensions, revision="1", max_tokens=512)


def test_what_was_recorded_is_replayed_word_for_word(recordings: Recordings, clock: FakeClock) -> None:
    reply = ChatReply('{"é": "🚢"}', "length", "scripted", 11, 7, tokens_estimated=True, details={"served_model": "scripted-2"})
    recorded = RecordingChat(ScriptedChat([reply]), recordings, clock=clock).complete(chat_request())
    assert ReplayChat("scripted", recordings).complete(chat_request()) == recorded == reply


def test_retries_of_the_recording_are_not_replayed(recordings: Recordings, clock: FakeClock) -> None:
    reply = ChatReply("{}", "stop", "scripted", 11, 7, retries=3, rate_limited=2, waited_seconds=9.0)
    RecordingChat(ScriptedChat([reply]), recordings, clock=clock).complete(chat_request())
    replayed = ReplayChat("scripted", recordings).complete(chat_request())
    assert (replayed.retries, replayed.rate_limited, replayed.waited_seconds) == (0, 0, 0.0)


def test_an_entry_holds_no_more_than_it_says(recordings: Recordings, clock: FakeClock, tmp_path: Path) -> None:
    request = chat_request(question="Which? " * 40)
    RecordingChat(ScriptedChat(["{}"]), recordings, clock=clock).complete(request)
    (file,) = entries(tmp_path)
    assert file.name == f"{request.hash('scripted')}.json"
    assert json.loads(file.read_text(encoding="utf-8")) == {
        "kind": "chat",
        "model": "scripted",
        "recorded": "2026-01-01T00:00:00.000Z",
        "hint": request.question[:80],
        "text": "{}",
        "finish_reason": "stop",
        "details": {},
        "input_tokens": 10,
        "output_tokens": 5,
        "tokens_estimated": False,
    }


def test_a_request_without_question_is_hinted_by_its_first_passage(recordings: Recordings, clock: FakeClock, tmp_path: Path) -> None:
    request = chat_request(question="")
    RecordingChat(ScriptedChat(["{}"]), recordings, clock=clock).complete(request)
    assert json.loads(entries(tmp_path)[0].read_text(encoding="utf-8"))["hint"] == request.passages[0].text[:80]


def test_a_recorded_request_is_not_asked_again(recordings: Recordings, clock: FakeClock) -> None:
    inner = ScriptedChat(["{}"])
    recording = RecordingChat(inner, recordings, clock=clock)
    assert [recording.complete(chat_request()).text for _ in range(3)] == ["{}"] * 3
    assert len(inner.requests) == 1


@pytest.mark.parametrize(
    "change", [{"question": "Another"}, {"strict": False}, {"max_output_tokens": 9}, {"schema": {}}, {"follow_up": "It was no JSON."}]
)
def test_a_changed_request_has_no_recording(recordings: Recordings, clock: FakeClock, change: dict[str, object]) -> None:
    RecordingChat(ScriptedChat(["{}"]), recordings, clock=clock).complete(chat_request())
    with pytest.raises(UsageError, match="'extract'") as missing:
        ReplayChat("scripted", recordings).complete(chat_request(**change))
    assert missing.value.code == "recording-missing"
    assert "profile: record" in missing.value.remedy


def test_another_model_has_no_recording(recordings: Recordings, clock: FakeClock) -> None:
    RecordingChat(ScriptedChat(["{}"]), recordings, clock=clock).complete(chat_request())
    with pytest.raises(UsageError):
        ReplayChat("another", recordings).complete(chat_request())


def test_the_budget_is_shared_and_counts_calls_alone(tmp_path: Path, clock: FakeClock) -> None:
    recordings = Recordings(tmp_path / "recordings", {}, budget=2)
    inner, embedder = ScriptedChat(["{}"]), ScriptedEmbedder()
    chat = RecordingChat(inner, recordings, clock=clock)
    for _ in range(3):
        chat.complete(chat_request())
    RecordingEmbedder(embedder, recordings, clock=clock).embed(["tide"])
    with pytest.raises(UsageError, match="2 calls") as stopped:
        chat.complete(chat_request(question="One more"))
    assert stopped.value.code == "recording-budget"
    assert len(inner.requests) == 1


def test_a_failure_is_not_recorded(recordings: Recordings, clock: FakeClock, tmp_path: Path) -> None:
    failing = ScriptedChat([QuotaExhausted("quota-exhausted", "No money left.")])
    with pytest.raises(QuotaExhausted):
        RecordingChat(failing, recordings, clock=clock).complete(chat_request())
    assert entries(tmp_path) == []


@pytest.mark.parametrize("place", ["text", "question", "details"])
@pytest.mark.parametrize("variable", ["OPENAI_API_KEY", "MY_PASSWORD"])
def test_an_entry_with_a_secret_is_not_written(recordings: Recordings, clock: FakeClock, tmp_path: Path, place: str, variable: str) -> None:
    said = f"it is {ENVIRON[variable]}, keep it"
    reply = ChatReply(said if place == "text" else "{}", "stop", "scripted", 1, 1, details={"note": said} if place == "details" else {})
    request = chat_request(question=said) if place == "question" else chat_request()
    with pytest.raises(UsageError, match=variable) as refused:
        RecordingChat(ScriptedChat([reply]), recordings, clock=clock).complete(request)
    assert refused.value.code == "recording-holds-secret"
    assert ENVIRON[variable] not in str(refused.value)
    assert entries(tmp_path) == []


def test_short_values_and_other_variables_are_no_secrets(recordings: Recordings, clock: FakeClock) -> None:
    said = f"{ENVIRON['HOME']} {ENVIRON['PIN_TOKEN']}"
    assert RecordingChat(ScriptedChat([said]), recordings, clock=clock).complete(chat_request()).text == said


def test_vectors_are_replayed_exactly_as_the_recording_run_saw_them(recordings: Recordings, clock: FakeClock, tmp_path: Path) -> None:
    inner = ScriptedEmbedder({"a": (0.1, 1 / 3, -2.5, 1e300), "b": ()})
    recorded = RecordingEmbedder(inner, recordings, clock=clock).embed(["a", "b"])
    replayed = replay_embedder(recordings).embed(["a", "b"])
    assert replayed == recorded
    assert recorded.vectors[0] == (
        struct.unpack("<f", struct.pack("<f", 0.1))[0],
        struct.unpack("<f", struct.pack("<f", 1 / 3))[0],
        -2.5,
        math.inf,
    )
    assert json.loads(entries(tmp_path)[0].read_text(encoding="utf-8"))["hint"] == "a"


def test_other_texts_another_order_or_size_have_no_recording(recordings: Recordings, clock: FakeClock) -> None:
    RecordingEmbedder(ScriptedEmbedder(), recordings, clock=clock).embed(["a", "b"])
    for embedder, texts in (
        (replay_embedder(recordings), ["b", "a"]),
        (replay_embedder(recordings), ["a"]),
        (replay_embedder(recordings, 8), ["a", "b"]),
    ):
        with pytest.raises(UsageError) as missing:
            embedder.embed(texts)
        assert missing.value.code == "recording-missing"


def test_a_recorder_goes_by_its_models_name(recordings: Recordings, clock: FakeClock) -> None:
    inner = ScriptedEmbedder(model="served", revision="7", dimensions=3, max_tokens=99)
    outer = RecordingEmbedder(inner, recordings, clock=clock)
    assert (outer.model, outer.revision, outer.dimensions, outer.max_tokens, outer.stand_in) == ("served", "7", 3, 99, False)


def test_a_broken_entry_is_named_and_not_answered_from(recordings: Recordings, tmp_path: Path) -> None:
    file = tmp_path / "recordings" / f"{chat_request().hash('scripted')}.json"
    file.parent.mkdir()
    file.write_text('{"kind": "chat", "text": "half', encoding="utf-8")
    with pytest.raises(UsageError, match=file.name) as refused:
        ReplayChat("scripted", recordings).complete(chat_request())
    assert refused.value.code == "recording-unreadable"


def test_nothing_but_whole_entries_lies_in_the_folder(recordings: Recordings, clock: FakeClock, tmp_path: Path) -> None:
    chat = RecordingChat(ScriptedChat(lambda _: chat_reply("{}")), recordings, clock=clock)
    for number in range(5):
        chat.complete(chat_request(question=str(number)))
    assert [file.suffix for file in entries(tmp_path)] == [".json"] * 5


@given(st.lists(st.floats(width=32, allow_nan=False), max_size=20))
def test_float32_numbers_survive_packing(vector: list[float]) -> None:
    assert unpacked(packed(vector)) == tuple(vector)


def test_a_number_that_is_none_stays_so() -> None:
    assert math.isnan(unpacked(packed([math.nan]))[0])
