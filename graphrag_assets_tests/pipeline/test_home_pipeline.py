import pytest

from graphrag_assets.gateways.chat import ChatRequest
from graphrag_assets.graph.digest import graph_digest
from graphrag_assets.graph.layout import DEFAULT_LAYOUT
from graphrag_assets.model.errors import FailedDocument, QuotaExhausted, UsageError
from graphrag_assets.model.settings import ChunkingSettings, ExtractionSettings, IngestionSettings
from graphrag_assets_tests.fakes.chat import Answer, ScriptedChat, chat_reply
from graphrag_assets_tests.fakes.embedder import ScriptedEmbedder, hashed_vector
from graphrag_assets_tests.pipeline.conftest import DOCUMENT_ASSETS, RUN, SmallHome, make_all, obliging

SIX_CHUNKS = "".join(f"# Part {n}\n\nSystem{n} calls Other{n}.\n\n" for n in range(6))


def digest(home: SmallHome) -> str:
    return graph_digest(home.open().tools.graph(), DEFAULT_LAYOUT).digest


def test_documents_flow_to_the_graph_and_a_second_pass_finds_nothing_stale(small_home: SmallHome) -> None:
    small_home.write("a.md", "Harbour calls Tally.\n")
    small_home.write("b.md", "Tally calls Keel.\n")
    assert make_all(small_home.open()) == {"a.md": "written", "b.md": "written"}
    assert len(small_home.chat.requests) == 2
    assert [state.stale for state in small_home.open().states()] == [(), ()]
    assert make_all(small_home.open()) == {}
    assert len(small_home.chat.requests) == 2


def test_a_failed_chunk_keeps_its_paid_siblings_and_the_next_run_pays_for_the_missing_one_alone(small_home: SmallHome) -> None:
    small_home.write("six.md", SIX_CHUNKS)

    def failing(request: ChatRequest) -> Answer:
        return FailedDocument("extraction-failed", "no") if "System3" in request.passages[0].text else obliging(request)

    small_home.chat = ScriptedChat(failing)
    assert make_all(small_home.open()) == {"six.md": "extraction-failed"}
    paid = len(small_home.chat.requests) - 1
    assert len(small_home.open().tools.paid.hashes()) == paid
    small_home.chat = ScriptedChat(obliging)
    assert make_all(small_home.open()) == {"six.md": "written"}
    assert len(small_home.chat.requests) == 6 - paid
    assert small_home.open().tools.paid.hashes() == ()


def test_equal_chunks_in_two_lanes_are_paid_for_once(small_home: SmallHome) -> None:
    small_home.settings = small_home.settings.model_copy(update={"ingestion": IngestionSettings(lanes=4)})
    for name in ("a.md", "b.md", "c.md", "d.md"):
        small_home.write(name, "Harbour calls Tally.\n")
    assert set(make_all(small_home.open()).values()) == {"written"}
    assert len(small_home.chat.requests) == 1


def test_a_failed_document_leaves_its_neighbours_and_its_own_earlier_version(small_home: SmallHome) -> None:
    small_home.write("a.md", "Harbour calls Tally.\n")
    small_home.write("b.md", "Keel calls Tally.\n")
    make_all(small_home.open())
    small_home.write("a.md", "Harbour calls Weir.\n")
    small_home.write("c.md", "Juno calls Tally.\n")

    def failing(request: ChatRequest) -> Answer:
        return FailedDocument("extraction-failed", "no") if "Weir" in request.passages[0].text else obliging(request)

    small_home.chat = ScriptedChat(failing)
    assert make_all(small_home.open()) == {"a.md": "extraction-failed", "c.md": "written"}
    rows = (
        small_home.open()
        .tools.graph()
        .read("MATCH (a:System)-[:DEPENDS_ON]->(b:System) RETURN a.name + '-' + b.name AS fact ORDER BY fact")
    )
    assert [row["fact"] for row in rows] == ["Harbour-Tally", "Juno-Tally", "Keel-Tally"]


def test_exhausted_quota_ends_the_run_with_one_request(small_home: SmallHome) -> None:
    for name in ("a.md", "b.md", "c.md"):
        small_home.write(name, f"Harbour calls {name[0].upper()}pple.\n")
    small_home.chat = ScriptedChat(lambda _: QuotaExhausted("quota-exhausted", "no more"))
    assert make_all(small_home.open()) == dict.fromkeys(("a.md", "b.md", "c.md"), "quota-exhausted")
    assert len(small_home.chat.requests) == 1


def test_a_document_that_is_refused_now_leaves_the_graph(small_home: SmallHome) -> None:
    small_home.write("a.md", "Harbour calls Tally.\n")
    small_home.write("b.md", "Keel calls Tally.\n")
    make_all(small_home.open())
    (small_home.documents / "a.md").write_bytes(b"\xff\xfe broken")
    assert make_all(small_home.open()) == {"a.md": "invalid-utf8"}
    with_refusal = digest(small_home)
    assert [state.stale for state in small_home.open().states()] == [(), ()]
    (small_home.documents / "a.md").unlink()
    make_all(small_home.open())
    assert digest(small_home) == with_refusal


def test_a_refusal_that_was_stopped_halfway_is_finished_by_the_next_run(small_home: SmallHome) -> None:
    small_home.write("a.md", "Harbour calls Tally.\n")
    make_all(small_home.open())
    key = small_home.open().states()[0].key
    earlier = small_home.home.artifacts / "extractions" / f"{key}.parquet"
    kept = earlier.read_bytes()
    (small_home.documents / "a.md").write_bytes(b"\xff\xfe broken")
    make_all(small_home.open())
    earlier.write_bytes(kept)
    (state,) = small_home.open().states()
    assert {stale.asset: stale.causes for stale in state.stale} == {"extractions": ("refused",)}
    assert make_all(small_home.open()) == {"a.md": "invalid-utf8"}
    assert not earlier.exists()
    assert small_home.open().states()[0].stale == ()


