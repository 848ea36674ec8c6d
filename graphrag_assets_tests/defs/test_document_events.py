"""Every rule of one op that makes many assets for many documents."""

import signal
from collections import Counter

import dagster as dg
import pytest

from graphrag_assets.defs.build import build_defs
from graphrag_assets.defs.events import DEFER_EVENTS_TAG, RANGE_END_TAG, RANGE_START_TAG, latest_storage_ids
from graphrag_assets.defs.jobs import DOCUMENTS_JOB
from graphrag_assets.defs.partitions import asset_key
from graphrag_assets.defs.runs import DOCUMENTS_OP
from graphrag_assets.model.errors import GraphragError
from graphrag_assets.model.provenance import RunInfo
from graphrag_assets_tests.defs.questions import (
    DOCUMENT_ASSETS,
    all_of,
    corpus_staleness,
    materialize,
    metadata,
    staleness,
    storage_id,
    tags,
)
from graphrag_assets_tests.fakes.pipeline import CORPUS, DOCUMENTS, INPUTS, FakePipeline


def three() -> FakePipeline:
    return FakePipeline({"a": "one two", "b": "three", "c": "four five six"})


def events_of(instance: dg.DagsterInstance, asset: str) -> Counter[str]:
    found = instance.fetch_materializations(asset_key(asset), limit=1_000)
    return Counter(record.partition_key for record in found.records)


def test_every_selected_asset_of_every_document_gets_exactly_one_event(postgres: dg.DagsterInstance) -> None:
    materialize(postgres, three())
    for asset in DOCUMENT_ASSETS:
        assert events_of(postgres, asset) == {"a": 1, "b": 1, "c": 1}


def test_an_event_carries_its_own_versions_and_points_to_the_events_it_was_made_from(postgres: dg.DagsterInstance) -> None:
    pipeline = three()
    materialize(postgres, pipeline)
    for key in pipeline.texts:
        for row in DOCUMENTS:
            result = pipeline.stored[row.name, key].result
            found = tags(postgres, row.name, key)
            assert found["dagster/data_version"] == result.digest
            assert found["dagster/code_version"] == "1"
            for upstream in row.upstream:
                of_document = upstream in DOCUMENT_ASSETS
                version = result.inputs[upstream] if of_document else tags(postgres, upstream, None)["dagster/data_version"]
                assert found[f"dagster/input_data_version/{upstream}"] == version
                assert found[f"dagster/input_event_pointer/{upstream}"] == str(storage_id(postgres, upstream, key if of_document else None))


def test_versions_differ_between_documents_of_one_run(memory: dg.DagsterInstance) -> None:
    materialize(memory, three())
    for asset in DOCUMENT_ASSETS:
        assert len({tags(memory, asset, key)["dagster/data_version"] for key in "abc"}) == 3


def test_after_a_run_every_document_is_fresh_in_dagsters_eyes(postgres: dg.DagsterInstance) -> None:
    pipeline = three()
    materialize(postgres, pipeline)
    assert [staleness(postgres, pipeline, key) for key in "abc"] == [all_of("FRESH")] * 3


def test_an_edit_makes_the_downstream_of_that_document_alone_stale(postgres: dg.DagsterInstance) -> None:
    pipeline = three()
    materialize(postgres, pipeline)
    pipeline.texts["b"] = "another text"
    materialize(postgres, pipeline, only=("documents",))
    downstream = {row.name: "STALE" for row in DOCUMENTS if "documents" in row.upstream}
    assert staleness(postgres, pipeline, "b") == all_of("FRESH") | downstream
    assert staleness(postgres, pipeline, "a") == staleness(postgres, pipeline, "c") == all_of("FRESH")
    materialize(postgres, pipeline)
    assert staleness(postgres, pipeline, "b") == all_of("FRESH")


def test_an_edited_document_is_the_only_one_that_runs(memory: dg.DagsterInstance) -> None:
    pipeline = three()
    materialize(memory, pipeline)
    before = {(asset, key): storage_id(memory, asset, key) for asset in DOCUMENT_ASSETS for key in "abc"}
    pipeline.texts["b"] = "another text"
    receipt = materialize(memory, pipeline)
    assert receipt.documents["written"] == 1
    assert receipt.documents["unchanged"] == 2
    after = {(asset, key): storage_id(memory, asset, key) for asset in DOCUMENT_ASSETS for key in "abc"}
    assert {key for (asset, key) in before if before[asset, key] != after[asset, key]} == {"b"}


