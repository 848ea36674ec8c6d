"""What the orchestrator promises the command line, over a pipeline in memory and a real event log."""

import os
import signal
import subprocess
import sys

import dagster as dg
import pytest

from graphrag_assets.defs.build import build_defs
from graphrag_assets.defs.jobs import DOCUMENTS_JOB
from graphrag_assets.defs.orchestrator import DagsterOrchestrator
from graphrag_assets.defs.runs import BOOT_TAG, HOST_TAG, PID_TAG, PROCESS_TAG, fail_dead_runs, this_process
from graphrag_assets.model.errors import FailedDocument, UsageError
from graphrag_assets.model.orchestrator import Selection
from graphrag_assets.model.provenance import RunInfo
from graphrag_assets_tests.defs.questions import DOCUMENT_ASSETS, all_of, materialize, metadata, staleness, tags
from graphrag_assets_tests.fakes.pipeline import CORPUS, INPUTS, FakePipeline


def three() -> FakePipeline:
    return FakePipeline({"a": "one two", "b": "three", "c": "four five six"})


def test_a_second_run_of_an_unchanged_corpus_looks_and_writes_nothing(postgres: dg.DagsterInstance) -> None:
    pipeline = three()
    materialize(postgres, pipeline)
    writes, calls = pipeline.writes, len(pipeline.processed)
    receipt = materialize(postgres, pipeline)
    assert (pipeline.writes, len(pipeline.processed)) == (writes, calls)
    assert receipt.documents == {"unchanged": 3}
    assert [postgres.get_run_by_id(run_id).job_name for run_id in receipt.run_ids] == ["refresh_inputs"]


def test_the_receipt_adds_up_all_runs(memory: dg.DagsterInstance) -> None:
    receipt = materialize(memory, three(), batch_documents=2)
    assert receipt.usage.chat_calls == 3
    assert receipt.usage.input_tokens == 30
    assert receipt.graph.nodes_created == 9
    assert receipt.stand_ins == ("hashing-embedder",)
    assert receipt.outcome == "succeeded"


def test_progress_is_told_by_step(memory: dg.DagsterInstance) -> None:
    told: list[tuple[str, int, int]] = []
    DagsterOrchestrator(three(), memory, batch_documents=2).materialize(Selection(), lambda *step: told.append(step))
    inputs, corpus = [("input", n, 3) for n in (1, 2, 3)], [("corpus", n, 4) for n in (1, 2, 3, 4)]
    assert told == [*inputs, *[("documents", n, 3) for n in (1, 2, 3)], *corpus]


def test_the_corpus_is_settled_again_when_its_settings_change(memory: dg.DagsterInstance) -> None:
    pipeline = three()
    materialize(memory, pipeline)
    pipeline.resolution = "2.0"
    receipt = materialize(memory, pipeline)
    assert [memory.get_run_by_id(run_id).job_name for run_id in receipt.run_ids] == ["refresh_inputs", "settle_corpus"]
    assert metadata(memory, "communities", None)["outcome"] == "written"
    assert metadata(memory, "entities", None)["outcome"] == "unchanged"


def test_the_corpus_is_settled_when_dagster_knows_no_event_of_it(memory: dg.DagsterInstance) -> None:
    pipeline = three()
    run = RunInfo(run_id="api", runner="api", started="2026-01-01T00:00:00Z")
    for row in INPUTS:
        pipeline.refresh(row.name, run)
    pipeline.process(list("abc"), DOCUMENT_ASSETS, run)
    for row in CORPUS:
        pipeline.refresh(row.name, run)
    materialize(memory, pipeline)
    assert {metadata(memory, row.name, None)["outcome"] for row in CORPUS} == {"unchanged"}


