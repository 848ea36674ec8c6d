"""Putting the definitions of a pipeline together."""

from collections.abc import Sequence

import dagster as dg

from graphrag_assets.defs.assets import build_assets
from graphrag_assets.defs.checks import CheckRow, document_checks
from graphrag_assets.defs.jobs import build_jobs
from graphrag_assets.defs.runs import RunSink
from graphrag_assets.model.pipeline import Pipeline


def build_defs(
    pipeline: Pipeline, *, batch_documents: int = 500, checks: Sequence[CheckRow] = (), sink: RunSink | None = None
) -> dg.Definitions:
    """Definitions of a pipeline. Opens nothing: the pipeline does so when a step runs.

    Args:
        batch_documents: Most documents of one run.
        checks: Beside those that every pipeline has.
        sink: Where the steps of runs in this process put their results, for who starts them.
    """
    rows = pipeline.assets()
    names = {row.name for row in rows}
    known = [check for check in (*document_checks(pipeline), *checks) if check.asset in names]
    return dg.Definitions(
        assets=build_assets(rows, known, batch_documents=batch_documents),
        jobs=build_jobs(rows),
        resources={"pipeline": pipeline, "sink": sink or RunSink()},
        # Steps of one run share the pipeline and its connections; a process each would open them again.
        executor=dg.in_process_executor,
    )
