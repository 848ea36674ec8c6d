"""Vectors on the chunks of a document, by key and in pages: one set at a time, beside whatever other sets are there."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from graphrag_assets.gateways.graph_database import GraphDatabase, GraphTransaction, Row
from graphrag_assets.graph.changes import Applier
from graphrag_assets.graph.cypher import statement
from graphrag_assets.graph.difference import Update
from graphrag_assets.graph.layout import Layout
from graphrag_assets.graph.stored import StoredNode, lock_documents, pages
from graphrag_assets.model.errors import FailedDocument
from graphrag_assets.model.ids import hashed
from graphrag_assets.model.outcomes import GraphChanges
from graphrag_assets.model.provenance import RunInfo
from graphrag_assets.model.vectors import TextVector, VectorTable

# Reads the chunks of one document by their edges to it.
CHUNK_ELEMENTS: Final = """
MATCH (:%(document)s {id: $id})<-[:%(chunk_document)s]-(c:%(chunk)s)
RETURN c.id AS id, elementId(c) AS element, $property IN keys(c) AS has_vector
"""


def vector_marker(table: VectorTable) -> str:
    """What a document records of a set: hash of the model and of the texts that were embedded, not of the numbers."""
    texts = sorted((vector.owner_id, vector.text_hash) for vector in table.vectors)
    return hashed("vector-marker", table.set_name, table.model, table.revision, table.dimensions, texts)


def check_table(table: VectorTable) -> None:
    """Refuse a vector that the index would leave out without a word: wrong length, not finite, or all zero.

    Raises:
        FailedDocument: ``embedding-dimensions`` or ``invalid-embedding``.
    """
    for vector in table.vectors:
        if len(vector.vector) != table.dimensions:
            message = f"The vector of {vector.owner_id!r} has {len(vector.vector)} numbers, its set {table.set_name!r} {table.dimensions}."
            raise FailedDocument("embedding-dimensions", message, "Embed it again.")
        if not all(map(math.isfinite, vector.vector)) or not any(vector.vector):
            message = f"The vector of {vector.owner_id!r} in the set {table.set_name!r} is zero or not finite."
            raise FailedDocument("invalid-embedding", message, "Embed it again.")


def write_vectors(
    db: GraphDatabase,
    document_id: str,
    table: VectorTable,
    *,
    marker: str,
    run: RunInfo,
    layout: Layout,
    batch_rows: int = 500,
) -> GraphChanges:
    """Put one set's vectors onto the chunks of a stored document, a page a transaction; other sets stay as they are.

    The marker is written with the last page, so that a killed backfill is seen as not done. A document that has the marker
    already is left alone.

    Raises:
        FailedDocument: ``write-failed`` when the document or a chunk is not in the graph; else as `check_table`.
    """
    check_table(table)
    writing = _SetWriting(document_id, table, marker, run, layout, batch_rows)
    batches = list(pages(table.vectors, batch_rows)) or [()]
    total = GraphChanges()
    for number, batch in enumerate(batches, start=1):
        done, changes = db.write(partial(writing.write_page, batch=batch, is_last=number == len(batches)))
        total += changes
        if done:
            break
    return total


@dataclass(frozen=True, slots=True)
class _SetWriting:
    document_id: str
    table: VectorTable
    marker: str
    run: RunInfo
    layout: Layout
    batch_rows: int

    def write_page(self, tx: GraphTransaction, batch: Sequence[TextVector], is_last: bool) -> bool:
        """Write one page; True when nothing is left to do."""
        node = self._locked(tx)
        marker_property = self.layout.marker_property(self.table.set_name)
        if node.properties.get(marker_property) == self.marker:
            return True
        applier = Applier(tx, self.layout, self.run, self.batch_rows)
        property_name = self.layout.embedding_property(self.table.set_name)
        values = {"id": self.document_id, "property": property_name}
        chunks = {str(row["id"]): row for row in tx.run(statement(CHUNK_ELEMENTS, self.layout), values)}
        applier.set_vectors(property_name, [(self._element(chunks, vector), vector.vector) for vector in batch])
        if is_last:
            owners = {vector.owner_id for vector in self.table.vectors}
            left = [
                Update(str(row["element"]), {property_name: None}) for key, row in chunks.items() if row["has_vector"] and key not in owners
            ]
            applier.update_nodes([*left, Update(node.element, {marker_property: self.marker})])
        applier.record_run()
        return is_last

    def _locked(self, tx: GraphTransaction) -> StoredNode:
        found = lock_documents(tx, self.layout, [self.document_id])
        if self.document_id not in found:
            raise FailedDocument("write-failed", f"The document {self.document_id!r} is not in the graph.", "Make document_graph first.")
        return found[self.document_id]

    def _element(self, chunks: Mapping[str, Row], vector: TextVector) -> str:
        if vector.owner_id not in chunks:
            message = f"The chunk {vector.owner_id!r} of {self.document_id!r} is not in the graph."
            raise FailedDocument("write-failed", message, "Make document_graph first.")
        return str(chunks[vector.owner_id]["element"])