def test_a_corpus_asset_that_fails_is_in_the_receipt_and_what_needs_it_waits(memory: dg.DagsterInstance) -> None:
    pipeline = three()
    pipeline.single_failures["communities"] = FailedDocument("stage-failed", "cannot be made.", "Try again.")
    receipt = materialize(memory, pipeline)
    assert receipt.outcome == "partial"
    assert receipt.failures == (("communities", "stage-failed"),)
    orchestrator = DagsterOrchestrator(pipeline, memory)
    assert orchestrator.event("corpus_vectors/minilm", None) is not None
    assert orchestrator.event("corpus_graph", None) is None
    pipeline.single_failures.clear()
    assert materialize(memory, pipeline).outcome == "succeeded"
    assert orchestrator.event("corpus_graph", None) is not None


def test_an_error_of_the_caller_comes_through_as_it_is(memory: dg.DagsterInstance) -> None:
    pipeline = three()
    pipeline.single_failures["graph_schema"] = UsageError("home-busy", "another process writes.", "Wait.")
    with pytest.raises(UsageError) as caught:
        materialize(memory, pipeline)
    assert caught.value.code == "home-busy"


def test_a_document_that_no_source_has_is_removed_after_new_ones_came_in(memory: dg.DagsterInstance) -> None:
    pipeline = three()
    materialize(memory, pipeline)
    pipeline.texts["d"] = pipeline.texts.pop("b")
    receipt = materialize(memory, pipeline)
    jobs = [memory.get_run_by_id(run_id).job_name for run_id in receipt.run_ids]
    assert jobs == ["refresh_inputs", "ingest_documents", "remove_documents", "settle_corpus"]
    assert receipt.documents["removed"] == 1
    assert receipt.graph.nodes_deleted == 3
    assert DagsterOrchestrator(pipeline, memory).keys() == ("a", "c", "d")
    assert tags(memory, "documents", "b")["dagster/data_version"] == "removed"


def test_a_registered_key_without_source_and_artifacts_is_forgotten(memory: dg.DagsterInstance) -> None:
    pipeline = three()
    materialize(memory, pipeline, only=("source_catalog",))
    del pipeline.texts["b"]
    materialize(memory, pipeline)
    assert DagsterOrchestrator(pipeline, memory).keys() == ("a", "c")


def test_a_document_that_comes_back_is_made_again(memory: dg.DagsterInstance) -> None:
    pipeline = three()
    materialize(memory, pipeline)
    text = pipeline.texts.pop("a")
    materialize(memory, pipeline)
    pipeline.texts["a"] = text
    receipt = materialize(memory, pipeline)
    assert receipt.documents["written"] == 1
    assert staleness(memory, pipeline, "a") == all_of("FRESH")


def test_removal_is_not_asked_for_by_a_run_of_some_documents(memory: dg.DagsterInstance) -> None:
    pipeline = three()
    materialize(memory, pipeline)
    del pipeline.texts["b"]
    materialize(memory, pipeline, keys=("a",))
    assert pipeline.removed == []
    assert DagsterOrchestrator(pipeline, memory).keys() == ("a", "b", "c")


def test_deleted_keys_are_forgotten_and_their_events_stay(postgres: dg.DagsterInstance) -> None:
    pipeline = three()
    materialize(postgres, pipeline)
    orchestrator = DagsterOrchestrator(pipeline, postgres)
    orchestrator.delete_keys(["b", "never-there"])
    assert orchestrator.keys() == ("a", "c")
    assert orchestrator.event("documents", "b") is not None


def test_an_event_names_its_run_version_and_time(postgres: dg.DagsterInstance) -> None:
    pipeline = three()
    receipt = materialize(postgres, pipeline)
    event = DagsterOrchestrator(pipeline, postgres).event("chunk_vectors/minilm", "a")
    assert event is not None
    assert event.run_id == receipt.run_ids[1]
    assert event.data_version == pipeline.stored["chunk_vectors/minilm", "a"].result.digest
    assert event.time.endswith("Z")
    assert DagsterOrchestrator(pipeline, postgres).event("chunk_vectors/minilm", "z") is None


