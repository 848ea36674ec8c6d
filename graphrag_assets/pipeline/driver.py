"""The one driver of a batch of documents: each flows through its stages, many at a time; a bad one stops no other."""

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed

from graphrag_assets.model.errors import FailedDocument, GraphragError, QuotaExhausted, RefusedDocument, UsageError
from graphrag_assets.model.ids import hashed
from graphrag_assets.model.outcomes import DocumentResult, OutcomeName, StageResult
from graphrag_assets.pipeline.stage import DocumentWork, Stage

_log = logging.getLogger(__name__)
_ORDER: tuple[OutcomeName, ...] = ("unchanged", "written", "removed", "refused", "failed")


def run_documents(
    works: Sequence[DocumentWork],
    stages: Sequence[Stage],
    *,
    lanes: int,
    on_refused: Callable[[DocumentWork], None],
    on_result: Callable[[DocumentResult], None] | None = None,
) -> tuple[DocumentResult, ...]:
    """Run the selected stages of every document.

    Args:
        works: One a document.
        stages: In the order in which they are made; only those a work asks for are run.
        lanes: Documents worked on at the same time.
        on_refused: Takes a refused document's earlier version out of the graph and the artifacts.
        on_result: Called from this thread, once a document, as they end.

    Returns:
        One result a document, sorted by key.
    """
    stop = threading.Event()
    results: list[DocumentResult] = []
    with ThreadPoolExecutor(max_workers=lanes, thread_name_prefix="document") as pool:
        futures = {pool.submit(_run_document, work, stages, stop, on_refused): work for work in works}
        try:
            for future in as_completed(futures):
                results.append(_ended(future, futures[future], stages))
                if on_result is not None:
                    on_result(results[-1])
        except BaseException:
            stop.set()
            for future in futures:
                future.cancel()
            raise
    return tuple(sorted(results, key=lambda result: result.key))


def _ended(future: "Future[DocumentResult]", work: DocumentWork, stages: Sequence[Stage]) -> DocumentResult:
    """The document's result; an accident in one document (not wrong settings) is its failure alone."""
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, GraphragError) or not isinstance(error, Exception):
        raise error
    _log.error("%s: %s", work.key, type(error).__name__, exc_info=error)
    asked = [stage for stage in stages if stage.asset in work.writes]
    open_stage = next((stage for stage in asked if stage.asset not in work.results), asked[-1])
    remedy = "This is a fault of the program; the log names its place."
    work.results[open_stage.asset] = _failed(open_stage, work, FailedDocument("stage-failed", type(error).__name__, remedy))
    return document_result(work)


def _run_document(
    work: DocumentWork, stages: Sequence[Stage], stop: threading.Event, on_refused: Callable[[DocumentWork], None]
) -> DocumentResult:
    for stage in stages:
        if stage.asset not in work.writes:
            continue
        result = _run_stage(stage, work, stop)
        work.results[stage.asset] = result
        if result.outcome == "failed":
            return document_result(work)
        if result.outcome == "refused":
            try:
                on_refused(work)
            except (FailedDocument, UsageError) as error:
                # What this one document still has could not be taken out: its own failure, tried again by the next run.
                work.results[stage.asset] = _failed(stage, work, error)
                return document_result(work)
            _refuse_rest(work, stages, result)
            break
    return document_result(work)


def _run_stage(stage: Stage, work: DocumentWork, stop: threading.Event) -> StageResult:
    if stop.is_set():
        remedy = "Top up the account or wait for the new period, then materialize the stale documents again."
        return _failed(stage, work, QuotaExhausted("quota-exhausted", "the run stopped before this document.", remedy))
    try:
        return stage.run(work)
    except RefusedDocument as refusal:
        return StageResult(stage.asset, work.key, "refused", refusal.code, digest=hashed("refused", refusal.code), remedy=refusal.remedy)
    except FailedDocument as error:
        if isinstance(error, QuotaExhausted):
            stop.set()
        return _failed(stage, work, error)


def _failed(stage: Stage, work: DocumentWork, error: GraphragError) -> StageResult:
    # The code alone: a server's own words may quote a document.
    _log.warning("%s of %s failed: %s", stage.asset, work.key, error.code)
    return StageResult(asset=stage.asset, key=work.key, outcome="failed", code=error.code, remedy=error.remedy)


def _refuse_rest(work: DocumentWork, stages: Sequence[Stage], refusal: StageResult) -> None:
    """Every later stage that was asked for ends as refused too, so that its event is there and says so."""
    for stage in stages:
        if stage.asset in work.writes and stage.asset not in work.results:
            work.results[stage.asset] = StageResult(
                asset=stage.asset,
                key=work.key,
                outcome="refused",
                code=refusal.code,
                digest=refusal.digest,
                fingerprint=refusal.fingerprint,
                code_version=refusal.code_version,
                inputs={},
                remedy=refusal.remedy,
            )


def document_result(work: DocumentWork) -> DocumentResult:
    """The worst outcome of a document's stages, with its code."""
    results = tuple(work.results.values())
    worst = max(results, key=lambda result: _ORDER.index(result.outcome)) if results else None
    return DocumentResult(
        key=work.key,
        document_id=work.entry.document_id,
        uri=work.entry.uri,
        outcome=worst.outcome if worst else "unchanged",
        code=worst.code if worst else None,
        stages=results,
        remedy=worst.remedy if worst else "",
    )
