"""Applying differences inside a transaction, in bounded pages: edges before the nodes they hold, by element, never detached."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from graphrag_assets.gateways.graph_database import GraphTransaction, Row
from graphrag_assets.graph.cypher import (
    CREATE_CHUNKS,
    CREATE_EDGES,
    CREATE_SECTIONS,
    DELETE_EDGES,
    DELETE_NODES,
    ENSURE_RUN,
    LOCK_THINGS,
    MARK_COMMUNITIES,
    SET_VECTORS,
    STORED_EDGES,
    UNMENTIONED_THINGS,
    UPDATE_EDGES,
    UPDATE_NODES,
    statement,
)
from graphrag_assets.graph.difference import FactDifference, PartDifference, Update, refuse_foreign
from graphrag_assets.graph.layout import Layout
from graphrag_assets.graph.rows import RUN_PROPERTY, Properties
from graphrag_assets.graph.stored import pages
from graphrag_assets.model.outcomes import GraphChanges
from graphrag_assets.model.provenance import RunInfo


@dataclass(frozen=True, slots=True)
class Applier:
    """One transaction with what every statement of it needs."""

    tx: GraphTransaction
    layout: Layout
    run: RunInfo
    batch_rows: int

    def remove_parts(self, difference: PartDifference) -> None:
        """Delete owned edges, then sections and chunks."""
        self.delete_edges([edge.element for edge in difference.deleted_edges])
        self.delete_nodes([node.element for node in difference.deleted_nodes])

    def create_parts(self, difference: PartDifference, elements: Mapping[str, str]) -> dict[str, str]:
        """Create sections, chunks and owned edges, and update those that stay.

        Args:
            difference: What to create and update.
            elements: Element by id of the nodes that were there.

        Returns:
            Element by id, with those of the new nodes.
        """
        known = dict(elements)
        for template, rows in ((CREATE_SECTIONS, difference.created_sections), (CREATE_CHUNKS, difference.created_chunks)):
            text = statement(template, self.layout)
            for page in pages(rows, self.batch_rows):
                found = self.tx.run(text, {"rows": [self._owned(row) for row in page]})
                known.update((str(row["id"]), str(row["element"])) for row in found)
        self.create_edges([(edge.type, known[edge.source], known[edge.target], edge.properties) for edge in difference.created_edges])
        self.update_nodes(difference.updated_nodes)
        self.update_edges(difference.updated_edges)
        return known

    def change_facts(self, difference: FactDifference, elements: Mapping[str, str], document_id: str = "") -> None:
        """Create, update and delete facts; created ones list ``document_id``."""
        self.delete_edges([fact.element for fact in difference.deleted])
        self.update_edges(difference.updated)
        self.create_edges(
            [
                (
                    fact.type,
                    elements[fact.source],
                    elements[fact.target],
                    {**fact.payload, "id": fact.fact_id, "document_ids": [document_id], "chunk_ids": list(fact.chunk_ids)},
                )
                for fact in difference.created
            ]
        )

    def lock_things(self, thing_ids: Iterable[str]) -> dict[str, str]:
        """Lock things in the order of their ids; element by id of those that are there."""
        return {key: str(row["element"]) for key, row in self.locked_things(thing_ids).items()}

    def locked_things(self, thing_ids: Iterable[str]) -> dict[str, Row]:
        """As `lock_things`, with the version of the extractor that found each thing last."""
        text = statement(LOCK_THINGS, self.layout)
        rows = [row for page in pages(sorted(thing_ids)) for row in self.tx.run(text, {"ids": page})]
        return {str(row["id"]): row for row in rows if row["id"] is not None}

    def remove_orphans(self, thing_ids: Sequence[str]) -> int:
        """Delete those of the things that no chunk names any more, their facts and memberships first; locked before.

        Raises:
            UsageError: ``not-ours`` when something else holds one of them.
        """
        removed = 0
        for page in pages(sorted(thing_ids)):
            rows = self.tx.run(statement(UNMENTIONED_THINGS, self.layout), {"things": page})
            elements = [str(row["element"]) for row in rows]
            if elements:
                refuse_foreign(sorted(str(row["id"]) for row in rows if row["run_id"] is None))
                self._remove_things(elements)
                removed += len(elements)
        return removed

    def _remove_things(self, elements: Sequence[str]) -> None:
        edges = self.tx.run(STORED_EDGES, {"elements": elements})
        refuse_foreign(sorted(str(row["type"]) for row in edges if RUN_PROPERTY not in cast(Properties, row["properties"])))
        if any(row["type"] == self.layout.community_type for row in edges):
            self.tx.run(statement(MARK_COMMUNITIES, self.layout), {"elements": elements})
        self.delete_edges([str(row["element"]) for row in edges])
        self.delete_nodes(elements)

    def create_edges(self, edges: Sequence[tuple[str, str, str, Properties]]) -> None:
        """Create edges, given as type, source element, target element and properties."""
        for page in pages(edges, self.batch_rows):
            rows = [
                {"type": kind, "source": source, "target": target, "properties": self._owned(properties)}
                for kind, source, target, properties in page
            ]
            self.tx.run(CREATE_EDGES, {"rows": rows})

    def update_nodes(self, updates: Sequence[Update]) -> None:
        """Set properties of nodes."""
        for page in pages(updates, self.batch_rows):
            self.tx.run(UPDATE_NODES, {"rows": [{"element": u.element, "properties": dict(u.properties)} for u in page]})

    def update_edges(self, updates: Sequence[Update]) -> None:
        """Set properties of edges."""
        for page in pages(updates, self.batch_rows):
            changes = {update.element: dict(update.properties) for update in page}
            self.tx.run(UPDATE_EDGES, {"elements": list(changes), "changes": changes})

    def delete_edges(self, elements: Sequence[str]) -> None:
        """Delete edges."""
        for page in pages(elements):
            self.tx.run(DELETE_EDGES, {"elements": page})

    def delete_nodes(self, elements: Sequence[str]) -> None:
        """Delete nodes that have no edges any more."""
        for page in pages(elements):
            self.tx.run(DELETE_NODES, {"elements": page})

    def set_vectors(self, property_name: str, vectors: Sequence[tuple[str, Sequence[float]]]) -> None:
        """Store vectors, given as element and numbers."""
        for page in pages(vectors, self.batch_rows):
            rows = [{"element": element, "vector": list(vector)} for element, vector in page]
            self.tx.run(SET_VECTORS, {"property": property_name, "rows": rows})

    def record_run(self) -> None:
        """Write the run's node with its first change; a transaction that changed nothing writes nothing."""
        if self.tx.changes != GraphChanges(transactions=1):
            values = {"id": self.run.run_id, "started": self.run.started, "runner": self.run.runner}
            self.tx.run(statement(ENSURE_RUN, self.layout), values)

    def _owned(self, properties: Properties) -> dict[str, object]:
        return {**properties, RUN_PROPERTY: self.run.run_id}
