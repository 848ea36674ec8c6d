"""A real pipeline in memory: texts in, digests that flow from stage to stage, failures and refusals by script."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from typing_extensions import override

from graphrag_assets.model.errors import FailedDocument, GraphragError, UsageError
from graphrag_assets.model.outcomes import DocumentResult, GraphChanges, StageResult, Usage
from graphrag_assets.model.pipeline import AssetRow, DocumentState, Pipeline, StaleAsset
from graphrag_assets.model.provenance import RunInfo

INPUTS = (
    AssetRow("source_catalog", "input", (), "sources", ("file",), "What documents there are.", "1", constant_version=True),
    AssetRow("graph_schema", "input", (), "graph", ("neo4j",), "Constraints and indexes.", "1"),
    AssetRow("merge_decisions", "input", (), "resolution", ("json",), "Reviewed merges.", "1", constant_version=True),
)
DOCUMENTS = (
    AssetRow("documents", "document", ("source_catalog",), "sources", ("parquet",), "Loaded text.", "1"),
    AssetRow("chunk_plans", "document", ("documents",), "plans", ("parquet",), "Chunk spans.", "1"),
    AssetRow("chunk_vectors/minilm", "document", ("chunk_plans",), "vectors", ("parquet",), "Vectors.", "1"),
    AssetRow("chunk_vectors/small", "document", ("chunk_plans",), "vectors", ("parquet",), "Vectors of another set.", "1"),
    AssetRow("extraction_replies", "document", ("chunk_plans",), "extractions", ("llm",), "Replies.", "1"),
    AssetRow("extractions", "document", ("chunk_plans", "extraction_replies"), "extractions", ("parquet",), "Facts.", "1"),
    AssetRow(
        "document_graph",
        "document",
        ("documents", "chunk_plans", "extractions", "graph_schema", "merge_decisions"),
        "graph",
        ("neo4j",),
        "The document in the graph.",
        "1",
    ),
    AssetRow("graph_vectors/minilm", "document", ("document_graph", "chunk_vectors/minilm"), "graph", ("neo4j",), "In the graph.", "1"),
)
CORPUS = (
    AssetRow("entities", "corpus", ("extractions", "merge_decisions"), "resolution", ("parquet",), "Things.", "1"),
    AssetRow("communities", "corpus", ("entities",), "communities", ("parquet",), "Communities.", "1"),
    AssetRow("corpus_vectors/minilm", "corpus", ("entities",), "vectors", ("parquet",), "Vectors of things.", "1"),
    AssetRow(
        "corpus_graph",
        "corpus",
        ("document_graph", "entities", "communities", "corpus_vectors/minilm"),
        "graph",
        ("neo4j",),
        "Settled.",
        "1",
    ),
)


def digest_of(*values: object) -> str:
    """A digest of values."""
    return sha256(repr(values).encode()).hexdigest()


@dataclass(frozen=True)
class Stored:
    """One artifact of the fake."""

    result: StageResult
    run_id: str


@dataclass
class FakePipeline(Pipeline):
    """Documents by key; edit ``texts`` as a person edits files.

    Args:
        texts: Key to text.
        failures: ``(asset, key)`` to the code with which that stage fails.
        refusals: Key to the code with which the document is refused.
        single_failures: Unpartitioned asset to the error it raises.
        after: Call this once so many documents of a call of `process` have ended.
        stored: What was made, by asset and key; survives like files do.
    """

    texts: dict[str, str] = field(default_factory=dict)
    failures: dict[tuple[str, str], str] = field(default_factory=dict)
    refusals: dict[str, str] = field(default_factory=dict)
    single_failures: dict[str, GraphragError] = field(default_factory=dict)
    after: tuple[int, Callable[[], None]] | None = None
    schema: str = "layout 1"
    decisions: list[str] = field(default_factory=list)
    resolution: str = "1.0"
    stored: dict[tuple[str, str | None], Stored] = field(default_factory=dict)
    processed: list[tuple[tuple[str, ...], tuple[str, ...], str]] = field(default_factory=list)
    refreshed: list[tuple[str, str]] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    writes: int = 0

    @override
    def assets(self) -> tuple[AssetRow, ...]:
        return (*INPUTS, *DOCUMENTS, *CORPUS)

    @override
    def stand_ins(self) -> tuple[str, ...]:
        return ("hashing-embedder",)

    @override
    def refresh(self, asset: str, run: RunInfo) -> StageResult:
        self.refreshed.append((asset, run.run_id))
        if asset in self.single_failures:
            raise self.single_failures[asset]
        row = self._row(asset)
        made = self._made(row, None, self._single_inputs(row), {"documents": len(self.texts)})
        return self._keep(made, run)

    @override
    def causes(self, asset: str) -> tuple[str, ...]:
        row = self._row(asset)
        made = self._made(row, None, self._single_inputs(row), {})
        kept = self.stored.get((asset, None))
        return () if kept is not None and kept.result.fingerprint == made.fingerprint else ("inputs",)

    @override
    def process(
        self, keys: Sequence[str], assets: Sequence[str], run: RunInfo, on_result: Callable[[DocumentResult], None] | None = None
    ) -> tuple[DocumentResult, ...]:
        unknown = sorted(set(keys) - set(self.texts))
        if unknown:
            raise UsageError("unknown-key", f"no source has {unknown}.")
        self.processed.append((tuple(keys), tuple(assets), run.run_id))
        results: list[DocumentResult] = []
        # Documents end in another order than that of their keys, as they do on several lanes.
        for number, key in enumerate(sorted(keys, key=lambda key: digest_of(key))):
            if self.after is not None and number == self.after[0]:
                self.after[1]()
            results.append(self._process_one(key, assets, run))
            if on_result is not None:
                on_result(results[-1])
        return tuple(sorted(results, key=lambda result: result.key))

    def _process_one(self, key: str, assets: Sequence[str], run: RunInfo) -> DocumentResult:
        stages: list[StageResult] = []
        for row in DOCUMENTS:
            if row.name not in assets:
                continue
            if (row.name, key) in self.failures:
                stages.append(StageResult(row.name, key, "failed", self.failures[row.name, key], remedy="Try again."))
                break
            stages.append(self._stage(row, key, run))
        return self._document(key, stages)

    def _stage(self, row: AssetRow, key: str, run: RunInfo) -> StageResult:
        if key in self.refusals:
            code = self.refusals[key]
            made = StageResult(row.name, key, "refused", code, digest_of("refused", code), digest_of(code), "refusing stage")
            self.stored[row.name, key] = Stored(made, run.run_id)
            return made
        return self._keep(self._made(row, key, self._inputs(row, key), {"chunks": len(self.texts[key].split())}), run)

    def _document(self, key: str, stages: list[StageResult]) -> DocumentResult:
        order = ("unchanged", "written", "removed", "refused", "failed")
        worst = max(stages, key=lambda stage: order.index(stage.outcome))
        return DocumentResult(key, digest_of(key), f"docs:/{key}", worst.outcome, worst.code, tuple(stages), worst.remedy)

    def _keep(self, made: StageResult, run: RunInfo) -> StageResult:
        kept = self.stored.get((made.asset, made.key))
        if kept is not None and kept.result.fingerprint == made.fingerprint:
            return replace(made, outcome="unchanged", usage=Usage(), graph=GraphChanges(), causes=())
        self.writes += 1
        self.stored[made.asset, made.key] = Stored(made, run.run_id)
        return made

    def _inputs(self, row: AssetRow, key: str) -> dict[str, str]:
        levels = {asset.name: asset.level for asset in self.assets()}
        inputs: dict[str, str] = {}
        for upstream in row.upstream:
            if levels[upstream] == "document":
                kept = self.stored.get((upstream, key))
                if kept is None:
                    raise FailedDocument("stage-failed", f"{upstream} of {key} has not been made.")
                inputs[upstream] = kept.result.digest
        return inputs

    def _single_inputs(self, row: AssetRow) -> dict[str, str]:
        own = {"source_catalog": sorted(self.texts.items()), "graph_schema": self.schema, "merge_decisions": self.decisions}
        if row.level == "input":
            return {"own": digest_of(own[row.name])}
        inputs = {"resolution": self.resolution} if row.name == "communities" else {}
        for upstream in row.upstream:
            found = [(key or "", kept.result.digest) for (asset, key), kept in self.stored.items() if asset == upstream]
            inputs[upstream] = digest_of(sorted(found))
        return inputs

    def _made(self, row: AssetRow, key: str | None, inputs: Mapping[str, str], counts: Mapping[str, int]) -> StageResult:
        own = self.texts[key] if row.name == "documents" and key is not None else ""
        schema = self.schema if row.name == "document_graph" else ""
        print_ = digest_of(row.name, row.code_version, sorted(inputs.items()), own, schema)
        return StageResult(
            row.name,
            key,
            "written",
            digest=digest_of("content", print_),
            fingerprint=print_,
            code_version=row.code_version,
            inputs=dict(inputs) if key is not None else {},
            causes=("text",),
            counts=counts,
            sample=_sample(row, key),
            usage=Usage(chat_calls=1, input_tokens=10, output_tokens=2) if row.name == "extraction_replies" else Usage(),
            graph=GraphChanges(transactions=1, nodes_created=3) if row.name == "document_graph" else GraphChanges(),
            seconds=0.25,
        )

    @override
    def keys(self) -> tuple[str, ...]:
        return tuple(sorted(self.texts))

    @override
    def states(self) -> tuple[DocumentState, ...]:
        return tuple(self._state(key) for key in self.keys())

    def _state(self, key: str) -> DocumentState:
        kept = self.stored.get(("documents", key))
        if key in self.refusals and kept is not None and kept.result.outcome == "refused":
            return DocumentState(key, digest_of(key), f"docs:/{key}", "refused", ())
        stale: list[StaleAsset] = []
        for row in DOCUMENTS:
            above = any(asset.asset in row.upstream for asset in stale)
            found = self.stored.get((row.name, key))
            if above or found is None or found.result.fingerprint != self._made(row, key, self._inputs(row, key), {}).fingerprint:
                stale.append(StaleAsset(row.name, ("missing",) if found is None else ("text",)))
        change = "new" if kept is None else "changed" if stale and stale[0].asset == "documents" else "unchanged"
        return DocumentState(key, digest_of(key), f"docs:/{key}", change, tuple(stale))

    @override
    def gone_keys(self) -> tuple[str, ...]:
        return tuple(sorted({key for _, key in self.stored if key is not None} - set(self.texts)))

    @override
    def remove(self, keys: Sequence[str], run: RunInfo) -> tuple[DocumentResult, ...]:
        self.removed += sorted(keys)
        for place in [place for place in self.stored if place[1] in keys]:
            del self.stored[place]
        stages = {key: StageResult("removal", key, "removed", graph=GraphChanges(1, 0, 3)) for key in keys}
        return tuple(DocumentResult(key, digest_of(key), f"docs:/{key}", "removed", None, (stages[key],)) for key in sorted(keys))

    def _row(self, asset: str) -> AssetRow:
        return next(row for row in self.assets() if row.name == asset)


def _sample(row: AssetRow, key: str | None) -> tuple[dict[str, str | int], ...]:
    if row.name not in ("chunk_plans", "extractions"):
        return ()
    return tuple({"chunk": digest_of(row.name, key, n)[:12], "start": n * 100, "end": n * 100 + 99} for n in range(7))
