"""What the README promises, on the sample corpus, through the command line."""

from pathlib import Path

from graphrag_assets import Answered, Workspace
from graphrag_assets.store.artifacts import ArtifactStore
from graphrag_assets.store.codecs import document_from, plan_from
from graphrag_assets_tests.sample.conftest import Materialized

ANSWERABLE = ("Which team looks after Purser and who leads it?", "graph")
UNANSWERABLE = "In which city does Skerry Data have its office?"


def test_every_document_is_written_in_three_runs(sample: Materialized) -> None:
    receipt = sample.receipt
    assert receipt["outcome"] == "succeeded"
    assert receipt["documents"] == {"written": 50, "unchanged": 0, "removed": 0, "refused": 0, "failed": 0}
    assert len(receipt["run_ids"]) == 3
    assert receipt["model_calls"]["chat"] > 50
    assert receipt["stand_ins"] == ["extractive", "rule-extractor-1"]


def test_a_second_run_calls_no_model_and_writes_nothing(sample: Materialized) -> None:
    receipt = sample.cli.run("materialize")
    assert receipt["documents"]["unchanged"] == 50
    assert receipt["model_calls"] == {"chat": 0, "embedding": 0, "reused": 0}
    assert set(receipt["graph"].values()) == {0}


def test_every_byte_of_every_document_is_in_a_chunk(sample: Materialized) -> None:
    store = ArtifactStore(str(sample.cli.home / "artifacts"))
    for key in store.keys("documents"):
        document, plan = store.read("documents", key), store.read("chunk_plans", key)
        assert document is not None and plan is not None
        loaded = document_from(document.rows)
        chunks = plan_from(plan.rows, plan.provenance.parts, loaded.document_id).chunks
        covered = {byte for chunk in chunks for byte in range(chunk.span.start, chunk.span.end)}
        assert covered == set(range(len(loaded.text)))
        assert all(chunk.span.text(loaded.text) == chunk.text for chunk in chunks)


def test_an_answer_cites_the_very_bytes_of_a_document(sample: Materialized) -> None:
    question, route = ANSWERABLE
    answer = sample.cli.run("ask", question, "--route", route)
    assert answer["outcome"] == "answered"
    assert answer["receipt"]["stand_ins"] or answer["receipt"]["chat_model"]
    for citation in answer["citations"]:
        path = sample.documents / citation["uri"].removeprefix("sample:/")
        assert path.read_bytes()[citation["start"] : citation["end"]].decode() == citation["quote"]


def test_a_question_that_no_document_answers_is_refused_with_its_reason(sample: Materialized) -> None:
    answer = sample.cli.run("ask", UNANSWERABLE, code=3)
    assert (answer["outcome"], answer["answer"], answer["citations"]) == ("refused", None, [])
    assert answer["reason"] == "insufficient"


def test_search_gives_passages_with_routes_and_spans(sample: Materialized) -> None:
    found = sample.cli.run("search", "Who looks after Purser?", "-k", "3")
    assert 0 < len(found["items"]) <= 3
    for item in found["items"]:
        assert item["routes"] and item["uri"].startswith("sample:/") and item["end"] > item["start"]


def test_an_over_long_question_is_wrong_use(sample: Materialized) -> None:
    assert sample.cli.run("ask", "why " * 600, code=2)["error"]["remedy"]


def test_status_digest_check_and_doctor_agree_that_all_is_well(sample: Materialized) -> None:
    status = sample.cli.run("status")
    assert {row["stale"] for row in status["assets"].values()} == {0}
    assert sample.cli.run("check") == {"outcome": "passed", "findings": []}
    assert sample.cli.run("doctor")["outcome"] == "passed"
    digest = sample.cli.run("digest")
    assert digest["nodes"] > 300 and digest["relationships"] > 700 and len(digest["digest"]) == 64


def test_an_edited_document_costs_only_its_own_work_and_what_it_no_longer_states_leaves(sample: Materialized) -> None:
    before = sample.cli.run("digest")
    file = sample.documents / "service-purser.md"
    original = file.read_bytes()
    try:
        file.write_bytes(original.replace(b"the Ledger team", b"the Bookings team"))
        stale = sample.cli.run("status", "--stale")["stale"]
        assert [row["uri"] for row in stale] == ["sample:/service-purser.md"]
        assert stale[0]["assets"]["documents"] == ["text"]
        receipt = sample.cli.run("materialize")
        assert receipt["documents"]["written"] == 1
        assert receipt["documents"]["unchanged"] == 49
        assert receipt["model_calls"]["chat"] == 1
        owners = facts_of(sample.cli.home, "OWNED_BY")
        assert ("purser", "bookings team") in owners
        assert ("purser", "ledger team") not in owners
        assert sample.cli.run("digest") != before
    finally:
        file.write_bytes(original)
        receipt = sample.cli.run("materialize")
    assert receipt["documents"]["written"] == 1
    assert sample.cli.run("digest") == before


