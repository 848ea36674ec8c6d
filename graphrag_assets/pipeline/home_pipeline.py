"""The pipeline of one home: which stages there are, in which order, and how each asset is refreshed."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property

from typing_extensions import override

from graphrag_assets.extractions.extract import EXTRACTOR_VERSION
from graphrag_assets.extractions.prompts import PROMPT_VERSION
from graphrag_assets.graph.reading import stored_fingerprints
from graphrag_assets.graph.removal import remove_documents
from graphrag_assets.graph.run import complete_run
from graphrag_assets.model.documents import SourceEntry
from graphrag_assets.model.errors import FailedDocument, UsageError
from graphrag_assets.model.outcomes import DocumentResult, StageResult
from graphrag_assets.model.pipeline import AssetRow, DocumentState, Pipeline
from graphrag_assets.model.provenance import RunInfo
from graphrag_assets.pipeline.assets import CATALOG, DOCUMENTS, SCHEMA, asset_rows
from graphrag_assets.pipeline.basis import MISSING
from graphrag_assets.pipeline.corpus_stages import (
    COMMUNITIES_VERSION,
    CORPUS_GRAPH_VERSION,
    ENTITIES_VERSION,
    CommunitiesStage,
    CorpusGraphStage,
    CorpusVectorsStage,
    EntitiesStage,
    SingleStage,
    stored_decisions,
)
from graphrag_assets.pipeline.document_stages import (
    LOADING_VERSION,
    DocumentsStage,
    ExtractionsStage,
    PlansStage,
    RepliesStage,
    VectorsStage,
)
from graphrag_assets.pipeline.driver import run_documents
from graphrag_assets.pipeline.graph_stages import GRAPH_VERSION, GraphStage, GraphVectorsStage
from graphrag_assets.pipeline.input_stages import (
    CATALOG_VERSION,
    DECISIONS_VERSION,
    SCHEMA_VERSION,
    DecisionsStage,
    SchemaStage,
    record_catalog,
)
from graphrag_assets.pipeline.removal import drop_artifacts, remove_keys
from graphrag_assets.pipeline.stage import DocumentWork, Stage
from graphrag_assets.pipeline.states import document_state
from graphrag_assets.pipeline.tools import Tools
from graphrag_assets.plans.chunker import CHUNKER_VERSION
from graphrag_assets.sources.catalog import Catalog, current_entry, list_sources
from graphrag_assets.store.codecs import catalog_from
from graphrag_assets.vectors.embed import VECTORS_VERSION

VERSIONS = {
    "source_catalog": CATALOG_VERSION,
    "graph_schema": SCHEMA_VERSION,
    "merge_decisions": DECISIONS_VERSION,
    "documents": LOADING_VERSION,
    "chunk_plans": CHUNKER_VERSION,
    "chunk_vectors": VECTORS_VERSION,
    "extraction_replies": PROMPT_VERSION,
    "extractions": EXTRACTOR_VERSION,
    "document_graph": GRAPH_VERSION,
    "graph_vectors": GRAPH_VERSION,
    "entities": ENTITIES_VERSION,
    "communities": COMMUNITIES_VERSION,
    "corpus_vectors": VECTORS_VERSION,
    "corpus_graph": CORPUS_GRAPH_VERSION,
}


class HomePipeline(Pipeline):
    """Everything a home can make."""

    def __init__(self, tools: Tools) -> None:
        self.tools = tools

    @override
    def assets(self) -> tuple[AssetRow, ...]:
        return asset_rows([s.name for s in self.tools.settings.embedding_sets], VERSIONS)

    @cached_property
    def document_stages(self) -> tuple[Stage, ...]:
        """Document stages, in the order in which they are made."""
        sets = [(s, self.tools.models.embedder_for(s)) for s in self.tools.settings.embedding_sets]
        vectors = [VectorsStage(embedding_set, embedder) for embedding_set, embedder in sets]
        in_graph = [GraphVectorsStage(embedding_set) for embedding_set, _ in sets]
        return (DocumentsStage(), PlansStage(), *vectors, RepliesStage(), ExtractionsStage(), GraphStage(), *in_graph)

    @cached_property
    def _single_stages(self) -> dict[str, SingleStage]:
        sets = self.tools.settings.embedding_sets
        stages: list[SingleStage] = [
            SchemaStage(self.tools),
            DecisionsStage(self.tools),
            EntitiesStage(self.tools),
            CommunitiesStage(self.tools),
            *(CorpusVectorsStage(self.tools, s, self.tools.models.embedder_for(s)) for s in sets),
            CorpusGraphStage(self.tools, [s.name for s in sets]),
        ]
        return {stage.asset: stage for stage in stages}

    @override
    def stand_ins(self) -> tuple[str, ...]:
        return self.tools.models.stand_ins

    @override
    def refresh(self, asset: str, run: RunInfo) -> StageResult:
        with self.tools.home.writing():
            return self._refresh(asset, run)

    def _refresh(self, asset: str, run: RunInfo) -> StageResult:
        if asset == CATALOG:
            catalog = self.list_catalog()
            return record_catalog(self._single_stages[SCHEMA], catalog, self._states(catalog.entries), run)
        stage = self._single_stages.get(asset)
        if stage is None:
            raise UsageError("unknown-asset", f"{asset!r} is no unpartitioned asset.", f"There are {sorted(self._single_stages)}.")
        return stage.run(run)

    def list_catalog(self) -> Catalog:
        """What the sources hold now."""
        settings = self.tools.settings
        return list_sources(settings.sources, self.tools.home.folder, max_documents=settings.ingestion.max_documents)

    @override
    def states(self) -> tuple[DocumentState, ...]:
        return self._states(self.list_catalog().entries)

    def _states(self, entries: Sequence[SourceEntry]) -> tuple[DocumentState, ...]:
        run = RunInfo(run_id="preview", runner="api", started=self.tools.clock.now())
        works = self._works(entries, frozenset(), run)
        return tuple(document_state(work, self.document_stages) for work in works)

    @override
    def causes(self, asset: str) -> tuple[str, ...]:
        if asset == CATALOG:
            return ()
        stage = self._single_stages[asset]
        try:
            return stage.causes(stage.basis())
        except FailedDocument:
            return (MISSING,)  # an input of it was never made

    @override
    def keys(self) -> tuple[str, ...]:
        return tuple(sorted(entry.key for entry in self._entries()))

    @override
    def catalogue_is_cut(self) -> bool:
        return bool(self.list_catalog().limits)

    @override
    def gone_keys(self) -> tuple[str, ...]:
        catalog = self.list_catalog()
        if catalog.limits:
            return ()  # documents beyond the bound of the catalogue are not gone
        present = {entry.key for entry in catalog.entries}
        stored = {key for asset in self.tools.store.assets() for key in self.tools.store.keys(asset)}
        return tuple(sorted(stored - present))

    @override
    def process(
        self, keys: Sequence[str], assets: Sequence[str], run: RunInfo, on_result: Callable[[DocumentResult], None] | None = None
    ) -> tuple[DocumentResult, ...]:
        by_key = {entry.key: entry for entry in self._entries()}
        unknown = sorted(set(keys) - set(by_key))
        if unknown:
            raise UsageError("unknown-key", f"no source has the documents {unknown[:5]}.", f"Materialize {CATALOG} to look again.")
        lanes = self.tools.settings.ingestion.lanes
        with self.tools.home.writing():
            works = self._works([current_entry(by_key[key]) for key in sorted(set(keys))], frozenset(assets), run)
            results = run_documents(works, self.document_stages, lanes=lanes, on_refused=self._drop_earlier, on_result=on_result)
            self._complete(run, results)
        return results

    def _complete(self, run: RunInfo, results: Sequence[DocumentResult]) -> None:
        """Say on the run's node how it ended; a run that wrote nothing has no node and gets none."""
        if any(stage.graph.transactions for result in results for stage in result.stages):
            complete_run(
                self.tools.graph(),
                run,
                self.tools.layout,
                status="completed",
                completed=self.tools.clock.now(),
                settings_fingerprint=self.tools.settings.fingerprint(),
                documents=Counter(result.outcome for result in results),
            )

    def _entries(self) -> Sequence[SourceEntry]:
        """Entries of the catalogue as last recorded; a file that changed since is loaded as it is now."""
        artifact = self.tools.store.read(CATALOG, None)
        return catalog_from(artifact.rows) if artifact else self.list_catalog().entries

    def _works(self, entries: Sequence[SourceEntry], assets: frozenset[str], run: RunInfo) -> list[DocumentWork]:
        decisions = stored_decisions(self.tools)
        stored = stored_fingerprints(self.tools.graph(), [entry.document_id for entry in entries], self.tools.layout)
        works: list[DocumentWork] = []
        for entry in entries:
            work = DocumentWork(self.tools, entry, run, assets, decisions)
            found = stored.get(entry.document_id)
            if found is not None:
                work.stored_fingerprint, work.stored_markers = found.fingerprint, dict(found.vector_markers)
            works.append(work)
        return works

    def _drop_earlier(self, work: DocumentWork) -> None:
        """A document that is refused now says nothing: its earlier version leaves the graph, then the artifacts.

        A run that is killed in between leaves it stale for the cause ``refused``, and the next one finishes.
        """
        if work.stored_fingerprint is not None:
            with self.tools.writing:
                remove_documents(self.tools.graph(), [work.entry.document_id], self.tools.layout, self.tools.vocabulary, work.run)
        drop_artifacts(self.tools, work.key, keep=(DOCUMENTS,))

    @override
    def remove(self, keys: Sequence[str], run: RunInfo) -> tuple[DocumentResult, ...]:
        with self.tools.home.writing():
            results = remove_keys(self.tools, keys, run)
            self._complete(run, results)
        return results