@pytest.mark.parametrize(
    ("selection", "code"),
    [(Selection(only=("chunk_plan",)), "unknown-asset"), (Selection(keys=("z",)), "unknown-key")],
    ids=["asset", "key"],
)
def test_a_name_that_is_not_there_is_refused(memory: dg.DagsterInstance, selection: Selection, code: str) -> None:
    with pytest.raises(UsageError) as caught:
        DagsterOrchestrator(three(), memory).materialize(selection)
    assert caught.value.code == code


def test_nothing_is_printed_on_stdout(memory: dg.DagsterInstance, capfd: pytest.CaptureFixture[str]) -> None:
    pipeline = three()
    pipeline.failures["chunk_plans", "b"] = "rate-limited"
    DagsterOrchestrator(pipeline, memory).materialize(Selection())
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_a_verbose_run_tells_on_stderr_only(memory: dg.DagsterInstance, capfd: pytest.CaptureFixture[str]) -> None:
    DagsterOrchestrator(three(), memory, verbose=True).materialize(Selection())
    captured = capfd.readouterr()
    assert captured.out == ""
    assert "3 of 3 documents" in captured.err


def test_a_run_of_a_living_process_is_left_alone(memory: dg.DagsterInstance) -> None:
    found: list[object] = []
    pipeline = three()
    pipeline.after = (1, lambda: found.append(fail_dead_runs(memory)))
    receipt = materialize(memory, pipeline)
    assert found == [()]
    assert receipt.outcome == "succeeded"


OWN = this_process().tags()


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({}, dg.DagsterRunStatus.STARTED),
        ({BOOT_TAG: "an earlier boot"}, dg.DagsterRunStatus.FAILURE),
        ({PROCESS_TAG: "1.00"}, dg.DagsterRunStatus.FAILURE),
        ({PID_TAG: "999999999"}, dg.DagsterRunStatus.FAILURE),
        ({HOST_TAG: "another-machine", BOOT_TAG: "its boot"}, dg.DagsterRunStatus.STARTED),
    ],
    ids=["alive", "rebooted", "pid of another process by now", "no such process", "another machine"],
)
def test_a_run_is_dead_when_its_process_on_this_machine_is_gone(
    memory: dg.DagsterInstance, changed: dict[str, str], status: dg.DagsterRunStatus
) -> None:
    job = build_defs(three()).resolve_job_def(DOCUMENTS_JOB)
    run = memory.create_run_for_job(job, tags=OWN | changed, status=dg.DagsterRunStatus.STARTED)
    fail_dead_runs(memory)
    assert memory.get_run_by_id(run.run_id).status == status


KILLED = """
import os, signal, dagster as dg
from graphrag_assets.defs.orchestrator import DagsterOrchestrator
from graphrag_assets.model.orchestrator import Selection
from graphrag_assets_tests.fakes.pipeline import FakePipeline
pipeline = FakePipeline({"a": "one two", "b": "three", "c": "four five six"})
pipeline.after = (1, lambda: os.kill(os.getpid(), signal.SIGKILL))
DagsterOrchestrator(pipeline, dg.DagsterInstance.get()).materialize(Selection(keys=("b", "c")))
"""


def test_a_killed_run_is_marked_failed_and_its_documents_get_their_events(postgres: dg.DagsterInstance) -> None:
    pipeline = three()
    materialize(postgres, pipeline)
    assert subprocess.run([sys.executable, "-c", KILLED], check=False, env=dict(os.environ)).returncode == -signal.SIGKILL
    (started,) = postgres.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED]))
    # Whoever comes first closes it; the documents are remembered until a run of all asks for them.
    assert fail_dead_runs(postgres) == (started.run_id,)
    assert postgres.get_run_by_id(started.run_id).status == dg.DagsterRunStatus.FAILURE
    materialize(postgres, pipeline, keys=("a",))
    receipt = materialize(postgres, pipeline)
    assert pipeline.processed[-1][0] == ("b", "c")
    assert receipt.documents["unchanged"] == 3
    assert staleness(postgres, pipeline, "b") == all_of("FRESH")
    materialize(postgres, pipeline)
    assert pipeline.processed[-1][0] == ("b", "c") and len(pipeline.processed) == 3
