import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from graphrag_assets.gateways.chat import ChatModel
from graphrag_assets.gateways.profiles import Models, StandIns, build_models
from graphrag_assets.gateways.retry import RetriesExhausted
from graphrag_assets.gateways.served_models import Access, read_access
from graphrag_assets.model.embedding_set import EmbeddingSet
from graphrag_assets.model.errors import SettingsError, UsageError
from graphrag_assets.model.settings import ChatRole, ModelSettings, Profile, Settings
from graphrag_assets_tests.fakes.chat import ScriptedChat
from graphrag_assets_tests.fakes.clock import FakeClock
from graphrag_assets_tests.fakes.model_server import ScriptedModelServer, completion
from graphrag_assets_tests.gateways.chat_requests import chat_request

KEY = "sk-live-abcdefgh"
SERVED = EmbeddingSet(name="served", model="test-embedding", dimensions=2, revision="r1", window_tokens=512)
LOCAL = (EmbeddingSet(name="minilm"), EmbeddingSet(name="quick", model="hashing", dimensions=16))


class ScriptedStandIns(StandIns):
    names = ("extractive", "spacy-rules")

    def __init__(self) -> None:
        self.opened: list[ChatRole] = []

    def chat(self, role: ChatRole) -> ChatModel:
        self.opened.append(role)
        return ScriptedChat([], model=f"stand-in for {role}")


def models(
    profile: Profile,
    environ: Mapping[str, str],
    *,
    home: Path,
    sets: tuple[EmbeddingSet, ...] = LOCAL,
    chat: str | None = "test-model",
    roles: dict[ChatRole, str] | None = None,
    stand_ins: StandIns | None = None,
    clock: FakeClock | None = None,
) -> Models:
    named = ModelSettings(chat=chat, roles=roles or {}, timeout_seconds=10.0)
    settings = Settings(profile=profile, embedding_sets=sets, models=named)
    return build_models(settings, environ, stand_ins=stand_ins or ScriptedStandIns(), home_folder=home, clock=clock or FakeClock())


@pytest.fixture
def environ(server: ScriptedModelServer) -> dict[str, str]:
    return {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.base_url}


def test_offline_gives_stand_ins_and_names_them(tmp_path: Path) -> None:
    offline = models("offline", {}, home=tmp_path)
    assert offline.chat.for_role("extract").model == "stand-in for extract"
    assert offline.stand_ins == ("extractive", "hashing", "spacy-rules")


def test_offline_without_a_hashing_set_does_not_name_it(tmp_path: Path) -> None:
    assert models("offline", {}, home=tmp_path, sets=LOCAL[:1]).stand_ins == ("extractive", "spacy-rules")


def test_a_key_alone_selects_nothing(tmp_path: Path, environ: dict[str, str], server: ScriptedModelServer) -> None:
    offline = models("offline", environ, home=tmp_path)
    assert offline.chat.for_role("answer").model == "stand-in for answer"
    assert server.requests == []


def test_each_model_is_opened_once_and_at_its_first_use(tmp_path: Path) -> None:
    stand_ins = ScriptedStandIns()
    offline = models("offline", {}, home=tmp_path, stand_ins=stand_ins)
    assert stand_ins.opened == []
    assert offline.chat.for_role("extract") is offline.chat.for_role("extract")
    assert offline.embedder_for(LOCAL[0]) is offline.question_embedder_for(EmbeddingSet(name="second_name"))
    assert stand_ins.opened == ["extract"]


@pytest.mark.parametrize("profile", ["offline", "live", "record", "replay"])
def test_local_sets_are_local_in_every_profile(
    tmp_path: Path, environ: dict[str, str], server: ScriptedModelServer, profile: Profile
) -> None:
    built = models(profile, environ, home=tmp_path)
    minilm, hashing = (built.embedder_for(embedding_set) for embedding_set in LOCAL)
    assert (minilm.model, minilm.dimensions, minilm.stand_in) == ("minilm", 384, False)
    assert (hashing.model, hashing.dimensions, hashing.stand_in) == ("hashing", 16, True)
    assert len(hashing.embed(["tide"]).vectors[0]) == 16
    assert server.requests == []


def test_a_served_set_is_refused_offline_by_name(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"'served'.*'test-embedding'") as refused:
        models("offline", {}, home=tmp_path, sets=(*LOCAL, SERVED))
    assert refused.value.code == "embedding-set-offline"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"dimensions": 512}, "dimensions"),
        ({"revision": "another"}, "revision"),
        ({"request_dimensions": True}, "request_dimensions"),
        ({"window_tokens": 512}, "window_tokens"),
    ],
)
def test_a_set_that_contradicts_its_local_model_is_refused(tmp_path: Path, changes: dict[str, object], field: str) -> None:
    wrong = EmbeddingSet.model_validate({"name": "wrong", **changes})
    with pytest.raises(SettingsError, match=f"'wrong' says {field}") as refused:
        models("offline", {}, home=tmp_path, sets=(wrong,))
    assert refused.value.code == "embedding-set-differs"


def test_a_set_may_pin_the_revision_that_is_there(tmp_path: Path) -> None:
    pinned = EmbeddingSet(name="pinned", revision="all-MiniLM-L6-v2@53aa51172d14-fp32-256")
    built = models("offline", {}, home=tmp_path, sets=(pinned,))
    assert built.embedder_for(pinned).revision == pinned.revision