def test_a_renamed_file_is_a_removal_and_a_new_document_at_no_call(sample: Materialized) -> None:
    before = sample.cli.run("digest")
    file = sample.documents / "service-lantern.md"
    renamed = file.with_name("service-lantern-renamed.md")
    file.rename(renamed)
    try:
        receipt = sample.cli.run("materialize")
    finally:
        renamed.rename(file)
    assert (receipt["documents"]["written"], receipt["documents"]["removed"]) == (1, 1)
    assert receipt["model_calls"]["chat"] == 0 and receipt["model_calls"]["embedding"] == 0
    back = sample.cli.run("materialize")
    assert (back["documents"]["written"], back["documents"]["removed"]) == (1, 1)
    assert sample.cli.run("digest") == before


def test_a_removed_document_leaves_nothing_behind(sample: Materialized) -> None:
    before = sample.cli.run("digest")
    uri = "sample:/service-lantern.md"
    report = sample.cli.run("remove", uri)
    assert report["residue"] == {"graph": 0, "artifacts": 0}
    kept = [p for p in (sample.cli.home / "artifacts").rglob("*.parquet") if p.name.startswith("service-lantern.md")]
    assert kept == []
    sample.cli.run("materialize")
    assert sample.cli.run("digest") == before


def test_a_refused_document_is_named_with_its_code_and_does_not_fail_the_run(sample: Materialized) -> None:
    before = sample.cli.run("digest")
    broken = sample.documents / "broken.md"
    broken.write_bytes(b"\xff\xfe\x00 not text")
    try:
        receipt = sample.cli.run("materialize")
        (refusal,) = receipt["refusals"]
        assert refusal["code"] == "invalid-utf8" and receipt["documents"]["refused"] == 1
        listed = {row["uri"]: row["refusal"] for row in sample.cli.run("status")["keys"]}
        assert listed["sample:/broken.md"] == "invalid-utf8"
        assert listed["sample:/service-purser.md"] is None
    finally:
        broken.unlink()
    assert sample.cli.run("materialize")["documents"]["removed"] == 1
    assert sample.cli.run("digest") == before


def test_the_schema_is_there_and_can_be_printed(sample: Materialized) -> None:
    items = sample.cli.run("schema", "plan")["items"]
    assert {item["state"] for item in items} == {"present"}
    assert {"vector", "full-text", "node-uniqueness", "relationship-uniqueness"} == {item["kind"] for item in items}


def test_plain_python_works_on_the_same_home_without_dagster(sample: Materialized) -> None:
    with Workspace.open(sample.cli.home, environ={}) as workspace:
        receipt = workspace.materialize()
        assert (receipt.outcome, dict(receipt.documents), receipt.usage.chat_calls) == ("succeeded", {"unchanged": 50}, 0)
        answer = workspace.ask(ANSWERABLE[0], route=ANSWERABLE[1])
        assert isinstance(answer, Answered) and answer.citations
        assert workspace.check() == ()


def test_settings_show_says_where_values_came_from(sample: Materialized) -> None:
    shown = sample.cli.run("settings", "show")["settings"]
    assert shown["profile"] == {"value": "offline", "from": "settings.yaml"}
    assert shown["chunking.max_tokens"] == {"value": 256, "from": "default"}


def test_the_password_of_the_local_server_is_its_owners_alone(sample: Materialized) -> None:
    state = sample.cli.run("neo4j", "status")
    assert state["state"] == "running"
    assert Path(state["password_file"]).stat().st_mode & 0o077 == 0


def facts_of(home: Path, kind: str) -> set[tuple[str, str]]:
    store = ArtifactStore(str(home / "artifacts"))
    table = store.table("entities", None)
    assert table is not None
    rows = table.to_pylist()
    names = {row["thing_id"]: row["name"].casefold() for row in rows if row["part"] == "thing"}
    return {(names[row["source_id"]], names[row["target_id"]]) for row in rows if row["part"] == "fact" and row["type"] == kind}
