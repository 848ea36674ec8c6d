"""Named jobs, so that runs are found by what they do: inputs, documents, removal, corpus."""

from collections.abc import Sequence
from typing import Any, Final

import dagster as dg
from pydantic import Field

from graphrag_assets.defs.assets import run_info
from graphrag_assets.defs.events import emit_batch
from graphrag_assets.defs.partitions import asset_key, forget_keys
from graphrag_assets.defs.runs import RunSink, claim_run
from graphrag_assets.model.errors import GraphragError
from graphrag_assets.model.pipeline import AssetRow, Pipeline

INPUTS_JOB: Final = "refresh_inputs"
DOCUMENTS_JOB: Final = "ingest_documents"
CORPUS_JOB: Final = "settle_corpus"
REMOVE_JOB: Final = "remove_documents"
REMOVE_OP: Final = "remove"
REMOVED_VERSION: Final = "removed"


class RemoveConfig(dg.Config):
    """Which documents go; a key that a source still has comes back with the next run."""

    keys: list[str] = Field(description="partition keys of the documents")


def build_jobs(rows: Sequence[AssetRow]) -> list[Any]:
    """All jobs of a pipeline's assets; Dagster has no public type for jobs that it resolves later."""

    def select(level: str) -> dg.AssetSelection:
        return dg.AssetSelection.assets(*(asset_key(row.name) for row in rows if row.level == level))

    return [
        dg.define_asset_job(
            INPUTS_JOB, select("input"), description="Look for documents, apply the graph's schema, read the reviewed decisions."
        ),
        dg.define_asset_job(DOCUMENTS_JOB, select("document"), description="Load, chunk, embed, extract and write documents."),
        dg.define_asset_job(
            CORPUS_JOB, select("corpus"), description="Resolve things over all documents, find communities, settle the graph."
        ),
        _removal(rows),
    ]


def _removal(rows: Sequence[AssetRow]) -> dg.JobDefinition:
    first = next(row for row in rows if row.level == "document")

    @dg.op(name=REMOVE_OP)
    def remove(
        context: dg.OpExecutionContext, config: RemoveConfig, pipeline: dg.ResourceParam[Pipeline], sink: dg.ResourceParam[RunSink]
    ) -> None:
        """Take documents out of graph and artifacts, then forget their partitions. Their last event says so."""
        claim_run(context)
        keys = tuple(sorted(set(config.keys)))
        try:
            results = pipeline.remove(keys, run_info(context))
        except GraphragError as error:
            sink.errors.append(error)
            raise
        for result in results:
            sink.add_document(result)
        emit_batch(context, [_tombstone(first.name, key) for key in keys])
        forget_keys(context.instance, keys)

    @dg.job(name=REMOVE_JOB, description="Remove documents from graph, artifacts, paid results and partitions.")
    def remove_documents() -> None:
        remove()

    return remove_documents


def _tombstone(asset: str, key: str) -> dg.AssetMaterialization:
    tags = {"dagster/data_version": REMOVED_VERSION}
    return dg.AssetMaterialization(asset_key(asset), partition=key, metadata={"outcome": "removed"}, tags=tags)
