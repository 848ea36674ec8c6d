"""The assets: one op for all assets of documents, and one small asset for every other. The work is the pipeline's."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import dagster as dg
from pydantic import Field

from graphrag_assets.defs.checks import CheckRow, check_result, check_specs, run_checks
from graphrag_assets.defs.events import emit_documents
from graphrag_assets.defs.metadata import stage_metadata
from graphrag_assets.defs.partitions import DOCUMENT_PARTITIONS, asset_key, asset_name, register_keys
from graphrag_assets.defs.runs import DOCUMENTS_OP, RunSink, claim_run
from graphrag_assets.gateways.clock import SystemClock
from graphrag_assets.model.errors import FailedDocument, GraphragError, TransientError
from graphrag_assets.model.outcomes import DocumentResult, StageResult
from graphrag_assets.model.pipeline import AssetRow, Pipeline
from graphrag_assets.model.provenance import RunInfo

OWNERS: Final = ["team:data-platform"]
CATALOG: Final = "source_catalog"
# True staleness is told by our own fingerprints; Dagster is told one version for ever, so that one reviewed decision
# does not make every document stale in its eyes.
CONSTANT_VERSION: Final = "reviewed"
FINAL_CODES: Final = frozenset({"quota-exhausted", "unknown-key"})
NAMED_KEYS: Final = 20
_PROGRESS_STEPS: Final = 10


class DocumentsConfig(dg.Config):
    """What a run of documents works on."""

    keys: list[str] = Field(default=[], description="partition keys; by default the partitions of the run")


def build_assets(rows: Sequence[AssetRow], checks: Sequence[CheckRow], *, batch_documents: int) -> list[dg.AssetsDefinition]:
    """All assets of a pipeline.

    Args:
        rows: In the order in which they are made.
        checks: Each runs in the step of its asset.
        batch_documents: Most documents of one run of a backfill.
    """
    documents = [row for row in rows if row.level == "document"]
    singles = [_single(row, [check for check in checks if check.asset == row.name]) for row in rows if row.level != "document"]
    return [_documents(rows, documents, checks, batch_documents), *singles]


def asset_spec(row: AssetRow) -> dg.AssetSpec:
    """What Dagster shows of an asset of documents."""
    return dg.AssetSpec(
        asset_key(row.name),
        deps=[asset_key(name) for name in row.upstream],
        description=row.description,
        group_name=row.group,
        kinds=set(row.kinds),
        owners=OWNERS,
        code_version=row.code_version,
        skippable=True,
    )


def _documents(
    rows: Sequence[AssetRow], documents: Sequence[AssetRow], checks: Sequence[CheckRow], batch_documents: int
) -> dg.AssetsDefinition:
    @dg.multi_asset(
        name=DOCUMENTS_OP,
        specs=[asset_spec(row) for row in documents],
        check_specs=[spec for row in documents for spec in check_specs(checks, row.name)],
        partitions_def=DOCUMENT_PARTITIONS,
        backfill_policy=dg.BackfillPolicy.multi_run(max_partitions_per_run=batch_documents),
        can_subset=True,
    )
    def process_documents(
        context: dg.AssetExecutionContext, config: DocumentsConfig, pipeline: dg.ResourceParam[Pipeline], sink: dg.ResourceParam[RunSink]
    ) -> Iterator[dg.AssetCheckResult]:
        """Let a batch of documents flow through the selected assets, then write one event for each that did not fail."""
        claim_run(context)
        selected = {asset_name(key) for key in context.selected_asset_keys}
        assets = [row.name for row in documents if row.name in selected]
        # Every access of partition_keys is a query, so it is read once.
        keys = sorted(config.keys or context.partition_keys) if assets else []
        failed = _process(context, rows, keys, assets, pipeline, sink)
        yield from run_checks(checks, set(context.selected_asset_check_keys))
        if failed:
            raise failure_of(failed, len(keys))

    return process_documents


def _process(
    context: dg.AssetExecutionContext,
    rows: Sequence[AssetRow],
    keys: Sequence[str],
    assets: Sequence[str],
    pipeline: Pipeline,
    sink: RunSink,
) -> list[DocumentResult]:
    """Process the keys, write the events, and return what failed."""
    known = set(pipeline.keys())
    ended = [_without_source(key) for key in keys if key not in known]
    report = _progress(context, len(keys))

    def on_result(result: DocumentResult) -> None:
        ended.append(result)
        sink.add_document(result)
        report(len(ended))

    for result in ended:
        sink.add_document(result)
    try:
        pipeline.process([key for key in keys if key in known], assets, run_info(context), on_result)
    except GraphragError as error:
        sink.errors.append(error)
        raise
    finally:
        # Also when the run is interrupted: documents that ended are written, and their events must say so.
        emit_documents(context, rows, ended, stand_ins=pipeline.stand_ins())
    return [result for result in ended if result.outcome == "failed"]


def _single(row: AssetRow, checks: Sequence[CheckRow]) -> dg.AssetsDefinition:
    @dg.asset(
        key=asset_key(row.name),
        deps=[asset_key(name) for name in row.upstream],
        check_specs=check_specs(checks, row.name),
        description=row.description,
        group_name=row.group,
        kinds=set(row.kinds),
        owners=OWNERS,
        code_version=row.code_version,
        output_required=True,
    )
    def refresh(
        context: dg.AssetExecutionContext, pipeline: dg.ResourceParam[Pipeline], sink: dg.ResourceParam[RunSink]
    ) -> dg.MaterializeResult:  # pyright: ignore[reportMissingTypeArgument] - Dagster knows the bare class only
        claim_run(context)
        result = _refresh(row.name, run_info(context), pipeline, sink)
        metadata = stage_metadata(result, pipeline.stand_ins())
        if row.name == CATALOG:
            metadata["documents_added"] = dg.MetadataValue.int(len(register_keys(context.instance, pipeline.keys())))
        return dg.MaterializeResult(
            metadata=metadata,
            data_version=dg.DataVersion(CONSTANT_VERSION if row.constant_version else result.digest),
            check_results=[check_result(check) for check in checks],
        )

    return refresh


def _refresh(asset: str, run: RunInfo, pipeline: Pipeline, sink: RunSink) -> StageResult:
    try:
        result = pipeline.refresh(asset, run)
    except FailedDocument as error:
        sink.add_single(StageResult(asset, None, "failed", error.code, remedy=error.remedy))
        metadata = {"code": error.code, "remedy": error.remedy}
        raise dg.Failure(f"{asset}: {error.code}", metadata, allow_retries=isinstance(error, TransientError)) from error
    except GraphragError as error:
        sink.errors.append(error)
        raise
    sink.add_single(result)
    if result.outcome == "failed":
        metadata = {"code": result.code or "", "remedy": result.remedy}
        raise dg.Failure(f"{asset}: {result.code}", metadata, allow_retries=result.code not in FINAL_CODES)
    return result


def run_info(context: dg.AssetExecutionContext | dg.OpExecutionContext) -> RunInfo:
    """Who works: Dagster, under the run's own id."""
    return RunInfo(run_id=context.run.run_id, runner="dagster", started=SystemClock().now())


