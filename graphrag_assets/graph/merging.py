"""Moving what a merged thing still holds onto the thing it was merged into, in one transaction, and deleting it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.graph.changes import Applier
from graphrag_assets.graph.cypher import ENSURE_THINGS, MARK_COMMUNITIES, STORED_EDGES, statement
from graphrag_assets.graph.difference import Update, refuse_foreign
from graphrag_assets.graph.layout import Layout
from graphrag_assets.graph.rows import RUN_PROPERTY, EdgeIdentity, Properties
from graphrag_assets.graph.stored import StoredEdge, edge_of, ensure
from graphrag_assets.model.corpus import ResolvedThing
from graphrag_assets.model.ids import fact_id, mention_key, quote_key
from graphrag_assets.model.outcomes import GraphChanges
from graphrag_assets.model.provenance import RunInfo

# Reads the nodes at the other ends of one thing's edges.
NEIGHBOUR_ELEMENTS: Final = """
MATCH (t) WHERE elementId(t) = $element
MATCH (t)-[r]-(o)
RETURN DISTINCT o.id AS id, elementId(o) AS element
"""

# No look-up.
THING_PROPERTIES: Final = "MATCH (t) WHERE elementId(t) = $element RETURN t.extractor_version AS extractor_version"


def move_merged(db: GraphDatabase, merged: str, kept: ResolvedThing, run: RunInfo, layout: Layout) -> GraphChanges:
    """Move mentions, quotes and facts of a merged thing; equal ones fall together, self-facts go, and the thing goes.

    Raises:
        UsageError: ``not-ours`` when something else holds the merged thing.
    """
    return db.write(lambda tx: _Moving(Applier(tx, layout, run, 500), merged, kept).move())[1]


@dataclass(frozen=True, slots=True)
class _Moving:
    applier: Applier
    merged: str
    kept: ResolvedThing

    def move(self) -> None:
        elements = self._lock()
        if self.merged not in elements:
            return
        edges = self._edges(elements[self.merged])
        refuse_foreign(sorted(edge.type for edge in edges if not edge.is_ours))
        target = self._kept_element(elements)
        there = self._edges(target)
        ends = {**self._neighbours(elements[self.merged]), self.kept.thing_id: target}
        facts = [edge for edge in edges if edge.is_fact]
        spoken = [edge for edge in edges if "key" in edge.properties]
        self._move_facts(facts, there, ends)
        self._move_spoken(spoken, {edge.identity for edge in there}, ends)
        self.applier.tx.run(statement(MARK_COMMUNITIES, self.applier.layout), {"elements": [elements[self.merged]]})
        self.applier.delete_edges([edge.element for edge in edges])
        self.applier.delete_nodes([elements[self.merged]])
        self.applier.record_run()

    def _lock(self) -> dict[str, str]:
        """Lock both things and every thing that a fact ties to the merged one."""
        own = self.applier.lock_things([self.merged])
        if not own:
            return {}
        around = self._neighbours(own[self.merged])
        return self.applier.lock_things({self.merged, self.kept.thing_id, *around})

    def _kept_element(self, elements: dict[str, str]) -> str:
        """The thing that stays; it is new when only documents that name the merged one are written."""
        if self.kept.thing_id in elements:
            return elements[self.kept.thing_id]
        tx, layout = self.applier.tx, self.applier.layout
        merged = tx.run(THING_PROPERTIES, {"element": elements[self.merged]})[0]
        properties = {
            "id": self.kept.thing_id,
            "kind": self.kept.kind,
            layout.thing_name_property: self.kept.name,
            "extractor_version": merged["extractor_version"],
            RUN_PROPERTY: self.applier.run.run_id,
        }
        rows = [{"id": self.kept.thing_id, "labels": list(layout.thing_labels(self.kept.kind)), "properties": properties}]
        return str(ensure(tx, statement(ENSURE_THINGS, layout), rows)[0]["element"])

    def _edges(self, element: str) -> list[StoredEdge]:
        return [edge_of(row) for row in self.applier.tx.run(STORED_EDGES, {"elements": [element]})]

    def _neighbours(self, element: str) -> dict[str, str]:
        return {str(row["id"]): str(row["element"]) for row in self.applier.tx.run(NEIGHBOUR_ELEMENTS, {"element": element})}

    def _moved(self, end: str) -> str:
        return self.kept.thing_id if end == self.merged else end

    def _move_facts(self, facts: Sequence[StoredEdge], there: Sequence[StoredEdge], ends: dict[str, str]) -> None:
        """Facts under their new ids; the lists of facts that fall together are united, the payload that was there stays."""
        known = {str(edge.properties["id"]): edge for edge in there if edge.is_fact}
        lists: dict[str, tuple[set[str], set[str]]] = {}
        created: dict[str, tuple[str, str, str, Properties]] = {}
        for fact in sorted(facts, key=lambda f: str(f.properties["id"])):
            source, target = self._moved(fact.source), self._moved(fact.target)
            if source == target:
                continue
            key = fact_id(source, fact.type, target)
            documents, chunks = lists.setdefault(key, _lists(known.get(key)))
            documents |= fact.listed("document_ids")
            chunks |= fact.listed("chunk_ids")
            if key not in known:
                created.setdefault(key, (fact.type, ends[source], ends[target], fact.properties))
        united = {key: {"document_ids": sorted(one[0]), "chunk_ids": sorted(one[1])} for key, one in lists.items()}
        self.applier.update_edges([Update(known[key].element, united[key]) for key in united if key in known])
        self.applier.create_edges(
            [(kind, source, target, {**held, **united[key], "id": key}) for key, (kind, source, target, held) in created.items()]
        )

    def _move_spoken(self, spoken: Sequence[StoredEdge], there: set[EdgeIdentity], ends: dict[str, str]) -> None:
        """Mentions and quotes under their new keys, but for those that the kept thing has already."""
        created: dict[EdgeIdentity, tuple[str, str, str, Properties]] = {}
        for edge in sorted(spoken, key=lambda e: e.identity):
            start = int(str(edge.properties["start"]))
            make_key = quote_key if "words" in edge.properties else mention_key
            key = make_key(edge.target, start, self.kept.thing_id)
            identity = EdgeIdentity(edge.type, self.kept.thing_id, edge.target, key)
            if identity not in there:
                properties = {**edge.properties, "key": key}
                created.setdefault(identity, (edge.type, ends[self.kept.thing_id], ends[edge.target], properties))
        self.applier.create_edges(list(created.values()))


def _lists(fact: StoredEdge | None) -> tuple[set[str], set[str]]:
    return (fact.listed("document_ids"), fact.listed("chunk_ids")) if fact else (set(), set())
