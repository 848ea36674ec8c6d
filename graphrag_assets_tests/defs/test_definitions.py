"""The definitions: what the UI shows, what may run, and the version of Dagster whose inside is used."""

import inspect
from importlib.metadata import version

import dagster as dg
import pytest
from dagster._core.definitions import data_version
from dagster._core.events import DagsterEvent, DagsterEventBatchMetadata

from graphrag_assets.defs.build import build_defs
from graphrag_assets.defs.checks import CheckOutcome, CheckRow, graph_check
from graphrag_assets.defs.events import DEFER_EVENTS_TAG, RANGE_END_TAG, RANGE_START_TAG
from graphrag_assets.defs.partitions import PARTITIONS_NAME, asset_key, asset_name
from graphrag_assets.graph.health import HealthFinding
from graphrag_assets_tests.defs.questions import DOCUMENT_ASSETS, materialize
from graphrag_assets_tests.fakes.pipeline import CORPUS, DOCUMENTS, INPUTS, FakePipeline

ROWS = {row.name: row for row in (*INPUTS, *DOCUMENTS, *CORPUS)}


def specs() -> dict[str, dg.AssetSpec]:
    found = build_defs(FakePipeline(), batch_documents=50).resolve_all_asset_specs()
    return {asset_name(spec.key): spec for spec in found}


def test_the_inside_of_dagster_that_is_used_was_read_in_this_version() -> None:
    assert version("dagster") == "1.13.27"
    assert list(inspect.signature(DagsterEvent.asset_materialization).parameters) == ["step_context", "materialization", "batch_metadata"]
    assert DagsterEventBatchMetadata._fields == ("id", "is_end")
    key = asset_key("chunk_vectors/minilm")
    assert data_version.get_input_data_version_tag(key) == "dagster/input_data_version/chunk_vectors/minilm"
    assert data_version.get_input_event_pointer_tag(key) == "dagster/input_event_pointer/chunk_vectors/minilm"


def test_the_names_of_tags_are_dagsters_own() -> None:
    from dagster._core.storage import tags

    assert DEFER_EVENTS_TAG == tags.EXTERNALLY_MANAGED_ASSETS_TAG
    assert (RANGE_START_TAG, RANGE_END_TAG) == (tags.ASSET_PARTITION_RANGE_START_TAG, tags.ASSET_PARTITION_RANGE_END_TAG)


def test_every_asset_of_the_pipeline_is_an_asset_with_its_upstream() -> None:
    found = specs()
    assert set(found) == set(ROWS)
    for name, row in ROWS.items():
        assert sorted(asset_name(dep.asset_key) for dep in found[name].deps) == sorted(row.upstream)


def test_every_asset_has_group_kinds_owner_description_and_code_version() -> None:
    for name, spec in specs().items():
        row = ROWS[name]
        assert (spec.group_name, spec.kinds, spec.code_version) == (row.group, set(row.kinds), row.code_version)
        assert spec.owners == ["team:data-platform"]
        assert spec.description == row.description


def test_documents_have_one_partition_each_and_share_one_op() -> None:
    definitions = build_defs(FakePipeline(), batch_documents=50)
    graph = definitions.resolve_asset_graph()
    for name, row in ROWS.items():
        node = graph.get(asset_key(name))
        assert (node.partitions_def is not None) == (row.level == "document")
        if row.level == "document":
            assert node.partitions_def.name == PARTITIONS_NAME
            assert node.backfill_policy == dg.BackfillPolicy.multi_run(max_partitions_per_run=50)
    assert len({graph.get(asset_key(name)).assets_def.op.name for name in DOCUMENT_ASSETS}) == 1


def test_jobs_are_named_by_what_they_do() -> None:
    jobs = {job.name for job in build_defs(FakePipeline()).resolve_all_job_defs() if not job.name.startswith("__")}
    assert jobs == {"refresh_inputs", "ingest_documents", "settle_corpus", "remove_documents"}


def test_asset_names_and_keys_become_each_other() -> None:
    assert asset_key("chunk_vectors/minilm").path == ["chunk_vectors", "minilm"]
    assert asset_name(asset_key("chunk_vectors/minilm")) == "chunk_vectors/minilm"


def evaluations(instance: dg.DagsterInstance, asset: str, name: str) -> list[dg.AssetCheckEvaluation]:
    key = dg.AssetCheckKey(asset_key(asset), name)
    history = instance.event_log_storage.get_asset_check_execution_history(key, limit=10)
    return [record.event.dagster_event.event_specific_data for record in history if record.event and record.event.is_dagster_event]


def test_a_refused_document_is_shown_by_a_check_that_names_it(memory: dg.DagsterInstance) -> None:
    pipeline = FakePipeline({"a": "x", "b": "y"}, refusals={"b": "empty-document"})
    materialize(memory, pipeline)
    (latest,) = evaluations(memory, "corpus_graph", "corpus_graph_documents_accepted")
    assert not latest.passed
    assert latest.severity == dg.AssetCheckSeverity.WARN
    assert latest.metadata["failing_ids"].value == ["b"]
    assert latest.metadata["documents_refused"].value == 1


def test_a_check_of_a_document_asset_is_answered_in_the_run_of_documents(memory: dg.DagsterInstance) -> None:
    row = CheckRow("chunk_plans_cover_every_byte", "chunk_plans", lambda: CheckOutcome(True, {"documents": 2}), "Every byte.")
    definitions = build_defs(FakePipeline({"a": "x"}), checks=[row])
    run = {"instance": memory, "run_config": {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}}
    definitions.resolve_job_def("refresh_inputs").execute_in_process(**run)
    definitions.resolve_job_def("ingest_documents").execute_in_process(**run, tags={"dagster/partition": "a"})
    (found,) = evaluations(memory, "chunk_plans", "chunk_plans_cover_every_byte")
    assert found.passed
    assert found.metadata["documents"].value == 2


FINDING = HealthFinding("orphan-things", "", 3, ("t1", "t2"), "Materialize corpus_graph.")


@pytest.mark.parametrize(("findings", "passed"), [((), True), ((FINDING,), False)], ids=["healthy", "orphans"])
def test_the_check_of_the_graph_says_what_is_wrong(memory: dg.DagsterInstance, findings: tuple[HealthFinding, ...], passed: bool) -> None:
    definitions = build_defs(FakePipeline(), checks=[graph_check(lambda: findings)])
    loggers = {"console": {"config": {"log_level": "CRITICAL"}}}
    definitions.resolve_job_def("settle_corpus").execute_in_process(instance=memory, run_config={"loggers": loggers})
    (found,) = evaluations(memory, "corpus_graph", "corpus_graph_healthy")
    assert found.passed == passed
    if not passed:
        assert found.metadata["orphan_things"].value == 3
        assert found.metadata["failing_ids"].value == ["orphan-things: t1", "orphan-things: t2"]
        assert found.metadata["remedy"].value == "Materialize corpus_graph."


def test_a_check_alone_can_be_run_without_documents(memory: dg.DagsterInstance) -> None:
    row = CheckRow("chunk_plans_cover_every_byte", "chunk_plans", lambda: CheckOutcome(False, {"documents": 2}, ("a",)))
    definitions = build_defs(FakePipeline({"a": "x"}), checks=[row])
    job = definitions.resolve_implicit_global_asset_job_def().get_subset(
        asset_check_selection={dg.AssetCheckKey(asset_key("chunk_plans"), "chunk_plans_cover_every_byte")}
    )
    job.execute_in_process(instance=memory, run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}})
    (found,) = evaluations(memory, "chunk_plans", "chunk_plans_cover_every_byte")
    assert not found.passed
