"""Adding up what stages and documents did into the one receipt of a materialisation."""

from collections import Counter
from collections.abc import Sequence

from graphrag_assets.model.limits import Limit
from graphrag_assets.model.outcomes import DocumentResult, GraphChanges, Receipt, RunOutcome, StageResult, Usage


def receipt_of(
    singles: Sequence[StageResult],
    documents: Sequence[DocumentResult],
    *,
    run_ids: Sequence[str],
    unchanged_keys: int,
    seconds: float,
    stand_ins: Sequence[str],
) -> Receipt:
    """The receipt over all runs.

    Args:
        singles: Results of unpartitioned assets.
        documents: Results of documents that were asked for, removals included.
        unchanged_keys: Documents of the catalogue that were fresh and not asked for.
    """
    stages = [*singles, *(stage for document in documents for stage in document.stages)]
    counts = Counter(document.outcome for document in documents)
    counts["unchanged"] += unchanged_keys
    failures = [(document.key, document.code or "") for document in documents if document.outcome == "failed"]
    failures += [(stage.asset, stage.code or "") for stage in singles if stage.outcome == "failed"]
    written = [stage for stage in stages if stage.outcome == "written"]
    return Receipt(
        outcome=_outcome(len(failures), len(documents) + len(singles)),
        run_ids=tuple(run_ids),
        documents=dict(counts),
        usage=sum((stage.usage for stage in stages), Usage()),
        graph=sum((stage.graph for stage in stages), GraphChanges()),
        repaired=_total(written, "repaired"),
        quarantined=_total(written, "quarantined"),
        pruned=_total(written, "pruned"),
        limits=tuple(sorted({limit for stage in stages for limit in stage.limits}, key=_by_name)),
        seconds=seconds,
        failures=tuple(failures),
        refusals=tuple((document.key, document.code or "") for document in documents if document.outcome == "refused"),
        stand_ins=tuple(stand_ins),
    )


def _outcome(failures: int, total: int) -> RunOutcome:
    if not failures:
        return "succeeded"
    return "failed" if failures >= total else "partial"


def _total(stages: Sequence[StageResult], name: str) -> int:
    return sum(int(stage.counts.get(name, 0)) for stage in stages)


def _by_name(limit: Limit) -> tuple[str, int]:
    return limit.name, limit.value
