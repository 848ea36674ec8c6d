"""The stages of the corpus: entities, communities, vectors of things, and what of it the graph holds."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from typing_extensions import override

from graphrag_assets.communities.leiden import detect
from graphrag_assets.communities.pagerank import pagerank, with_ranks
from graphrag_assets.gateways.embedder import Embedder
from graphrag_assets.graph.corpus import settle_corpus
from graphrag_assets.graph.run import complete_run
from graphrag_assets.model.corpus import Community, ResolvedCorpus
from graphrag_assets.model.decisions import MergeDecision
from graphrag_assets.model.embedding_set import EmbeddingSet
from graphrag_assets.model.errors import FailedDocument
from graphrag_assets.model.extraction import Extraction
from graphrag_assets.model.outcomes import StageResult
from graphrag_assets.model.provenance import Provenance, RunInfo
from graphrag_assets.model.vectors import VectorTable
from graphrag_assets.pipeline.assets import CATALOG, COMMUNITIES, CORPUS_GRAPH, DECISIONS, ENTITIES, EXTRACTIONS, GRAPH, corpus_vectors
from graphrag_assets.pipeline.basis import Basis, hash_of, own_causes
from graphrag_assets.pipeline.stage import Made, provenance_of, result_of, written_result
from graphrag_assets.pipeline.tools import Tools
from graphrag_assets.resolution.resolve import resolve
from graphrag_assets.store.codecs import (
    catalog_from,
    communities_from,
    community_rows,
    corpus_from,
    corpus_rows,
    count_rows,
    decisions_from,
    extraction_from,
    vector_rows,
    vectors_from,
)
from graphrag_assets.vectors.embed import VECTORS_VERSION, embed_texts, set_fingerprint

ENTITIES_VERSION = "1"
COMMUNITIES_VERSION = "1"
CORPUS_GRAPH_VERSION = "1"


class SingleStage(ABC):
    """One unpartitioned asset."""

    asset: str

    def __init__(self, tools: Tools) -> None:
        self.tools = tools

    @abstractmethod
    def basis(self) -> Basis:
        """What the result rests on."""

    @abstractmethod
    def make(self, basis: Basis, run: RunInfo) -> Made:
        """Make the result."""

    def causes(self, basis: Basis) -> tuple[str, ...]:
        """Why the stored result does not stand; empty when it does."""
        return own_causes(self.tools.store.provenance(self.asset, None), basis)

    def run(self, run: RunInfo) -> StageResult:
        """Skip the stage when its result stands, else make, write and report it."""
        started = self.tools.clock.monotonic()
        basis = self.basis()
        causes = self.causes(basis)
        stored = self.tools.store.provenance(self.asset, None)
        if stored is not None and not causes:
            return result_of(stored, outcome="unchanged")
        made = self.make(basis, run)
        provenance = provenance_of(run, self.tools.clock.now(), basis, made, entry=None)
        self.tools.store.write(provenance, made.rows, dimensions=made.dimensions)
        return written_result(provenance, made, causes, self.tools.clock.monotonic() - started)

    def digest(self, asset: str) -> str:
        """Digest of an unpartitioned upstream."""
        provenance = self.tools.store.provenance(asset, None)
        if provenance is None:
            raise FailedDocument("stage-failed", f"{asset} has not been made.", f"Materialize {asset} first.")
        return provenance.digest


def stored_decisions(tools: Tools) -> tuple[MergeDecision, ...]:
    """Decisions as the ``merge_decisions`` asset last saw them."""
    artifact = tools.store.read(DECISIONS, None)
    return decisions_from(artifact.rows) if artifact else ()


def stored_corpus(tools: Tools) -> ResolvedCorpus:
    """The corpus of the ``entities`` artifact."""
    artifact = tools.store.read(ENTITIES, None)
    return corpus_from(artifact.rows) if artifact else ResolvedCorpus((), ())


class EntitiesStage(SingleStage):
    """Resolves things and facts over all documents."""

    asset = ENTITIES

    def _documents(self, asset: str) -> dict[str, Provenance]:
        found = {key: self.tools.store.provenance(asset, key) for key in self.tools.store.keys(asset)}
        return {key: provenance for key, provenance in found.items() if provenance is not None and provenance.outcome == "written"}

    @override
    def basis(self) -> Basis:
        digests = [[key, provenance.digest] for key, provenance in sorted(self._documents(EXTRACTIONS).items())]
        settings = {"ontology": self.tools.ontology.fingerprint}
        decisions = hash_of([d.model_dump(mode="json") for d in stored_decisions(self.tools)])
        names = hash_of(sorted(self._names().items()))
        return Basis(self.asset, ENTITIES_VERSION, settings, {CATALOG: names, EXTRACTIONS: hash_of(digests), DECISIONS: decisions})

    @override
    def make(self, basis: Basis, run: RunInfo) -> Made:
        extractions = self._extractions()
        entries = self._names()
        missing = tuple(sorted(set(entries) - {extraction.document_id for extraction in extractions}))
        corpus = resolve(
            extractions, stored_decisions(self.tools), phrases=self.tools.ontology.sentence, documents=entries, missing_documents=missing
        )
        corpus = with_ranks(corpus, pagerank(corpus))
        counts: dict[str, int | float | str] = {
            "things": len(corpus.things),
            "facts": len(corpus.facts),
            "placeholders": sum(thing.is_placeholder for thing in corpus.things),
            "documents": len(extractions),
            "documents_missing": len(missing),
            "self_facts_dropped": corpus.self_facts_dropped,
        }
        kinds = sorted({thing.kind for thing in corpus.things})
        sample = tuple({"class": kind, "things": sum(thing.kind == kind for thing in corpus.things)} for kind in kinds)
        return Made(corpus_rows(corpus), counts=counts, sample=sample, limits=corpus.limits)

    def _extractions(self) -> list[Extraction]:
        read: list[Extraction] = []
        for key, provenance in sorted(self._documents(EXTRACTIONS).items()):
            artifact = self.tools.store.read(EXTRACTIONS, key)
            if artifact is not None and provenance.document_id is not None:
                read.append(extraction_from(artifact.rows, artifact.provenance.parts, provenance.document_id))
        return read

    def _names(self) -> dict[str, str]:
        artifact = self.tools.store.read(CATALOG, None)
        return {entry.document_id: entry.name for entry in catalog_from(artifact.rows)} if artifact else {}


class CommunitiesStage(SingleStage):
    """Finds communities of things."""

    asset = COMMUNITIES

    @override
    def basis(self) -> Basis:
        settings = {"communities": self.tools.settings.communities.fingerprint()}
        return Basis(self.asset, COMMUNITIES_VERSION, settings, {ENTITIES: self.digest(ENTITIES)})

    @override
    def make(self, basis: Basis, run: RunInfo) -> Made:
        communities = detect(stored_corpus(self.tools), self.tools.settings.communities)
        sizes = [len(community.member_ids) for community in communities if community.level == 0]
        levels = len({community.level for community in communities})
        counts = {"communities": len(communities), "levels": levels, "largest": max(sizes, default=0)}
        largest = sorted(communities, key=lambda community: (-len(community.member_ids), community.community_id))
        sample = tuple({"community": c.community_id[:12], "level": c.level, "things": len(c.member_ids)} for c in largest)
        return Made(community_rows(communities), counts=counts, sample=sample)


class CorpusVectorsStage(SingleStage):
    """Embeds the names of things under one set."""

    def __init__(self, tools: Tools, embedding_set: EmbeddingSet, embedder: Embedder) -> None:
        super().__init__(tools)
        self.asset = corpus_vectors(embedding_set.name)
        self._set = embedding_set
        self._embedder = embedder

    @override
    def basis(self) -> Basis:
        settings = {"embedding set": set_fingerprint(self._set, self._embedder)}
        return Basis(self.asset, VECTORS_VERSION, settings, {ENTITIES: self.digest(ENTITIES)})

    @override
    def make(self, basis: Basis, run: RunInfo) -> Made:
        owners = [(thing.thing_id, thing.name) for thing in stored_corpus(self.tools).things if not thing.is_placeholder]
        known = self._known(basis.settings["embedding set"])
        embedded = embed_texts(
            owners,
            self._set,
            self._embedder,
            batch_size=self.tools.settings.ingestion.embedding_batch_size,
            find=lambda names: {name: known[name] for name in names if name in known},
            keep=lambda _name, _vector: None,
        )
        table = embedded.table
        return Made(
            vector_rows(table),
            parts={"set": table.set_name, "model": table.model, "revision": table.revision, "dimensions": str(table.dimensions)},
            counts={"vectors": len(table.vectors), "dimensions": table.dimensions, "model": table.model},
            usage=embedded.usage,
            dimensions=table.dimensions,
        )

    def _known(self, fingerprint: str) -> Mapping[str, tuple[float, ...]]:
        artifact = self.tools.store.read(self.asset, None)
        if artifact is None or artifact.provenance.settings.get("embedding set") != fingerprint:
            return {}
        return {row["text_hash"]: tuple(row["vector"]) for row in artifact.rows}


class CorpusGraphStage(SingleStage):
    """Settles in the graph what depends on more than one document."""

    asset = CORPUS_GRAPH

    def __init__(self, tools: Tools, set_names: Sequence[str]) -> None:
        super().__init__(tools)
        self._vectors = tuple(corpus_vectors(name) for name in set_names)

    @override
    def basis(self) -> Basis:
        upstream = {asset: self.digest(asset) for asset in (ENTITIES, COMMUNITIES, *self._vectors)}
        documents = [(key, self.tools.store.provenance(GRAPH, key)) for key in self.tools.store.keys(GRAPH)]
        # The run that wrote a document counts: written anew, it may have brought first writers' values back.
        writes = [[key, provenance.digest, provenance.run_id, provenance.written] for key, provenance in documents if provenance]
        settings = {"layout": self.tools.layout_hash()}
        return Basis(self.asset, CORPUS_GRAPH_VERSION, settings, {**upstream, GRAPH: hash_of(writes)})

    @override
    def make(self, basis: Basis, run: RunInfo) -> Made:
        tools = self.tools
        corpus = stored_corpus(tools)
        with tools.writing:
            changes = settle_corpus(tools.graph(), corpus, self._communities(), self._tables(), run, tools.layout, tools.vocabulary)
        if changes.transactions:
            complete_run(tools.graph(), run, tools.layout, status="completed", completed=tools.clock.now())
        counts: dict[str, int | float | str] = {"things": len(corpus.things), "facts": len(corpus.facts)}
        content = hash_of({asset: digest for asset, digest in basis.inputs.items() if asset != GRAPH})
        return Made(count_rows(counts, content), counts=counts, graph=changes)

    def _communities(self) -> tuple[Community, ...]:
        artifact = self.tools.store.read(COMMUNITIES, None)
        return communities_from(artifact.rows) if artifact else ()

    def _tables(self) -> dict[str, VectorTable]:
        tables: dict[str, VectorTable] = {}
        for asset in self._vectors:
            artifact = self.tools.store.read(asset, None)
            if artifact is not None:
                tables[asset.split("/")[1]] = vectors_from(artifact.rows, artifact.provenance.parts)
        return tables