def test_scattered_documents_share_one_run_and_the_ones_between_them_are_not_touched(postgres: dg.DagsterInstance) -> None:
    pipeline = FakePipeline({key: key * 3 for key in "abcdefgh"})
    materialize(postgres, pipeline)
    for key in ("b", "e", "g"):
        pipeline.texts[key] = "edited"
    materialize(postgres, pipeline)
    assert pipeline.processed[-1][0] == ("b", "e", "g")
    runs = postgres.get_runs(dg.RunsFilter(job_name=DOCUMENTS_JOB), limit=1)
    assert (runs[0].tags[RANGE_START_TAG], runs[0].tags[RANGE_END_TAG]) == ("b", "g")
    assert events_of(postgres, "chunk_plans") == {**dict.fromkeys("acdfh", 1), **dict.fromkeys("beg", 2)}


def test_documents_between_scattered_ones_are_not_shown_as_failed(postgres: dg.DagsterInstance) -> None:
    pipeline = FakePipeline({key: key for key in "abcd"})
    pipeline.failures["chunk_plans", "d"] = "rate-limited"
    materialize(postgres, pipeline)
    pipeline.texts["a"] = "edited"
    materialize(postgres, pipeline)
    planned = postgres.event_log_storage.get_latest_storage_id_by_partition(
        asset_key("chunk_plans"), dg.DagsterEventType.ASSET_MATERIALIZATION_PLANNED
    )
    assert planned == {}


def test_a_failing_document_leaves_its_neighbours_materialized(postgres: dg.DagsterInstance) -> None:
    pipeline = three()
    pipeline.failures["extraction_replies", "b"] = "rate-limited"
    receipt = materialize(postgres, pipeline)
    assert receipt.outcome == "partial"
    assert receipt.failures == (("b", "rate-limited"),)
    for asset in DOCUMENT_ASSETS:
        assert set(latest_storage_ids(postgres, asset)) == {"a", "c"}


def test_the_failure_names_counts_codes_and_keys(postgres: dg.DagsterInstance) -> None:
    pipeline = three()
    pipeline.failures |= {("extraction_replies", "b"): "rate-limited", ("chunk_plans", "c"): "quota-exhausted"}
    receipt = materialize(postgres, pipeline)
    run_id = receipt.run_ids[1]
    assert postgres.get_run_by_id(run_id).status == dg.DagsterRunStatus.FAILURE
    failed = [entry for entry in postgres.all_logs(run_id) if entry.is_dagster_event and entry.dagster_event.is_step_failure]
    told = failed[0].dagster_event.step_failure_data.user_failure_data
    assert told.description == "2 of 3 documents failed: quota-exhausted 1, rate-limited 1"
    assert told.metadata["documents"].value == ["b: rate-limited", "c: quota-exhausted"]


def test_a_failed_document_is_retried_alone(memory: dg.DagsterInstance) -> None:
    pipeline = three()
    pipeline.failures["extraction_replies", "b"] = "rate-limited"
    materialize(memory, pipeline)
    pipeline.failures.clear()
    receipt = materialize(memory, pipeline)
    assert pipeline.processed[-1][0] == ("b",)
    assert receipt.outcome == "succeeded"
    assert staleness(memory, pipeline, "b") == all_of("FRESH")


def test_exhausted_quota_starts_no_further_run(memory: dg.DagsterInstance) -> None:
    pipeline = FakePipeline({key: key for key in "abcdef"})
    pipeline.failures["extraction_replies", "b"] = "quota-exhausted"
    receipt = materialize(memory, pipeline, batch_documents=2)
    assert len(pipeline.processed) == 1
    assert receipt.failures == tuple((key, "quota-exhausted") for key in "bcdef")


def test_a_refused_document_has_events_that_say_so_and_is_not_asked_for_again(postgres: dg.DagsterInstance) -> None:
    pipeline = three()
    pipeline.refusals["b"] = "empty-document"
    first = materialize(postgres, pipeline)
    assert first.outcome == "succeeded"
    assert first.documents["refused"] == 1
    for asset in DOCUMENT_ASSETS:
        assert metadata(postgres, asset, "b")["outcome"] == "refused"
        assert metadata(postgres, asset, "b")["code"] == "empty-document"
    assert staleness(postgres, pipeline, "b") == all_of("FRESH")
    second = materialize(postgres, pipeline)
    assert len(pipeline.processed) == 1
    assert second.documents["refused"] == 1


def test_an_unchanged_document_that_is_asked_for_has_an_event_with_the_same_version(postgres: dg.DagsterInstance) -> None:
    pipeline = three()
    materialize(postgres, pipeline)
    before = {key: tags(postgres, "document_graph", key)["dagster/data_version"] for key in "abc"}
    receipt = materialize(postgres, pipeline, everything=True)
    assert receipt.documents["unchanged"] == 3
    assert events_of(postgres, "document_graph") == {"a": 2, "b": 2, "c": 2}
    assert {key: tags(postgres, "document_graph", key)["dagster/data_version"] for key in "abc"} == before
    assert metadata(postgres, "document_graph", "a")["outcome"] == "unchanged"
    assert [staleness(postgres, pipeline, key) for key in "abc"] == [all_of("FRESH")] * 3