def test_a_cut_off_reply_is_quarantined_and_the_document_written_without_it(small_home: SmallHome) -> None:
    small_home.write("a.md", SIX_CHUNKS)

    def cut(request: ChatRequest) -> Answer:
        return chat_reply('{"things": [', "length") if "System2" in request.passages[0].text else obliging(request)

    small_home.chat = ScriptedChat(cut)
    assert make_all(small_home.open()) == {"a.md": "written"}
    assert len(small_home.chat.requests) == 6
    extraction = small_home.open().tools.store.provenance("extractions", small_home.open().states()[0].key)
    assert extraction is not None and extraction.counts["quarantined"] == 1


def test_one_bad_vector_fails_its_document_and_its_good_ones_stay_paid_for(small_home: SmallHome) -> None:
    small_home.write("six.md", SIX_CHUNKS)
    small_home.embedder = ScriptedEmbedder(lambda text: (0.0,) * 4 if "System4" in text else hashed_vector(text, 4))
    assert make_all(small_home.open()) == {"six.md": "invalid-embedding"}
    assert len(small_home.open().tools.paid.hashes()) == 5
    small_home.embedder = ScriptedEmbedder()
    assert make_all(small_home.open()) == {"six.md": "written"}
    assert len(small_home.embedder.batches[0]) == 1
    assert small_home.open().tools.paid.hashes() == ()


@pytest.mark.parametrize(
    ("change", "cause", "chat_calls"),
    [
        ({"chunking": ChunkingSettings(tokenizer="bytes", overlap_paragraphs=0, max_utf8_bytes=512)}, "chunker", 0),
        ({"extraction": ExtractionSettings(max_output_tokens=100)}, "prompt", 1),
        ({"extraction": ExtractionSettings(max_entities_per_chunk=3)}, "limits", 0),
    ],
)
def test_a_changed_setting_is_named_as_the_cause_and_pays_only_for_what_it_changes(
    small_home: SmallHome, change: dict[str, object], cause: str, chat_calls: int
) -> None:
    small_home.write("a.md", "Harbour calls Tally.\n")
    make_all(small_home.open())
    small_home.settings = small_home.settings.model_copy(update=change)
    (state,) = small_home.open().states()
    assert {c for stale in state.stale for c in stale.causes} == {cause}
    before = len(small_home.chat.requests)
    make_all(small_home.open())
    assert len(small_home.chat.requests) - before == chat_calls
    assert small_home.open().states()[0].stale == ()


def test_after_any_of_these_histories_the_digest_is_that_of_a_clean_build(small_home: SmallHome) -> None:
    texts = {"a.md": "Harbour calls Tally.\n", "b.md": "Tally calls Keel.\n", "c.md": "Keel calls Harbour and Weir.\n"}
    for name, text in texts.items():
        small_home.write(name, text)
    make_all(small_home.open())
    clean = digest(small_home)
    small_home.write("a.md", "Harbour calls Weir.\n")
    make_all(small_home.open())
    (small_home.documents / "b.md").unlink()
    make_all(small_home.open())
    (small_home.documents / "c.md").rename(small_home.documents / "d.md")
    calls = len(small_home.chat.requests)
    make_all(small_home.open())
    assert len(small_home.chat.requests) == calls, "a rename is paid for already"
    (small_home.documents / "d.md").rename(small_home.documents / "c.md")
    small_home.write("a.md", texts["a.md"])
    small_home.write("b.md", texts["b.md"])
    make_all(small_home.open())
    assert digest(small_home) == clean


def test_a_graph_that_lost_a_document_is_seen_and_mended_without_a_call(small_home: SmallHome) -> None:
    small_home.write("a.md", "Harbour calls Tally.\n")
    make_all(small_home.open())
    clean, calls = digest(small_home), len(small_home.chat.requests)
    small_home.open().tools.graph().schema("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS")
    (state,) = small_home.open().states()
    assert {stale.asset: stale.causes for stale in state.stale}["document_graph"] == ("graph",)
    make_all(small_home.open())
    assert digest(small_home) == clean
    assert len(small_home.chat.requests) == calls


def test_an_unknown_key_is_wrong_use_and_touches_nothing(small_home: SmallHome) -> None:
    small_home.write("a.md", "Harbour calls Tally.\n")
    pipeline = small_home.open()
    pipeline.refresh("source_catalog", RUN)
    with pytest.raises(UsageError) as caught:
        pipeline.process(["nobody-000000000000"], DOCUMENT_ASSETS, RUN)
    assert caught.value.code == "unknown-key"
    assert small_home.chat.requests == []


def test_a_stage_whose_input_was_never_made_says_so(small_home: SmallHome) -> None:
    small_home.write("a.md", "Harbour calls Tally.\n")
    pipeline = small_home.open()
    pipeline.refresh("source_catalog", RUN)
    key = pipeline.states()[0].key
    (result,) = pipeline.process([key], ["extractions"], RUN)
    assert (result.outcome, result.code) == ("failed", "stage-failed")
    assert "Materialize" in result.remedy


def test_a_document_beyond_the_bound_of_the_catalogue_is_not_gone(small_home: SmallHome) -> None:
    small_home.write("a.md", "Harbour calls Tally.\n")
    small_home.write("b.md", "Keel calls Tally.\n")
    make_all(small_home.open())
    small_home.settings = small_home.settings.model_copy(update={"ingestion": IngestionSettings(lanes=1, max_documents=1)})
    pipeline = small_home.open()
    assert pipeline.catalogue_is_cut()
    assert pipeline.gone_keys() == ()
