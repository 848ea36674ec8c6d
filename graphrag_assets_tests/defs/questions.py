"""What tests ask of Dagster: events, tags and staleness of an asset and key."""

import dagster as dg
from dagster._core.definitions.data_version import CachingStaleStatusResolver
from dagster._core.loader import LoadingContextForTest

from graphrag_assets.defs.build import build_defs
from graphrag_assets.defs.events import latest_event
from graphrag_assets.defs.orchestrator import DagsterOrchestrator
from graphrag_assets.defs.partitions import asset_key
from graphrag_assets.model.orchestrator import Selection
from graphrag_assets.model.outcomes import Receipt
from graphrag_assets_tests.fakes.pipeline import CORPUS, DOCUMENTS, FakePipeline

DOCUMENT_ASSETS = [row.name for row in DOCUMENTS]


def materialize(instance: dg.DagsterInstance, pipeline: FakePipeline, *, batch_documents: int = 500, **selection: object) -> Receipt:
    orchestrator = DagsterOrchestrator(pipeline, instance, batch_documents=batch_documents)
    return orchestrator.materialize(Selection(**selection))


def tags(instance: dg.DagsterInstance, asset: str, key: str | None) -> dict[str, str]:
    record = latest_event(instance, asset, key)
    assert record is not None, f"{asset} of {key} has no event"
    return dict(record.asset_materialization.tags or {})


def metadata(instance: dg.DagsterInstance, asset: str, key: str | None) -> dict[str, object]:
    record = latest_event(instance, asset, key)
    assert record is not None, f"{asset} of {key} has no event"
    return {name: value.value for name, value in record.asset_materialization.metadata.items()}


def storage_id(instance: dg.DagsterInstance, asset: str, key: str | None) -> int:
    record = latest_event(instance, asset, key)
    assert record is not None, f"{asset} of {key} has no event"
    return record.storage_id


def staleness(instance: dg.DagsterInstance, pipeline: FakePipeline, key: str) -> dict[str, str]:
    """Status of every asset of a document in Dagster's own eyes."""
    graph = build_defs(pipeline).resolve_asset_graph()
    resolver = CachingStaleStatusResolver(instance, graph, LoadingContextForTest(instance))
    return {asset: resolver.get_status(asset_key(asset), key).value for asset in DOCUMENT_ASSETS}


def corpus_staleness(instance: dg.DagsterInstance, pipeline: FakePipeline) -> dict[str, str]:
    """Status of every corpus asset in Dagster's own eyes."""
    graph = build_defs(pipeline).resolve_asset_graph()
    resolver = CachingStaleStatusResolver(instance, graph, LoadingContextForTest(instance))
    return {row.name: resolver.get_status(asset_key(row.name)).value for row in CORPUS}


def all_of(status: str) -> dict[str, str]:
    return dict.fromkeys(DOCUMENT_ASSETS, status)
