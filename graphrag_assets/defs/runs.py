"""Runs: who works in them, what they collect for the receipt, and those whose process died."""

import logging
import os
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import dagster as dg
import psutil

from graphrag_assets.defs.events import PARTITION_TAG, RANGE_END_TAG, RANGE_START_TAG
from graphrag_assets.defs.partitions import registered_keys
from graphrag_assets.model.errors import GraphragError
from graphrag_assets.model.outcomes import DocumentResult, StageResult

PID_TAG: Final = "graphrag-assets/pid"
PROCESS_TAG: Final = "graphrag-assets/process_started"
BOOT_TAG: Final = "graphrag-assets/boot_id"
HOST_TAG: Final = "graphrag-assets/host"
MISSING_TAG: Final = "graphrag-assets/events_missing"
DOCUMENTS_OP: Final = "process_documents"
_UNDER_WAY: Final = (
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
)
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class RunSink:
    """A resource that collects what the steps of in-process runs did. In a worker of the UI nobody looks at it.

    Args:
        on_result: Called once a document and once an unpartitioned asset, as they end.
    """

    on_result: Callable[[], None] | None = None
    documents: list[DocumentResult] = field(default_factory=list)
    singles: list[StageResult] = field(default_factory=list)
    errors: list[GraphragError] = field(default_factory=list)

    def add_document(self, result: DocumentResult) -> None:
        """Take the result of a document."""
        self.documents.append(result)
        self._report()

    def add_single(self, result: StageResult) -> None:
        """Take the result of an unpartitioned asset."""
        self.singles.append(result)
        self._report()

    def _report(self) -> None:
        if self.on_result is not None:
            self.on_result()


@dataclass(frozen=True, slots=True)
class ThisProcess:
    """What tells a process of this machine from all others, since its last boot and before."""

    pid: int
    started: str
    boot: str
    host: str

    def tags(self) -> dict[str, str]:
        """Tags of a run that works in this process."""
        return {PID_TAG: str(self.pid), PROCESS_TAG: self.started, BOOT_TAG: self.boot, HOST_TAG: self.host}


def this_process() -> ThisProcess:
    """The process that asks."""
    pid = os.getpid()
    return ThisProcess(pid, _started(pid) or "", _boot_id(), _host())


def claim_run(context: dg.AssetExecutionContext | dg.OpExecutionContext) -> None:
    """Tag a run that was started elsewhere, by the UI or a backfill, with the process that works in it."""
    if PID_TAG not in context.run.tags:
        context.instance.add_run_tags(context.run.run_id, this_process().tags())


def fail_dead_runs(instance: dg.DagsterInstance) -> tuple[str, ...]:
    """Mark runs of this machine whose process is gone as failed, and as missing events; returns their ids."""
    dead = [run for run in instance.get_runs(dg.RunsFilter(statuses=list(_UNDER_WAY))) if _is_dead(run.tags)]
    for run in dead:
        _log.warning("run %s was killed with its process %s; marked as failed", run.run_id, run.tags[PID_TAG])
        instance.add_run_tags(run.run_id, {MISSING_TAG: "true"})
        instance.report_run_failed(run, "The process of this run was killed from outside; found by a later start.")
    return tuple(run.run_id for run in dead)


def runs_missing_events(instance: dg.DagsterInstance) -> tuple[dg.DagsterRun, ...]:
    """Killed runs whose artifacts may be newer than their events, until `settle_missing_events`."""
    return tuple(instance.get_runs(dg.RunsFilter(tags={MISSING_TAG: "true"})))


def settle_missing_events(instance: dg.DagsterInstance, runs: Sequence[dg.DagsterRun]) -> None:
    """Remember that all that these runs had begun has been asked for again."""
    for run in runs:
        instance.add_run_tags(run.run_id, {MISSING_TAG: "false"})


def _is_dead(tags: Mapping[str, str]) -> bool:
    if tags.get(HOST_TAG) != _host() or PID_TAG not in tags:
        return False
    return tags.get(BOOT_TAG) != _boot_id() or _started(int(tags[PID_TAG])) != tags.get(PROCESS_TAG)


def keys_of(run: dg.DagsterRun, instance: dg.DagsterInstance) -> set[str]:
    """Keys of the documents that a run was to process."""
    config: Mapping[str, Any] = run.run_config
    configured = config.get("ops", {}).get(DOCUMENTS_OP, {}).get("config", {}).get("keys", [])
    if configured:
        return set(configured)
    if PARTITION_TAG in run.tags:
        return {run.tags[PARTITION_TAG]}
    start, end = run.tags.get(RANGE_START_TAG), run.tags.get(RANGE_END_TAG)
    order = registered_keys(instance)
    if start not in order or end not in order:
        return set()
    return set(order[order.index(start) : order.index(end) + 1])


def _started(pid: int) -> str | None:
    """When a process began, to the hundredth of a second; None when there is none with that pid."""
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else f"{process.create_time():.2f}"
    except psutil.NoSuchProcess:
        return None


def _boot_id() -> str:
    return _BOOT_ID.read_text(encoding="ascii").strip() if _BOOT_ID.exists() else f"{psutil.boot_time():.0f}"


def _host() -> str:
    return socket.gethostname()