def test_a_document_made_without_dagster_gets_its_events_from_the_next_run(memory: dg.DagsterInstance) -> None:
    pipeline = three()
    materialize(memory, pipeline)
    pipeline.texts["d"] = "made by plain Python"
    other = FakePipeline(pipeline.texts, stored=pipeline.stored)
    other.process(["d"], DOCUMENT_ASSETS, RunInfo(run_id="api", runner="api", started="2026-01-01T00:00:00Z"))
    materialize(memory, pipeline)
    assert metadata(memory, "document_graph", "d")["outcome"] == "unchanged"


def test_one_asset_alone_can_be_asked_for_and_points_to_the_event_of_an_earlier_run(memory: dg.DagsterInstance) -> None:
    pipeline = three()
    materialize(memory, pipeline)
    materialize(memory, pipeline, only=("chunk_vectors/minilm",), keys=("b",))
    assert events_of(memory, "chunk_vectors/minilm") == {"a": 1, "b": 2, "c": 1}
    pointer = tags(memory, "chunk_vectors/minilm", "b")["dagster/input_event_pointer/chunk_plans"]
    assert pointer == str(storage_id(memory, "chunk_plans", "b"))
    assert staleness(memory, pipeline, "b")["graph_vectors/minilm"] == "FRESH"


def test_the_corpus_is_stale_after_an_edit_until_it_is_settled(memory: dg.DagsterInstance) -> None:
    pipeline = three()
    materialize(memory, pipeline)
    assert set(corpus_staleness(memory, pipeline).values()) == {"FRESH"}
    pipeline.texts["b"] = "edited"
    materialize(memory, pipeline, keys=("b",), only=tuple(DOCUMENT_ASSETS))
    assert corpus_staleness(memory, pipeline)["entities"] == "STALE"
    materialize(memory, pipeline)
    assert set(corpus_staleness(memory, pipeline).values()) == {"FRESH"}


def test_a_new_reviewed_decision_makes_no_document_stale(memory: dg.DagsterInstance) -> None:
    pipeline = three()
    materialize(memory, pipeline)
    pipeline.decisions.append("Nordwind and Nordwind AG are one")
    materialize(memory, pipeline)
    assert [staleness(memory, pipeline, key) for key in "abc"] == [all_of("FRESH")] * 3


def test_another_layout_makes_the_graph_of_every_document_stale_until_it_is_made_again(memory: dg.DagsterInstance) -> None:
    pipeline = three()
    materialize(memory, pipeline)
    pipeline.schema = "layout 2"
    materialize(memory, pipeline, only=("graph_schema",))
    assert [staleness(memory, pipeline, key)["document_graph"] for key in "abc"] == ["STALE"] * 3
    materialize(memory, pipeline)
    assert [staleness(memory, pipeline, key) for key in "abc"] == [all_of("FRESH")] * 3


def test_inputs_documents_and_corpus_are_three_runs_and_all_are_listed(memory: dg.DagsterInstance) -> None:
    receipt = materialize(memory, three())
    jobs = [memory.get_run_by_id(run_id).job_name for run_id in receipt.run_ids]
    assert jobs == ["refresh_inputs", "ingest_documents", "settle_corpus"]
    for row in (*INPUTS, *CORPUS):
        assert tags(memory, row.name, None)["dagster/data_version"]


def test_more_documents_than_a_batch_are_several_runs(memory: dg.DagsterInstance) -> None:
    pipeline = FakePipeline({f"k{number}": "x" for number in range(7)})
    receipt = materialize(memory, pipeline, batch_documents=3)
    assert [len(keys) for keys, _, _ in pipeline.processed] == [3, 3, 1]
    assert len(receipt.run_ids) == 5


def test_the_runs_id_is_dagsters_own_in_everything_that_is_made(memory: dg.DagsterInstance) -> None:
    pipeline = three()
    receipt = materialize(memory, pipeline)
    assert {kept.run_id for kept in pipeline.stored.values()} == set(receipt.run_ids)


def test_one_partition_materialized_from_the_ui_needs_no_config(memory: dg.DagsterInstance) -> None:
    pipeline = three()
    materialize(memory, pipeline)
    pipeline.texts["b"] = "edited"
    run_like_the_ui(memory, pipeline, {"dagster/partition": "b"})
    assert pipeline.processed[-1][0] == ("b",)
    assert staleness(memory, pipeline, "b") == all_of("FRESH")
    assert events_of(memory, "documents") == {"a": 1, "b": 2, "c": 1}


