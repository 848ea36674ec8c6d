"""The stages of a document in the graph: its own transaction, and the vectors of each set."""

from typing_extensions import override

from graphrag_assets.graph.document import DocumentContent, write_document
from graphrag_assets.graph.vectors import write_vectors
from graphrag_assets.model.embedding_set import EmbeddingSet
from graphrag_assets.model.outcomes import GraphChanges
from graphrag_assets.model.vectors import VectorTable
from graphrag_assets.pipeline.assets import DOCUMENTS, EXTRACTIONS, GRAPH, PLANS, chunk_vectors, graph_vectors
from graphrag_assets.pipeline.basis import GRAPH as GRAPH_CAUSE
from graphrag_assets.pipeline.basis import Basis, hash_of
from graphrag_assets.pipeline.stage import DocumentWork, Made, Stage
from graphrag_assets.resolution.resolve import canonical_for
from graphrag_assets.store.codecs import count_rows

GRAPH_VERSION = "1"


class GraphStage(Stage):
    """Writes a document's lexical layer and its things, facts, mentions and quotes in one transaction."""

    asset = GRAPH

    @override
    def basis(self, work: DocumentWork) -> Basis:
        settings = {
            "layout": work.tools.layout_hash(),
            "merge decisions": hash_of(sorted(canonical_for(work.extraction(), work.decisions).items())) if work.decisions else hash_of([]),
        }
        return Basis(self.asset, GRAPH_VERSION, settings, work.digests(DOCUMENTS, PLANS, EXTRACTIONS))

    @override
    def outside_causes(self, work: DocumentWork, basis: Basis) -> tuple[str, ...]:
        return () if work.stored_fingerprint == basis.fingerprint else (GRAPH_CAUSE,)

    @override
    def make(self, work: DocumentWork, basis: Basis) -> Made:
        extraction = work.extraction()
        vectors = self._vectors(work)
        markers = {name: work.digest(chunk_vectors(name)) for name in vectors}
        canonical = canonical_for(extraction, work.decisions)
        content = DocumentContent(work.document(), work.plan(), extraction, basis.fingerprint, canonical, markers)
        tools = work.tools
        with tools.writing:
            changes = write_document(
                tools.graph(), content, vectors, work.run, tools.layout, tools.vocabulary, batch_rows=tools.settings.graph.batch_rows
            )
        work.stored_fingerprint = basis.fingerprint
        work.stored_markers = {**work.stored_markers, **markers}
        counts: dict[str, int | float | str] = {
            "chunks": len(content.plan.chunks),
            "things": len(extraction.things),
            "facts": len(extraction.facts),
            "mentions": len(extraction.mentions),
        }
        return Made(count_rows(counts, basis.fingerprint), counts=counts, graph=changes)

    def _vectors(self, work: DocumentWork) -> dict[str, VectorTable]:
        """Vectors that go into the document's own transaction: of every set whose graph asset was asked for too."""
        names = [embedding_set.name for embedding_set in work.tools.settings.embedding_sets]
        wanted = [name for name in names if graph_vectors(name) in work.writes]
        owners = {chunk.chunk_id for chunk in work.plan().chunks if not chunk.blank}
        found = {name: work.vectors(name) for name in wanted if work.tools.store.exists(chunk_vectors(name), work.key)}
        # Vectors of an earlier plan are not these chunks' vectors.
        return {name: table for name, table in found.items() if {vector.owner_id for vector in table.vectors} == owners}


class GraphVectorsStage(Stage):
    """Writes one set's vectors on a document's chunks, unless the document's own transaction just did."""

    def __init__(self, embedding_set: EmbeddingSet) -> None:
        self.asset = graph_vectors(embedding_set.name)
        self._name = embedding_set.name

    @override
    def basis(self, work: DocumentWork) -> Basis:
        return Basis(self.asset, GRAPH_VERSION, {}, work.digests(GRAPH, chunk_vectors(self._name)))

    @override
    def outside_causes(self, work: DocumentWork, basis: Basis) -> tuple[str, ...]:
        return () if work.stored_markers.get(self._name) == basis.inputs[chunk_vectors(self._name)] else (GRAPH_CAUSE,)

    @override
    def make(self, work: DocumentWork, basis: Basis) -> Made:
        table = work.vectors(self._name)
        marker = basis.inputs[chunk_vectors(self._name)]
        changes = GraphChanges()
        if work.stored_markers.get(self._name) != marker:
            tools = work.tools
            with tools.writing:
                changes = write_vectors(
                    tools.graph(),
                    work.entry.document_id,
                    table,
                    marker=marker,
                    run=work.run,
                    layout=tools.layout,
                    batch_rows=tools.settings.graph.batch_rows,
                )
            work.stored_markers = {**work.stored_markers, self._name: marker}
        counts: dict[str, int | float | str] = {"vectors": len(table.vectors)}
        return Made(count_rows(counts, basis.fingerprint), counts=counts, graph=changes)
