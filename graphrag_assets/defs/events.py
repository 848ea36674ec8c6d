"""Per-partition events with true provenance, in batches. The only module that touches what Dagster does not promise to keep.

Dagster writes one code version, one data version and one set of inputs to all partitions of a run, so these events carry
their own tags. Staleness needs them in pairs: the version of an input and the storage id of the event that it came from.
What is used of Dagster's inside: the batch argument of ``DagsterEvent.asset_materialization``, the step context of an
execution context, the names of the tags, and two queries of the event log. A test pins the version they were read in.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import dagster as dg
from dagster._core.definitions.data_version import (
    CODE_VERSION_TAG,
    DATA_VERSION_IS_USER_PROVIDED_TAG,
    DATA_VERSION_TAG,
    NULL_DATA_VERSION,
    NULL_EVENT_POINTER,
    get_input_data_version_tag,
    get_input_event_pointer_tag,
)
from dagster._core.events import DagsterEvent, DagsterEventBatchMetadata, generate_event_batch_id

from graphrag_assets.defs.metadata import stage_metadata
from graphrag_assets.defs.partitions import asset_key
from graphrag_assets.model.outcomes import DocumentResult, StageResult
from graphrag_assets.model.pipeline import AssetRow

DEFER_EVENTS_TAG: Final = "dagster/defer_asset_events"
RANGE_START_TAG: Final = "dagster/asset_partition_range_start"
RANGE_END_TAG: Final = "dagster/asset_partition_range_end"
PARTITION_TAG: Final = "dagster/partition"


@dataclass(frozen=True, slots=True)
class LatestEvent:
    """The latest materialization of an asset and key."""

    storage_id: int
    data_version: str


def emit_documents(
    context: dg.AssetExecutionContext,
    rows: Sequence[AssetRow],
    results: Iterable[DocumentResult],
    *,
    stand_ins: Sequence[str] = (),
) -> int:
    """Write one event for every result of every document that did not fail; returns how many.

    Args:
        rows: All assets, in the order in which they are made; an asset's events are stored before those that point to them.
        results: One a document.
        stand_ins: Names of stand-ins for models in use.
    """
    by_asset: dict[str, dict[str, StageResult]] = {}
    for document in results:
        if document.outcome != "failed":
            for stage in document.stages:
                by_asset.setdefault(stage.asset, {})[document.key] = stage
    levels = {row.name: row.level for row in rows}
    inputs = _Inputs(context.instance, levels, by_asset)
    for row in rows:
        stages = by_asset.get(row.name, {})
        emit_batch(context, [_materialization(row, stages[key], inputs, stand_ins) for key in sorted(stages)])
    return sum(len(stages) for stages in by_asset.values())


def emit_batch(context: dg.AssetExecutionContext | dg.OpExecutionContext, materializations: Sequence[dg.AssetMaterialization]) -> None:
    """Write events of one asset together; a batch of several assets would update the latest event of only one."""
    step = context.get_step_execution_context()
    batch_id = generate_event_batch_id()
    last = len(materializations) - 1
    for number, materialization in enumerate(materializations):
        DagsterEvent.asset_materialization(step, materialization, DagsterEventBatchMetadata(batch_id, number == last))


def latest_storage_ids(instance: dg.DagsterInstance, asset: str, keys: Iterable[str] | None = None) -> Mapping[str, int]:
    """Storage id of the latest materialization, by partition; one query."""
    partitions = None if keys is None else set(keys)
    return instance.event_log_storage.get_latest_storage_id_by_partition(
        asset_key(asset), dg.DagsterEventType.ASSET_MATERIALIZATION, partitions=partitions
    )


def latest_versions(instance: dg.DagsterInstance, asset: str, keys: Iterable[str]) -> Mapping[str, str]:
    """Data version of the latest materialization, by partition; one query."""
    found = instance.event_log_storage.get_latest_tags_by_partition(
        asset_key(asset), dg.DagsterEventType.ASSET_MATERIALIZATION, [DATA_VERSION_TAG], asset_partitions=list(keys)
    )
    return {key: tags[DATA_VERSION_TAG] for key, tags in found.items() if DATA_VERSION_TAG in tags}


def latest_event(instance: dg.DagsterInstance, asset: str, key: str | None) -> dg.EventLogRecord | None:
    """The record of the latest materialization of an asset and key."""
    if key is None:
        found = instance.fetch_materializations(asset_key(asset), limit=1)
    else:
        found = instance.fetch_materializations(dg.AssetRecordsFilter(asset_key(asset), asset_partitions=[key]), limit=1)
    return found.records[0] if found.records else None


def data_version_of(record: dg.EventLogRecord) -> str:
    """The data version that a record carries; empty when it carries none."""
    materialization = record.asset_materialization
    tags = materialization.tags if materialization else None
    return (tags or {}).get(DATA_VERSION_TAG, "")


class _Inputs:
    """The latest events of upstream assets, asked for once an asset, after their own events of this run are stored."""

    def __init__(self, instance: dg.DagsterInstance, levels: Mapping[str, str], by_asset: Mapping[str, Mapping[str, StageResult]]) -> None:
        keys = {key for stages in by_asset.values() for key in stages}
        self._levels = levels
        self._results = by_asset
        self._pointers = cache(lambda asset: latest_storage_ids(instance, asset, keys))
        self._versions = cache(lambda asset: latest_versions(instance, asset, keys))
        self._single = cache(lambda asset: latest_event(instance, asset, None))

    def tags(self, upstream: str, result: StageResult) -> dict[str, str]:
        """The pair of tags for one upstream asset; none where a partition has no event to point to.

        Without a pair Dagster says "has a new dependency" until the upstream has an event and this one is asked for
        again. With a pair that points nowhere it would never see an edit.
        """
        if self._levels[upstream] != "document":
            return self._single_tags(upstream)
        key = result.key or ""
        pointer = self._pointers(upstream).get(key)
        if pointer is None:
            return {}
        made = self._results.get(upstream, {}).get(key)
        version = result.inputs.get(upstream) or (made.digest if made else self._versions(upstream).get(key, ""))
        return _pair(upstream, version, str(pointer))

    def _single_tags(self, upstream: str) -> dict[str, str]:
        record = self._single(upstream)
        if record is None:
            return _pair(upstream, NULL_DATA_VERSION.value, NULL_EVENT_POINTER)
        return _pair(upstream, data_version_of(record), str(record.storage_id))


def _pair(upstream: str, version: str, pointer: str) -> dict[str, str]:
    key = asset_key(upstream)
    return {get_input_data_version_tag(key): version, get_input_event_pointer_tag(key): pointer}


def _materialization(row: AssetRow, result: StageResult, inputs: _Inputs, stand_ins: Sequence[str]) -> dg.AssetMaterialization:
    # A document refused by an early stage ends all later ones with that stage's code version, which is not theirs.
    code_version = result.code_version if result.code_version and result.outcome != "refused" else row.code_version
    tags = {CODE_VERSION_TAG: code_version, DATA_VERSION_TAG: result.digest, DATA_VERSION_IS_USER_PROVIDED_TAG: "true"}
    for upstream in row.upstream:
        tags |= inputs.tags(upstream, result)
    return dg.AssetMaterialization(asset_key(row.name), partition=result.key, metadata=stage_metadata(result, stand_ins), tags=tags)