def test_a_range_from_the_ui_makes_every_document_of_it(postgres: dg.DagsterInstance) -> None:
    pipeline = three()
    materialize(postgres, pipeline)
    run_like_the_ui(postgres, pipeline, {RANGE_START_TAG: "a", RANGE_END_TAG: "b"})
    assert pipeline.processed[-1][0] == ("a", "b")
    assert events_of(postgres, "graph_vectors/minilm") == {"a": 2, "b": 2, "c": 1}


def test_a_document_without_source_fails_alone_in_a_range_from_the_ui(postgres: dg.DagsterInstance) -> None:
    pipeline = three()
    materialize(postgres, pipeline)
    del pipeline.texts["b"]
    result = run_like_the_ui(postgres, pipeline, {RANGE_START_TAG: "a", RANGE_END_TAG: "c"})
    assert not result.success
    assert pipeline.processed[-1][0] == ("a", "c")
    assert events_of(postgres, "documents") == {"a": 2, "b": 1, "c": 2}


def run_like_the_ui(instance: dg.DagsterInstance, pipeline: FakePipeline, run_tags: dict[str, str]) -> dg.ExecuteInProcessResult:
    job = build_defs(pipeline).resolve_job_def(DOCUMENTS_JOB)
    loggers = {"console": {"config": {"log_level": "CRITICAL"}}}
    return job.execute_in_process(instance=instance, tags=run_tags, raise_on_error=False, run_config={"loggers": loggers})


def test_partition_keys_are_read_once(memory: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    real = dg.AssetExecutionContext.partition_keys

    def counted(context: dg.AssetExecutionContext) -> object:
        reads.append(context.run.run_id)
        return real.fget(context)

    pipeline = FakePipeline({f"k{number}": "x" for number in range(20)})
    materialize(memory, pipeline)
    monkeypatch.setattr(dg.AssetExecutionContext, "partition_keys", property(counted))
    run_like_the_ui(memory, pipeline, {RANGE_START_TAG: "k0", RANGE_END_TAG: "k9"})
    assert len(reads) == 1


def test_interrupted_work_leaves_events_for_the_documents_that_ended(postgres: dg.DagsterInstance) -> None:
    pipeline = FakePipeline({key: key for key in "abcdef"}, after=(4, lambda: signal.raise_signal(signal.SIGINT)))
    with pytest.raises(KeyboardInterrupt):
        materialize(postgres, pipeline)
    made = {key for asset, key in pipeline.stored if asset == "graph_vectors/minilm"}
    assert len(made) == 4
    assert set(latest_storage_ids(postgres, "graph_vectors/minilm")) == made
    runs = postgres.get_runs(dg.RunsFilter(job_name=DOCUMENTS_JOB))
    assert [run.status for run in runs] == [dg.DagsterRunStatus.FAILURE]


def test_an_accident_in_the_pipeline_keeps_what_ended_and_is_told(memory: dg.DagsterInstance) -> None:
    def stumble() -> None:
        raise ZeroDivisionError("no text of a document may stand here")

    pipeline = FakePipeline({key: key for key in "abcdef"}, after=(4, stumble))
    with pytest.raises(GraphragError, match="ZeroDivisionError") as caught:
        materialize(memory, pipeline)
    assert caught.value.code == "run-failed"
    assert len(latest_storage_ids(memory, "graph_vectors/minilm")) == 4


def test_the_same_rules_hold_on_sqlite(sqlite: dg.DagsterInstance) -> None:
    pipeline = three()
    pipeline.failures["chunk_plans", "c"] = "rate-limited"
    materialize(sqlite, pipeline)
    assert staleness(sqlite, pipeline, "a") == all_of("FRESH")
    assert staleness(sqlite, pipeline, "c") == all_of("MISSING")
    pipeline.texts["a"] = "edited"
    materialize(sqlite, pipeline, only=("documents",))
    assert staleness(sqlite, pipeline, "a")["chunk_plans"] == "STALE"
    assert staleness(sqlite, pipeline, "b") == all_of("FRESH")
    pipeline.failures.clear()
    materialize(sqlite, pipeline)
    assert [staleness(sqlite, pipeline, key) for key in "abc"] == [all_of("FRESH")] * 3


def test_a_scattered_run_is_configured_by_keys(memory: dg.DagsterInstance) -> None:
    pipeline = three()
    materialize(memory, pipeline)
    materialize(memory, pipeline, keys=("a", "c"))
    run = memory.get_runs(dg.RunsFilter(job_name=DOCUMENTS_JOB), limit=1)[0]
    assert run.run_config["ops"][DOCUMENTS_OP]["config"]["keys"] == ["a", "c"]
    assert run.tags[DEFER_EVENTS_TAG] == "true"
