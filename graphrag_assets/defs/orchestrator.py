"""The orchestrator of the command line: runs of Dagster in this process, with the same assets that the UI starts."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final

import dagster as dg
from typing_extensions import override

from graphrag_assets.defs.build import build_defs
from graphrag_assets.defs.checks import CheckRow
from graphrag_assets.defs.events import (
    DEFER_EVENTS_TAG,
    RANGE_END_TAG,
    RANGE_START_TAG,
    data_version_of,
    latest_event,
    latest_storage_ids,
)
from graphrag_assets.defs.jobs import CORPUS_JOB, DOCUMENTS_JOB, INPUTS_JOB, REMOVE_JOB, REMOVE_OP
from graphrag_assets.defs.partitions import asset_key, forget_keys, registered_keys
from graphrag_assets.defs.runs import (
    DOCUMENTS_OP,
    RunSink,
    fail_dead_runs,
    keys_of,
    runs_missing_events,
    settle_missing_events,
    this_process,
)
from graphrag_assets.model.errors import GraphragError, UsageError
from graphrag_assets.model.orchestrator import AssetEvent, Orchestrator, Progress, Selection
from graphrag_assets.model.outcomes import DocumentResult, Receipt
from graphrag_assets.model.pipeline import AssetRow, DocumentState, Pipeline
from graphrag_assets.pipeline.receipts import receipt_of

QUOTA: Final = "quota-exhausted"
INTERRUPTS: Final = frozenset({"KeyboardInterrupt", "DagsterExecutionInterruptedError"})


class DagsterOrchestrator(Orchestrator):
    """Runs the assets of a pipeline and answers for their events.

    Args:
        pipeline: What a home can make.
        instance: Where runs and events are kept; by default the one that DAGSTER_HOME names, opened on first use.
        batch_documents: Most documents of one run.
        checks: Beside those that every pipeline has.
        verbose: Dagster's own log goes to stderr too; its event log holds it in any case.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        instance: dg.DagsterInstance | None = None,
        *,
        batch_documents: int = 500,
        checks: Sequence[CheckRow] = (),
        verbose: bool = False,
    ) -> None:
        self.pipeline = pipeline
        self._instance = instance
        self.batch_documents = batch_documents
        self._checks = tuple(checks)
        self._log_level = "INFO" if verbose else "CRITICAL"

    @cached_property
    def instance(self) -> dg.DagsterInstance:
        """Where runs and events are kept."""
        return self._instance or dg.DagsterInstance.get()

    @override
    def materialize(self, selection: Selection, progress: Progress | None = None) -> Receipt:
        rows = _selected(self.pipeline.assets(), selection.only)
        fail_dead_runs(self.instance)
        killed = runs_missing_events(self.instance)
        receipt = _Materialization(self, selection, rows, killed, progress).receipt()
        if selection.keys is None and selection.only is None:
            settle_missing_events(self.instance, killed)
        return receipt

    @override
    def event(self, asset: str, key: str | None) -> AssetEvent | None:
        record = latest_event(self.instance, asset, key)
        if record is None:
            return None
        stamp = datetime.fromtimestamp(record.timestamp, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return AssetEvent(record.run_id, record.storage_id, data_version_of(record), stamp)

    @override
    def keys(self) -> tuple[str, ...]:
        return tuple(sorted(registered_keys(self.instance)))

    @override
    def delete_keys(self, keys: Sequence[str]) -> None:
        forget_keys(self.instance, tuple(keys))

    def definitions(self, sink: RunSink) -> dg.Definitions:
        """The same definitions that the UI loads, with a sink for the results of runs in this process."""
        return build_defs(self.pipeline, batch_documents=self.batch_documents, checks=self._checks, sink=sink)

    def run_config(self, ops: Mapping[str, Any]) -> dict[str, Any]:
        """Run config of a run in this process, whose log must not stand between the lines of a command."""
        return {"loggers": {"console": {"config": {"log_level": self._log_level}}}, "ops": dict(ops)}


@dataclass(slots=True)
class _Materialization:
    """One call of `materialize`: inputs, documents, removals, corpus."""

    orchestrator: DagsterOrchestrator
    selection: Selection
    rows: Sequence[AssetRow]
    killed: Sequence[dg.DagsterRun]
    progress: Progress | None
    sink: RunSink = field(default_factory=RunSink)
    run_ids: list[str] = field(default_factory=list)
    definitions: dg.Definitions = field(init=False)

    def __post_init__(self) -> None:
        self.definitions = self.orchestrator.definitions(self.sink)

    def receipt(self) -> Receipt:
        started = time.monotonic()
        pipeline = self.orchestrator.pipeline
        self._run_singles(INPUTS_JOB, "input")
        states = pipeline.states()
        asked = self._asked(states)
        self._run_documents(asked)
        if self.selection.keys is None and self.selection.only is None:
            self._remove(states)
        if self._corpus_is_due():
            self._run_singles(CORPUS_JOB, "corpus")
        fresh = [state for state in states if not state.stale and state.key not in set(asked) and self.selection.keys is None]
        refused = [state for state in fresh if state.change == "refused"]
        return receipt_of(
            self.sink.singles,
            [*self.sink.documents, *(DocumentResult(s.key, s.document_id, s.uri, "refused", s.refusal, ()) for s in refused)],
            run_ids=self.run_ids,
            unchanged_keys=len(fresh) - len(refused),
            seconds=time.monotonic() - started,
            stand_ins=pipeline.stand_ins(),
        )

    def _names(self, level: str) -> list[str]:
        return [row.name for row in self.rows if row.level == level]

    def _run_singles(self, job: str, level: str) -> None:
        names = self._names(level)
        if names:
            self._watch(level, len(names))
            self._run(job, names)

    def _asked(self, states: Sequence[DocumentState]) -> list[str]:
        """Keys to process, in the order in which they were registered."""
        names = self._names("document")
        registered = registered_keys(self.orchestrator.instance) if names else ()
        if self.selection.keys is not None:
            _check_keys(self.selection.keys, registered)
            wanted = set(self.selection.keys)
        elif self.selection.everything:
            wanted = {state.key for state in states}
        else:
            wanted = {state.key for state in states if any(stale.asset in names for stale in state.stale)}
            begun = {key for run in self.killed for key in keys_of(run, self.orchestrator.instance)}
            wanted |= {state.key for state in states} & (begun | self._without_event(names, registered))
        return [key for key in registered if key in wanted]

    def _without_event(self, assets: Sequence[str], registered: Sequence[str]) -> set[str]:
        """Keys that Dagster knows no materialization of, for some of the assets."""
        missing: set[str] = set()
        for asset in assets if registered else ():
            missing |= set(registered) - set(latest_storage_ids(self.orchestrator.instance, asset))
        return missing

    def _run_documents(self, keys: Sequence[str]) -> None:
        names = self._names("document")
        self._watch("documents", len(keys))
        for batch in _batches(keys, self.orchestrator.batch_documents):
            if any(result.code == QUOTA for result in self.sink.documents):
                for key in batch:
                    self.sink.add_document(_not_started(key))
                continue
            # The range makes the keys partitions of the run; the deferral keeps keys inside it that are not asked for
            # from being planned and then shown as failed.
            tags = {RANGE_START_TAG: batch[0], RANGE_END_TAG: batch[-1], DEFER_EVENTS_TAG: "true"}
            config = {DOCUMENTS_OP: {"config": {"keys": list(batch)}}}
            self._run(DOCUMENTS_JOB, names, tags=tags, ops=config)

    def _remove(self, states: Sequence[DocumentState]) -> None:
        """Take out what no source has any more; after ingestion, so that a renamed document finds its paid results."""
        present = {state.key for state in states}
        gone = sorted((set(self.orchestrator.pipeline.gone_keys()) | set(registered_keys(self.orchestrator.instance))) - present)
        # Asked last: it lists the sources once more, which a run that removes nothing need not do.
        if gone and not self.orchestrator.pipeline.catalogue_is_cut():
            self._watch("removal", len(gone))
            config = {REMOVE_OP: {"config": {"keys": gone}}}
            self._run(REMOVE_JOB, (), ops=config)

    def _corpus_is_due(self) -> bool:
        names = self._names("corpus")
        changed = any(stage.outcome not in ("unchanged", "failed") for result in self.sink.documents for stage in result.stages)
        if changed or self.selection.everything or self.selection.only is not None or self.killed:
            return bool(names)
        return any(self.orchestrator.pipeline.causes(name) or self.orchestrator.event(name, None) is None for name in names)

    def _run(self, job: str, assets: Sequence[str], *, tags: Mapping[str, str] | None = None, ops: Mapping[str, Any] | None = None) -> None:
        """Run a job in this process. Failed documents and assets are in the sink.

        Raises:
            GraphragError: What the pipeline raised, or ``run-failed`` for an accident in a step.
            KeyboardInterrupt: A person interrupted the step; Dagster took the signal and ended the run.
        """
        result = self.definitions.resolve_job_def(job).execute_in_process(
            instance=self.orchestrator.instance,
            raise_on_error=False,
            asset_selection=[asset_key(name) for name in assets] or None,
            tags={**this_process().tags(), **(tags or {})},
            run_config=self.orchestrator.run_config(ops or {}),
        )
        self.run_ids.append(result.run_id)
        if self.sink.errors:
            raise self.sink.errors[0]
        for accident in _accidents(result):
            if accident in INTERRUPTS:
                raise KeyboardInterrupt
            remedy = f"The run {result.run_id} holds the place; this is a fault of the program."
            raise GraphragError("run-failed", f"a step of the job {job} ended with an accident: {accident}", remedy)

    def _watch(self, step: str, total: int) -> None:
        progress = self.progress
        if progress is None:
            return
        before = len(self.sink.documents) + len(self.sink.singles)
        self.sink.on_result = lambda: progress(step, len(self.sink.documents) + len(self.sink.singles) - before, total)


def _selected(rows: Sequence[AssetRow], only: Sequence[str] | None) -> list[AssetRow]:
    if only is None:
        return list(rows)
    unknown = sorted(set(only) - {row.name for row in rows})
    if unknown:
        raise UsageError("unknown-asset", f"there is no asset {unknown[0]!r}.", f"There are {', '.join(row.name for row in rows)}.")
    return [row for row in rows if row.name in set(only)]


def _check_keys(keys: Sequence[str], registered: Sequence[str]) -> None:
    unknown = sorted(set(keys) - set(registered))
    if unknown:
        remedy = "`graphrag-assets status --json` lists keys; materialize source_catalog to look for new documents."
        raise UsageError("unknown-key", f"no registered document has the key {unknown[0]!r}.", remedy)


def _batches(keys: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(keys), size):
        yield keys[start : start + size]


def _not_started(key: str) -> DocumentResult:
    remedy = "Top up the account or wait for the new period, then materialize the stale documents again."
    return DocumentResult(key, "", "", "failed", QUOTA, (), remedy)


def _accidents(result: dg.ExecuteInProcessResult) -> list[str]:
    """Names of exceptions that ended a step, other than the failures that steps raise on purpose."""
    errors = [event.step_failure_data.error for event in result.all_events if event.event_type_value == "STEP_FAILURE"]
    return [(error.cause or error).cls_name or "unknown" for error in errors if error is not None and error.cls_name != "Failure"]
