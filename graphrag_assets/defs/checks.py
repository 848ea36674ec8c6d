"""Asset checks: named questions about the whole home, answered with counts and failing ids.

They have no partitions: a check of a range run with partitions would stay planned for ever in Dagster 1.13.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import dagster as dg

from graphrag_assets.defs.partitions import asset_key
from graphrag_assets.graph.health import HealthFinding
from graphrag_assets.model.pipeline import Pipeline

MAX_FAILING_IDS: Final = 20


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """What a check found.

    Args:
        counts: Numbers with their unit in the name.
        failing: Ids of what is wrong, never text; at most `MAX_FAILING_IDS` are shown, with how many are not.
    """

    passed: bool
    counts: Mapping[str, int] = field(default_factory=dict)
    failing: tuple[str, ...] = ()
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class CheckRow:
    """A check of one asset: ``<asset>_<property that holds>``.

    Args:
        run: Looks, and writes nothing.
        blocking: A failure is an error; else a warning.
    """

    name: str
    asset: str
    run: Callable[[], CheckOutcome]
    description: str = ""
    blocking: bool = False


def document_checks(pipeline: Pipeline) -> tuple[CheckRow, ...]:
    """Checks that every pipeline can answer. They ask for the state of all documents, so once, when the corpus is settled."""
    return (
        CheckRow(
            "corpus_graph_documents_accepted",
            "corpus_graph",
            lambda: _refused(pipeline),
            "No document of the sources is refused.",
        ),
        CheckRow(
            "corpus_graph_documents_fresh",
            "corpus_graph",
            lambda: _stale(pipeline),
            "No document is stale or failed once the corpus is settled.",
        ),
    )


def graph_check(look: Callable[[], Sequence[HealthFinding]]) -> CheckRow:
    """The check of the settled graph: schema, orphans, stale facts, missing and mixed vectors.

    Args:
        look: Finds what is wrong in the graph.
    """
    return CheckRow(
        "corpus_graph_healthy",
        "corpus_graph",
        lambda: _health(look()),
        "Schema complete, nothing orphaned or stale, every chunk's vector present and indexed.",
        blocking=True,
    )


def check_specs(checks: Sequence[CheckRow], asset: str) -> list[dg.AssetCheckSpec]:
    """Specs of the checks of one asset."""
    return [
        dg.AssetCheckSpec(check.name, asset=asset_key(asset), description=check.description or None)
        for check in checks
        if check.asset == asset
    ]


def run_checks(checks: Sequence[CheckRow], selected: set[dg.AssetCheckKey]) -> Iterator[dg.AssetCheckResult]:
    """Answer the selected checks."""
    for check in checks:
        if dg.AssetCheckKey(asset_key(check.asset), check.name) in selected:
            yield check_result(check)


def check_result(check: CheckRow) -> dg.AssetCheckResult:
    """Answer one check."""
    outcome = check.run()
    metadata: dict[str, dg.MetadataValue] = {name: dg.MetadataValue.int(count) for name, count in outcome.counts.items()}
    if outcome.failing:
        metadata["failing_ids"] = dg.MetadataValue.json(list(outcome.failing[:MAX_FAILING_IDS]))
        metadata["failing_ids_not_shown"] = dg.MetadataValue.int(max(0, len(outcome.failing) - MAX_FAILING_IDS))
    if outcome.remedy and not outcome.passed:
        metadata["remedy"] = dg.MetadataValue.text(outcome.remedy)
    return dg.AssetCheckResult(
        passed=outcome.passed,
        asset_key=asset_key(check.asset),
        check_name=check.name,
        severity=dg.AssetCheckSeverity.ERROR if check.blocking else dg.AssetCheckSeverity.WARN,
        metadata=metadata,
    )


def _refused(pipeline: Pipeline) -> CheckOutcome:
    states = pipeline.states()
    refused = tuple(state.key for state in states if state.change == "refused")
    counts = {"documents": len(states), "documents_refused": len(refused)}
    return CheckOutcome(not refused, counts, refused, "The event of each document says the code and what to do.")


def _stale(pipeline: Pipeline) -> CheckOutcome:
    states = pipeline.states()
    stale = tuple(state.key for state in states if state.stale)
    counts = {"documents": len(states), "documents_stale_or_failed": len(stale)}
    return CheckOutcome(not stale, counts, stale, "Materialize the stale documents; a failed one says its code in its run.")


def _health(findings: Sequence[HealthFinding]) -> CheckOutcome:
    counts: Counter[str] = Counter()
    for finding in findings:
        counts[finding.code.replace("-", "_")] += finding.count
    failing = tuple(f"{finding.code}: {found}" for finding in findings for found in finding.sample or (finding.subject,))
    return CheckOutcome(not findings, dict(counts), failing, " ".join(dict.fromkeys(finding.remedy for finding in findings)))