@pytest.mark.parametrize("profile", ["live", "record"])
@pytest.mark.parametrize(
    ("environ", "chat", "named"),
    [
        ({}, "test-model", "OPENAI_API_KEY"),
        ({"OPENAI_API_KEY": "  "}, "test-model", "OPENAI_API_KEY"),
        ({"OPENAI_API_KEY": KEY}, None, "models.chat"),
        ({"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"ftp://user:{KEY}@somewhere/v1"}, "test-model", "OPENAI_BASE_URL"),
        ({"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{KEY}.example.org/v1"}, "test-model", "OPENAI_BASE_URL"),
        ({"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"http://[{KEY}/v1"}, "test-model", "OPENAI_BASE_URL"),
    ],
    ids=["no key", "blank key", "no model", "no web address", "no scheme", "no address"],
)
def test_a_half_set_profile_fails_closed_and_prints_no_key(
    tmp_path: Path, profile: Profile, environ: dict[str, str], chat: str | None, named: str
) -> None:
    with pytest.raises(SettingsError, match=named) as refused:
        models(profile, environ, home=tmp_path, chat=chat)
    assert refused.value.code == "profile-incomplete"
    assert KEY not in str(refused.value)


def test_the_key_is_not_printed_with_the_access() -> None:
    access = read_access(Settings(profile="live"), {"OPENAI_API_KEY": KEY})
    assert access == Access("https://api.openai.com/v1", KEY)
    assert KEY not in repr(access)


def test_one_role_without_a_model_is_half_set_too(tmp_path: Path, environ: dict[str, str]) -> None:
    with pytest.raises(SettingsError, match="'glean'"):
        models("live", environ, home=tmp_path, chat=None, roles={"extract": "cheap-model"})


def test_live_asks_the_model_of_the_role_with_the_key(tmp_path: Path, environ: dict[str, str], server: ScriptedModelServer) -> None:
    server.answer(completion("{}"))
    server.answer(completion("{}"))
    live = models("live", environ, home=tmp_path, roles={"extract": "cheap-model"})
    for role in ("extract", "answer"):
        live.chat.for_role(role).complete(chat_request(role=role))
    assert [body["model"] for _, body in server.requests] == ["cheap-model", "test-model"]
    assert live.stand_ins == ("hashing",)


@pytest.mark.parametrize(
    ("role", "tries"), [("extract", 5), ("glean", 5), ("report", 5), ("answer", 1), ("rewrite", 1), ("global-map", 1), ("text2cypher", 1)]
)
def test_ingestion_is_tried_again_and_questions_are_not(
    tmp_path: Path, environ: dict[str, str], server: ScriptedModelServer, role: ChatRole, tries: int
) -> None:
    for _ in range(5):
        server.answer({}, status=503)
    with pytest.raises(RetriesExhausted):
        models("live", environ, home=tmp_path).chat.for_role(role).complete(chat_request(role=role))
    assert len(server.requests) == tries


def test_a_served_set_is_embedded_with_its_own_fields(tmp_path: Path, environ: dict[str, str], server: ScriptedModelServer) -> None:
    server.answer({"data": [{"index": 0, "embedding": [1.0, 0.0]}]})
    embedder = models("live", environ, home=tmp_path, sets=(*LOCAL, SERVED)).embedder_for(SERVED)
    assert (embedder.model, embedder.revision, embedder.dimensions, embedder.max_tokens) == ("test-embedding", "r1", 2, 512)
    assert embedder.embed(["tide"]).vectors == ((1.0, 0.0),)


def test_a_question_is_embedded_by_one_try(tmp_path: Path, environ: dict[str, str], server: ScriptedModelServer) -> None:
    server.answer({}, status=503)
    built = models("live", environ, home=tmp_path, sets=(SERVED,))
    with pytest.raises(RetriesExhausted):
        built.question_embedder_for(SERVED).embed(["tide"])
    assert len(server.requests) == 1


def test_what_record_wrote_replay_gives_without_key_or_network(
    tmp_path: Path, environ: dict[str, str], server: ScriptedModelServer
) -> None:
    server.answer(completion('{"answer": "Harbour"}'))
    server.answer({"data": [{"index": 0, "embedding": [0.1, 0.2]}]})
    record = models("record", environ, home=tmp_path, sets=(SERVED,))
    reply = record.chat.for_role("extract").complete(chat_request())
    batch = record.embedder_for(SERVED).embed(["tide"])
    replay = models("replay", {}, home=tmp_path, sets=(SERVED,))
    assert replay.chat.for_role("extract").complete(chat_request()) == reply
    assert replay.embedder_for(SERVED).embed(["tide"]) == replay.question_embedder_for(SERVED).embed(["tide"]) == batch
    assert replay.stand_ins == ("recordings",)
    assert len(server.requests) == 2
    for file in (tmp_path / "recordings").iterdir():
        assert KEY not in file.read_text(encoding="utf-8")
        assert server.base_url not in file.read_text(encoding="utf-8")


def test_replay_fails_on_a_missing_recording(tmp_path: Path, environ: dict[str, str], server: ScriptedModelServer) -> None:
    with pytest.raises(UsageError) as missing:
        models("replay", environ, home=tmp_path).chat.for_role("answer").complete(chat_request(role="answer"))
    assert (missing.value.code, server.requests) == ("recording-missing", [])


def test_replay_needs_to_know_whose_recordings(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"models\.chat"):
        models("replay", {}, home=tmp_path, chat=None)


def test_token_counters_go_by_the_chunkers_names(tmp_path: Path) -> None:
    offline = models("offline", {}, home=tmp_path)
    assert offline.token_counter("minilm").count("tide tables") == 4
    assert offline.token_counter("bytes").count("tide tables") == 3
    assert offline.token_counter("minilm") is offline.token_counter("minilm")
    with pytest.raises(UsageError, match="'words'"):
        offline.token_counter("words")


def test_offline_loads_no_model_library_until_it_is_used() -> None:
    script = (
        "import sys\n"
        "import graphrag_assets.gateways.profiles\n"
        "print([name for name in ('openai', 'onnxruntime', 'tokenizers', 'numpy') if name in sys.modules])\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "[]"
