"""What the graph holds of documents now, read under their locks inside the transaction that will change them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeVar, cast

from graphrag_assets.gateways.graph_database import GraphTransaction, Row
from graphrag_assets.graph.cypher import (
    ENSURE_DOCUMENT,
    LOCK_DOCUMENTS,
    STORED_EDGES,
    STORED_NODES,
    named_facts,
    stated_facts,
    statement,
)
from graphrag_assets.graph.layout import GraphVocabulary, Layout
from graphrag_assets.graph.rows import RUN_PROPERTY, EdgeIdentity, FactRow, Properties

Item = TypeVar("Item")

PAGE: Final = 1_000


@dataclass(frozen=True, slots=True)
class StoredNode:
    """A node as stored. ``element`` names it inside this transaction only."""

    part: Literal["document", "section", "chunk"]
    id: str
    element: str
    properties: Properties


@dataclass(frozen=True, slots=True)
class StoredEdge:
    """An edge as stored."""

    element: str
    type: str
    source: str
    target: str
    properties: Properties

    @property
    def identity(self) -> EdgeIdentity:
        """See `EdgeIdentity`."""
        return EdgeIdentity(self.type, self.source, self.target, str(self.properties.get("key", "")))

    @property
    def is_fact(self) -> bool:
        """Whether it lists the documents that state it."""
        return "document_ids" in self.properties

    @property
    def is_ours(self) -> bool:
        """Whether a run of this project wrote it."""
        return RUN_PROPERTY in self.properties

    def listed(self, name: Literal["document_ids", "chunk_ids"]) -> set[str]:
        """One of a fact's two lists."""
        return set(cast(Sequence[str], self.properties.get(name, ())))


@dataclass(frozen=True, slots=True)
class StoredDocuments:
    """Documents as stored: their nodes, all edges of those nodes, and which things they name."""

    documents: Mapping[str, StoredNode]
    nodes: Mapping[str, StoredNode]
    edges: tuple[StoredEdge, ...]

    @property
    def chunk_ids(self) -> set[str]:
        """Ids of all stored chunks of these documents."""
        return {node.id for node in self.nodes.values() if node.part == "chunk"}

    @property
    def thing_ids(self) -> set[str]:
        """Ids of the things that these documents name, speak through or state facts of."""
        own = {*self.nodes, *self.documents}
        return {end for edge in self.edges if edge.is_ours for end in (edge.source, edge.target) if end not in own}


def pages(rows: Sequence[Item], size: int = PAGE) -> Iterator[Sequence[Item]]:
    """The rows in bounded pages, in order; none for no rows."""
    return (rows[start : start + size] for start in range(0, len(rows), size))


def ensure_document(tx: GraphTransaction, layout: Layout, *, document_id: str, run_id: str) -> StoredNode:
    """Lock the node of a document, making it when there is none; a new one has no ``uri`` yet."""
    rows = ensure(tx, statement(ENSURE_DOCUMENT, layout), [{"id": document_id, "run_id": run_id}])
    return _node("document", rows[0])


def lock_documents(tx: GraphTransaction, layout: Layout, document_ids: Sequence[str]) -> dict[str, StoredNode]:
    """Lock those of the documents that are stored, in the order of their ids."""
    rows = tx.run(statement(LOCK_DOCUMENTS, layout), {"ids": sorted(document_ids)})
    return {str(row["id"]): _node("document", row) for row in rows if row["id"] is not None}


def ensure(tx: GraphTransaction, text: str, rows: Sequence[Mapping[str, object]]) -> list[Row]:
    """Run a statement that merges and locks a node for each row, until each row has one.

    A node that was found, and deleted by another transaction before its lock was ours, comes back without an id: it is gone
    for good by then, so that merging again makes it anew.
    """
    found: dict[str, Row] = {}
    missing = list(rows)
    while missing:
        found.update((str(row["id"]), row) for row in tx.run(text, {"rows": missing}) if row["id"] is not None)
        missing = [row for row in missing if row["id"] not in found]
    return list(found.values())


def read_documents(tx: GraphTransaction, layout: Layout, documents: Mapping[str, StoredNode]) -> StoredDocuments:
    """Everything that locked documents have in the graph; facts between things aside, see `read_facts`."""
    found = tx.run(statement(STORED_NODES, layout), {"ids": sorted(documents)})
    nodes = {str(row["id"]): _node(cast(Literal["section", "chunk"], row["part"]), row) for row in found}
    elements = [node.element for node in (*documents.values(), *nodes.values())]
    edges: dict[str, StoredEdge] = {}
    for page in pages(elements):
        for row in tx.run(STORED_EDGES, {"elements": page}):
            edges[str(row["element"])] = edge_of(row)
    return StoredDocuments(documents, nodes, tuple(edges.values()))


def read_facts(
    tx: GraphTransaction,
    layout: Layout,
    vocabulary: GraphVocabulary,
    *,
    stored: StoredDocuments,
    wanted: Sequence[FactRow] = (),
) -> tuple[StoredEdge, ...]:
    """Facts that list one of the stored documents, and those that are about to be stated; read under the locks of things."""
    facts = {edge.element: edge for edge in stored.edges if edge.is_fact and edge.is_ours}
    documents = sorted(d for d, node in stored.documents.items() if "uri" in node.properties)
    if documents:
        walk = stated_facts(layout, vocabulary)
        for page in pages(sorted(stored.thing_ids)):
            found = tx.run(walk, {"things": page, "documents": documents})
            facts.update((edge.element, edge) for edge in map(edge_of, found))
    ids: dict[str, list[str]] = {}
    for fact in wanted:
        ids.setdefault(fact.type, []).append(fact.fact_id)
    if ids:
        facts.update((edge.element, edge) for edge in map(edge_of, tx.run(named_facts(vocabulary), {"ids": ids})))
    return tuple(facts.values())


def _node(part: Literal["document", "section", "chunk"], row: Row) -> StoredNode:
    return StoredNode(part, str(row["id"]), str(row["element"]), cast(Properties, row["properties"]))


def edge_of(row: Row) -> StoredEdge:
    """An edge from a row with element, type, source, target and properties."""
    properties = cast(Properties, row["properties"])
    return StoredEdge(str(row["element"]), str(row["type"]), str(row["source"]), str(row["target"]), properties)