def failure_of(failed: Sequence[DocumentResult], total: int) -> dg.Failure:
    """The failure that names codes and keys; raised after the events of all others are written."""
    codes = Counter(result.code or "unknown" for result in failed)
    told = ", ".join(f"{code} {count}" for code, count in sorted(codes.items()))
    named = sorted(f"{result.key}: {result.code}" for result in failed)
    return dg.Failure(
        description=f"{len(failed)} of {total} documents failed: {told}",
        metadata={
            "documents_failed": len(failed),
            "codes": dict(sorted(codes.items())),
            "documents": named[:NAMED_KEYS],
            "documents_not_named": max(0, len(named) - NAMED_KEYS),
            "remedies": sorted({result.remedy for result in failed if result.remedy})[:NAMED_KEYS],
        },
        allow_retries=any(code not in FINAL_CODES for code in codes),
    )


def _without_source(key: str) -> DocumentResult:
    remedy = "No source has it any more; materialize everything from the command line, which removes it."
    return DocumentResult(key, "", "", "failed", "unknown-key", (), remedy)


def _progress(context: dg.AssetExecutionContext, total: int) -> Callable[[int], None]:
    """Log at most ten lines a run: each is a row of the event log."""
    step = max(1, total // _PROGRESS_STEPS)

    def report(done: int) -> None:
        if done % step == 0:
            context.log.info(f"{done} of {total} documents")

    return report
