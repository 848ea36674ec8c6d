"""The digest of the graph: one hash over all nodes, labels, relationships and properties, whatever order they were made in.

Left out are run and lease nodes and the property that says which run wrote something: two graphs that hold the same have
the same digest, whatever history led to them. Vectors count as 32-bit numbers, as they are stored.
"""

import hashlib
import json
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, cast

from graphrag_assets.gateways.graph_database import GraphDatabase, Row
from graphrag_assets.graph.layout import Layout, quoted
from graphrag_assets.graph.rows import RUN_PROPERTY, Properties

NODES_PER_PAGE: Final = 1_000
TIMEOUT_SECONDS: Final = 300.0

# A page of one label's nodes in the order of its unique index.
NODES_OF_LABEL: Final = """
MATCH (n:%(label)s) WHERE n.id > $after
WITH n ORDER BY n.id LIMIT $limit
RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties
"""

# The relationships that leave a page of one label's nodes.
EDGES_OF_LABEL: Final = """
MATCH (n:%(label)s) WHERE n.id > $after AND n.id <= $last
MATCH (n)-[r]->(m)
RETURN n.id AS source, type(r) AS type, properties(r) AS properties, m.id AS target
"""

# Nodes of an application's own, beside ours: a scan of all nodes.
OTHER_NODES: Final = """
MATCH (n) WHERE NOT n:%(uncounted)s AND (n.id IS NULL OR NOT n:%(known)s)
RETURN labels(n) AS labels, properties(n) AS properties
"""

# Relationships that leave them.
OTHER_EDGES: Final = """
MATCH (n) WHERE NOT n:%(uncounted)s AND (n.id IS NULL OR NOT n:%(known)s)
MATCH (n)-[r]->(m)
RETURN n.id AS source, type(r) AS type, properties(r) AS properties, m.id AS target
"""


@dataclass(frozen=True, slots=True)
class GraphDigest:
    """Digest of a graph, and how many nodes and relationships it covers."""

    digest: str
    nodes: int
    relationships: int


def graph_digest(db: GraphDatabase, layout: Layout) -> GraphDigest:
    """Read the whole graph in pages and hash it; 20,000 chunks with vectors take some ten seconds.

    Every node and relationship is hashed by itself; the digest is the hash of their sorted hashes, so no order matters.
    """
    encoder = _Encoder(layout)
    nodes: list[bytes] = []
    edges: list[bytes] = []
    for label in _digested_labels(layout):
        for page_nodes, page_edges in _pages_of_label(db, label):
            nodes += [encoder.node(row) for row in page_nodes]
            edges += [encoder.edge(row) for row in page_edges]
    others = {"known": _alternatives(_digested_labels(layout)), "uncounted": _alternatives((layout.run_label, layout.lease_label))}
    nodes += [encoder.node(row) for row in db.read(OTHER_NODES % others, timeout_seconds=TIMEOUT_SECONDS)]
    edges += [encoder.edge(row) for row in db.read(OTHER_EDGES % others, timeout_seconds=TIMEOUT_SECONDS)]
    digest = hashlib.sha256()
    for hashes in (sorted(nodes), sorted(edges)):
        digest.update(struct.pack(">Q", len(hashes)))
        for one in hashes:
            digest.update(one)
    return GraphDigest(digest.hexdigest(), len(nodes), len(edges))


def _digested_labels(layout: Layout) -> tuple[str, ...]:
    return (layout.document_label, layout.section_label, layout.chunk_label, layout.thing_label, layout.community_label)


def _alternatives(labels: Sequence[str]) -> str:
    return f"({'|'.join(quoted(label) for label in labels)})"


def _pages_of_label(db: GraphDatabase, label: str) -> Iterator[tuple[Sequence[Row], Sequence[Row]]]:
    names = {"label": quoted(label)}
    after = ""
    while True:
        nodes = db.read(NODES_OF_LABEL % names, {"after": after, "limit": NODES_PER_PAGE}, timeout_seconds=TIMEOUT_SECONDS)
        if not nodes:
            return
        last = str(nodes[-1]["id"])
        yield nodes, db.read(EDGES_OF_LABEL % names, {"after": after, "last": last}, timeout_seconds=TIMEOUT_SECONDS)
        after = last


class _Encoder:
    """Canonical bytes of nodes and relationships: JSON with sorted names, vectors as their 32-bit numbers in hex."""

    def __init__(self, layout: Layout) -> None:
        self._vector_prefix = layout.embedding_property_prefix

    def node(self, row: Row) -> bytes:
        """Hash of a node: its labels and what it holds."""
        return _hashed([sorted(cast(Sequence[str], row["labels"])), self._held(row)])

    def edge(self, row: Row) -> bytes:
        """Hash of a relationship: its type, the ids of its ends, and what it holds."""
        return _hashed([row["type"], row["source"], row["target"], self._held(row)])

    def _held(self, row: Row) -> Properties:
        properties = cast(Properties, row["properties"])
        return {name: self._value(name, value) for name, value in properties.items() if name != RUN_PROPERTY}

    def _value(self, name: str, value: object) -> object:
        if name.startswith(self._vector_prefix) and isinstance(value, list):
            numbers = cast(list[float], value)
            return ["float32", struct.pack(f">{len(numbers)}f", *numbers).hex()]
        return value


def _hashed(value: object) -> bytes:
    # Values that JSON does not know (an application's own dates and points) count by their text.
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).digest()
