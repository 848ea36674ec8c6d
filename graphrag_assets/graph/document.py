"""One document into the graph: one transaction that leaves it whole or as it was, and writes only what differs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from graphrag_assets.gateways.graph_database import GraphDatabase, GraphTransaction
from graphrag_assets.graph.changes import Applier
from graphrag_assets.graph.cypher import ENSURE_THINGS, statement
from graphrag_assets.graph.difference import Update, changed_properties, fact_difference, part_difference
from graphrag_assets.graph.layout import GraphVocabulary, Layout
from graphrag_assets.graph.rows import RUN_PROPERTY, DocumentRows, ThingRow, document_rows
from graphrag_assets.graph.schema import require_schema
from graphrag_assets.graph.stored import StoredDocuments, StoredNode, ensure, ensure_document, pages, read_documents, read_facts
from graphrag_assets.graph.vectors import check_table, vector_marker
from graphrag_assets.model.documents import LoadedDocument
from graphrag_assets.model.extraction import Extraction
from graphrag_assets.model.outcomes import GraphChanges
from graphrag_assets.model.plans import ChunkPlan
from graphrag_assets.model.provenance import RunInfo
from graphrag_assets.model.vectors import VectorTable

_EXTRACTOR: Final = "extractor_version"


@dataclass(frozen=True, slots=True)
class DocumentContent:
    """All that the graph is to hold of one document.

    Args:
        fingerprint: Of everything that made it; kept on the document's node for `stored_fingerprints`.
        canonical: Thing id to the id it is merged into, by the reviewed decisions.
        markers: What to record for a set whose vectors are written with the document; by default `vector_marker`.
    """

    document: LoadedDocument
    plan: ChunkPlan
    extraction: Extraction
    fingerprint: str
    canonical: Mapping[str, str] = field(default_factory=dict[str, str])
    markers: Mapping[str, str] = field(default_factory=dict[str, str])


def write_document(
    db: GraphDatabase,
    content: DocumentContent,
    vectors: Mapping[str, VectorTable],
    run: RunInfo,
    layout: Layout,
    vocabulary: GraphVocabulary,
    *,
    batch_rows: int = 500,
) -> GraphChanges:
    """Write one document, its things, facts, mentions and quotes, and the vectors given, in one transaction.

    What is stored is compared with what is wanted, under the locks of the document and of every thing that either of them
    names, so that an equal document changes nothing and an edited one leaves nothing behind: facts that it alone stated go,
    shared ones lose its id, and things that nobody names any more go with their last mention. Chunks whose id is unchanged
    keep their vectors.

    Raises:
        UsageError: ``schema-missing``, ``not-ours``.
        FailedDocument: ``write-failed``, ``embedding-dimensions``, ``invalid-embedding``.
    """
    require_schema(db, layout, vocabulary)
    for table in vectors.values():
        check_table(table)
    wanted = document_rows(
        content.document,
        content.plan,
        content.extraction,
        fingerprint=content.fingerprint,
        canonical=content.canonical,
        layout=layout,
        vocabulary=vocabulary,
    )

    def work(tx: GraphTransaction) -> None:
        applier = Applier(tx, layout, run, batch_rows)
        _Writing(applier, vocabulary, wanted, vectors, content.markers).write()

    return db.write(work)[1]


@dataclass(frozen=True, slots=True)
class _Writing:
    """One run of the transaction; it may run again after a lost connection or a deadlock, and then reads anew."""

    applier: Applier
    vocabulary: GraphVocabulary
    wanted: DocumentRows
    vectors: Mapping[str, VectorTable]
    markers: Mapping[str, str]

    def write(self) -> None:
        applier, wanted = self.applier, self.wanted
        node = ensure_document(applier.tx, applier.layout, document_id=wanted.document_id, run_id=applier.run.run_id)
        stored = self._stored(node)
        left = stored.thing_ids - set(wanted.things)
        things, new = self._lock_things(left)
        shared = [fact for fact in wanted.facts.values() if not new.intersection((fact.source, fact.target))]
        facts = read_facts(applier.tx, applier.layout, self.vocabulary, stored=stored, wanted=shared)
        parts = part_difference(stored, wanted, applier.layout.chunk_text_property)
        applier.remove_parts(parts)
        known = {node.id: node.element, **things, **{n.id: n.element for n in stored.nodes.values()}}
        elements = applier.create_parts(parts, known)
        applier.change_facts(fact_difference(facts, stored, wanted), elements, wanted.document_id)
        applier.remove_orphans(sorted(left))
        chunks_changed = bool(parts.created_chunks) or any(n.part == "chunk" for n in parts.deleted_nodes)
        self._write_vectors(node, stored, elements)
        self._write_document_node(node, chunks_changed)
        applier.record_run()

    def _stored(self, node: StoredNode) -> StoredDocuments:
        if "uri" not in node.properties:
            return StoredDocuments({node.id: node}, {}, ())
        return read_documents(self.applier.tx, self.applier.layout, {node.id: node})

    def _lock_things(self, left: set[str]) -> tuple[dict[str, str], set[str]]:
        """Lock the things that the document names or named, in the order of their ids, then make those that are new.

        Returns:
            Element by id, and the ids of the new ones.
        """
        applier, wanted = self.applier, self.wanted.things
        rows = applier.locked_things({*wanted, *left})
        new = [self._new_thing(thing) for key, thing in sorted(wanted.items()) if key not in rows]
        outdated = [
            Update(str(row["element"]), changed)
            for key, row in rows.items()
            if key in wanted and (changed := changed_properties(row, {_EXTRACTOR: wanted[key].properties[_EXTRACTOR]}))
        ]
        applier.update_nodes(outdated)
        elements = {key: str(row["element"]) for key, row in rows.items()}
        text = statement(ENSURE_THINGS, applier.layout)
        for page in pages(new, applier.batch_rows):
            elements.update((str(row["id"]), str(row["element"])) for row in ensure(applier.tx, text, page))
        return elements, {str(row["id"]) for row in new}

    def _new_thing(self, thing: ThingRow) -> dict[str, object]:
        properties = {**thing.properties, RUN_PROPERTY: self.applier.run.run_id}
        return {"id": thing.thing_id, "labels": list(thing.labels), "properties": properties}

    def _write_vectors(self, node: StoredNode, stored: StoredDocuments, elements: Mapping[str, str]) -> None:
        """Vectors of new chunks, and of all chunks of a set whose marker changes."""
        for set_name, table in sorted(self.vectors.items()):
            marker = node.properties.get(self.applier.layout.marker_property(set_name))
            kept = stored.chunk_ids if marker == self._marker(set_name) else set[str]()
            owned = [v for v in table.vectors if v.owner_id in self.wanted.chunks and v.owner_id not in kept]
            rows = [(elements[v.owner_id], v.vector) for v in owned]
            self.applier.set_vectors(self.applier.layout.embedding_property(set_name), rows)

    def _write_document_node(self, node: StoredNode, chunks_changed: bool) -> None:
        """The document's own values. A marker stays only while it is true: new chunks without vectors end it."""
        prefix = self.applier.layout.marker_property_prefix
        ended = {name: None for name in node.properties if chunks_changed and name.startswith(prefix)}
        written = {self.applier.layout.marker_property(name): self._marker(name) for name in self.vectors}
        changed = changed_properties(node.properties, {**self.wanted.document, **ended, **written})
        self.applier.update_nodes([Update(node.element, changed)] if changed else [])

    def _marker(self, set_name: str) -> str:
        return self.markers.get(set_name) or vector_marker(self.vectors[set_name])
