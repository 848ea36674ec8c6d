"""The stages before documents: what the sources hold, the graph's schema, the reviewed decisions."""

from collections import Counter
from dataclasses import replace

from typing_extensions import override

from graphrag_assets.graph.schema import apply_schema, plan_schema, schema_fingerprint
from graphrag_assets.model.outcomes import StageResult
from graphrag_assets.model.pipeline import DocumentState
from graphrag_assets.model.provenance import RunInfo
from graphrag_assets.pipeline.assets import CATALOG, DECISIONS, SCHEMA
from graphrag_assets.pipeline.basis import GRAPH, Basis, hash_of
from graphrag_assets.pipeline.corpus_stages import SingleStage
from graphrag_assets.pipeline.stage import Made, provenance_of, result_of, written_result
from graphrag_assets.resolution.decisions_file import read_decisions
from graphrag_assets.sources.catalog import Catalog
from graphrag_assets.store.codecs import catalog_rows, decision_rows
from graphrag_assets.store.records import digest_rows

CATALOG_VERSION = "1"
SCHEMA_VERSION = "1"
DECISIONS_VERSION = "1"


def record_catalog(stage_tools: SingleStage, catalog: Catalog, states: tuple[DocumentState, ...], run: RunInfo) -> StageResult:
    """Write ``source_catalog``: every entry with its change and what is stale for which cause."""
    tools = stage_tools.tools
    by_key = {state.key: state for state in states}
    rows = catalog_rows(catalog.entries)
    for row in rows:
        state = by_key[row["key"]]
        row["change"] = state.change
        row["stale"] = [f"{stale.asset}: {', '.join(stale.causes)}" for stale in state.stale]
    basis = Basis(CATALOG, CATALOG_VERSION, {}, {"sources": digest_rows(rows)})
    causes: Counter[str] = Counter(cause for state in states for cause in {c for stale in state.stale for c in stale.causes})
    counts: dict[str, int | float | str] = {"documents": len(rows), "bytes": sum(row["size"] for row in rows)}
    counts |= dict(sorted(Counter(state.change for state in states).items()))
    counts |= {f"stale_by_{cause.replace(' ', '_')}": count for cause, count in sorted(causes.items())}
    if catalog.skipped_links:
        counts["links_skipped"] = len(catalog.skipped_links)
    stored = tools.store.provenance(CATALOG, None)
    if stored is not None and stored.fingerprint == basis.fingerprint and stored.counts == counts:
        return result_of(stored, outcome="unchanged")
    made = Made(rows, counts=counts, limits=catalog.limits)
    provenance = provenance_of(run, tools.clock.now(), basis, made, entry=None)
    tools.store.write(provenance, rows)
    return written_result(provenance, made, (), 0.0)


class SchemaStage(SingleStage):
    """Creates what the graph's schema lacks; reports what differs; drops nothing."""

    asset = SCHEMA

    @override
    def basis(self) -> Basis:
        sets = [embedding_set.model_dump(mode="json") for embedding_set in self.tools.settings.embedding_sets]
        settings = {"layout": schema_fingerprint(self.tools.layout, self.tools.vocabulary), "embedding set": hash_of(sets)}
        return Basis(self.asset, SCHEMA_VERSION, settings, {})

    @override
    def causes(self, basis: Basis) -> tuple[str, ...]:
        plan = plan_schema(self.tools.graph(), self.tools.layout, self.tools.vocabulary, self.tools.settings.embedding_sets)
        return (*super().causes(basis), *((GRAPH,) if plan.missing or plan.different else ()))

    @override
    def make(self, basis: Basis, run: RunInfo) -> Made:
        plan = plan_schema(self.tools.graph(), self.tools.layout, self.tools.vocabulary, self.tools.settings.embedding_sets)
        apply_schema(self.tools.graph(), plan)
        different = tuple(difference.item for difference in plan.different)
        states = (("created", plan.missing), ("different", different), ("present", plan.present))
        rows = [{"name": i.name, "kind": i.kind, "statement": i.statement, "state": state} for state, items in states for i in items]
        counts: dict[str, int | float | str] = {state: len(items) for state, items in states}
        return Made(sorted(rows, key=lambda row: row["name"]), counts=counts)

    @override
    def run(self, run: RunInfo) -> StageResult:
        """As every stage, but told by the layout alone: one more vector index makes no document stale."""
        return replace(super().run(run), digest=schema_fingerprint(self.tools.layout, self.tools.vocabulary))


class DecisionsStage(SingleStage):
    """Takes the snapshot of the reviewed decisions."""

    asset = DECISIONS

    @override
    def basis(self) -> Basis:
        decisions = read_decisions(self.tools.home.decisions_file)
        settings = {"merge decisions": hash_of([decision.model_dump(mode="json") for decision in decisions])}
        return Basis(self.asset, DECISIONS_VERSION, settings, {})

    @override
    def make(self, basis: Basis, run: RunInfo) -> Made:
        decisions = read_decisions(self.tools.home.decisions_file)
        kinds = Counter(decision.kind for decision in decisions)
        return Made(decision_rows(decisions), counts={"decisions": len(decisions), **dict(sorted(kinds.items()))})
