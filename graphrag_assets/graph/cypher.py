"""Statements that change documents, each a named constant with what it costs; names of labels and types are filled in.

``%(name)s`` stands for a checked and quoted name of the layout. Everything else is a parameter. Statements that read for
people and retrieval are in `cypher_reading`, those of the corpus in `cypher_corpus`.

Locks: a transaction takes the documents it changes in the order of their ids, then the things in the order of theirs, then
its run. ``REMOVE x.key`` takes a node's lock and changes nothing: neither documents nor things have that property, and the
key of leases makes it known to the server. Two transactions therefore never wait for each other in a circle.
A node that is deleted while its lock is waited for comes back without an id.
"""

from typing import Final

from graphrag_assets.graph.layout import GraphVocabulary, Layout, quoted

# One index lookup; creates the node of a new document.
ENSURE_DOCUMENT: Final = """
UNWIND $rows AS row
MERGE (d:%(document)s {id: row.id})
ON CREATE SET d.run_id = row.run_id
REMOVE d.key
RETURN d.id AS id, elementId(d) AS element, properties(d) AS properties
"""

# One index lookup a document.
LOCK_DOCUMENTS: Final = """
UNWIND $ids AS id
MATCH (d:%(document)s {id: id})
REMOVE d.key
RETURN d.id AS id, elementId(d) AS element, properties(d) AS properties
"""

# Reads the sections and chunks of the documents, without text and vectors.
STORED_NODES: Final = """
UNWIND $ids AS id
MATCH (:%(document)s {id: id})<-[:%(chunk_document)s]-(n:%(chunk)s)
RETURN 'chunk' AS part, n.id AS id, elementId(n) AS element, n {%(chunk_properties)s} AS properties
UNION ALL
UNWIND $ids AS id
MATCH (:%(document)s {id: id})<-[:%(section_document)s]-(n:%(section)s)
RETURN 'section' AS part, n.id AS id, elementId(n) AS element, n {%(section_properties)s} AS properties
"""

# Reads every edge of the given nodes (the document's own node, its sections and chunks), once each.
STORED_EDGES: Final = """
MATCH (n) WHERE elementId(n) IN $elements
MATCH (n)-[e]-()
WITH DISTINCT e
RETURN elementId(e) AS element, type(e) AS type, startNode(e).id AS source, endNode(e).id AS target, properties(e) AS properties
"""

# One index lookup a thing; creates those that `LOCK_THINGS` did not find. Rows are sorted by id. Merging things that are
# there would hold their index entries while it waits for their locks, and so meet a transaction that deletes one of them.
ENSURE_THINGS: Final = """
UNWIND $rows AS row
MERGE (t:%(thing)s {id: row.id})
ON CREATE SET t += row.properties, t:$(row.labels)
REMOVE t.key
RETURN t.id AS id, elementId(t) AS element, t.extractor_version AS extractor_version
"""

# One index lookup a thing. Ids are sorted.
LOCK_THINGS: Final = """
UNWIND $ids AS id
MATCH (t:%(thing)s {id: id})
REMOVE t.key
RETURN t.id AS id, elementId(t) AS element, t.extractor_version AS extractor_version
"""

# Walks from each thing over its outgoing facts, mentions skipped by type; a thing of n facts costs n list look-ups.
STATED_FACTS: Final = """
UNWIND $things AS thing
MATCH (s:%(thing)s {id: thing})-[r%(no_facts)s]->(t:%(thing)s)
WHERE any(stated IN r.document_ids WHERE stated IN $documents)
RETURN elementId(r) AS element, type(r) AS type, s.id AS source, t.id AS target, properties(r) AS properties
"""

# One branch of NAMED_FACTS: one index lookup a fact.
_NAMED_FACTS_OF_TYPE: Final = """
UNWIND $ids.%(type)s AS id
MATCH (s)-[r:%(type)s {id: id}]->(t)
RETURN elementId(r) AS element, type(r) AS type, s.id AS source, t.id AS target, properties(r) AS properties
"""

# Deletes by element; no look-up.
DELETE_EDGES: Final = "MATCH ()-[r]->() WHERE elementId(r) IN $elements DELETE r"

# Deletes by element; refused by the server while a node has edges.
DELETE_NODES: Final = "MATCH (n) WHERE elementId(n) IN $elements DELETE n"

# Creates the sections of a document.
CREATE_SECTIONS: Final = """
UNWIND $rows AS row
CREATE (n:%(section)s)
SET n = row
RETURN n.id AS id, elementId(n) AS element
"""

# Creates the chunks of a document; the full-text index takes half of the time.
CREATE_CHUNKS: Final = """
UNWIND $rows AS row
CREATE (n:%(chunk)s)
SET n = row
RETURN n.id AS id, elementId(n) AS element
"""

# Creates edges between nodes known by element; no look-up. Types were checked against layout and vocabulary.
CREATE_EDGES: Final = """
UNWIND $rows AS row
MATCH (s) WHERE elementId(s) = row.source
MATCH (t) WHERE elementId(t) = row.target
CREATE (s)-[r:$(row.type)]->(t)
SET r = row.properties
"""

# Sets properties of nodes known by element; null removes one.
UPDATE_NODES: Final = """
UNWIND $rows AS row
MATCH (n) WHERE elementId(n) = row.element
SET n += row.properties
"""

# Sets properties of edges known by element; the list keeps it a seek, whatever the planner believes of the graph's size.
UPDATE_EDGES: Final = """
MATCH ()-[r]->() WHERE elementId(r) IN $elements
SET r += $changes[elementId(r)]
"""

# Of the given things, those that no chunk names any more: stops at the first mention of a thing.
UNMENTIONED_THINGS: Final = """
UNWIND $things AS id
MATCH (t:%(thing)s {id: id})
WHERE NOT EXISTS { (t)-->(:%(chunk)s) }
RETURN t.id AS id, elementId(t) AS element, t.run_id AS run_id
"""

# A community that loses a member is not the community any more: it is withheld until communities are made again.
MARK_COMMUNITIES: Final = """
MATCH (t)-[:%(in_community)s]->(c:%(community)s) WHERE elementId(t) IN $elements
WITH DISTINCT c WHERE c.stale IS NULL
SET c.stale = true
"""

# One call a chunk; stores 32-bit numbers, where SET would store 64-bit ones.
SET_VECTORS: Final = """
UNWIND $rows AS row
MATCH (n) WHERE elementId(n) = row.element
CALL db.create.setNodeVectorProperty(n, $property, row.vector)
"""

# The run of a transaction that changed something; one index lookup.
ENSURE_RUN: Final = """
MERGE (r:%(run)s {id: $id})
ON CREATE SET r.started = $started, r.runner = $runner, r.status = 'running'
"""

SECTION_PROPERTIES: Final = ("id", "document_id", "title", "level", "order", "start", "end", "heading_path", "run_id")


def chunk_properties(layout: Layout) -> tuple[str, ...]:
    """Properties of a chunk that are compared: all but its text, which its id stands for, and its vectors."""
    order = layout.chunk_order_property
    return ("id", "document_id", order, "start", "end", "token_count", "context", "overlap_bytes", "blank", "pages", "run_id")


def statement(template: str, layout: Layout, *, window: int = 1) -> str:
    """A statement with the layout's names filled in; ``window`` is the length of a walk, where it has one."""
    return template % {**_names(layout), "window": window}


def stated_facts(layout: Layout, vocabulary: GraphVocabulary) -> str:
    """`STATED_FACTS` that skips what is known not to be a fact; facts of an earlier ontology are found too."""
    others = [*layout.mention_types(vocabulary), *vocabulary.quotes, layout.community_type]
    return STATED_FACTS % {**_names(layout), "no_facts": ":" + "&".join(f"!{quoted(name)}" for name in others)}


def named_facts(vocabulary: GraphVocabulary) -> str:
    """Facts by type and id, for ids grouped by type; empty for a vocabulary without facts."""
    return "UNION ALL".join(_NAMED_FACTS_OF_TYPE % {"type": quoted(name)} for name in sorted(vocabulary.facts))


def _names(layout: Layout) -> dict[str, str]:
    return {
        "document": quoted(layout.document_label),
        "section": quoted(layout.section_label),
        "chunk": quoted(layout.chunk_label),
        "thing": quoted(layout.thing_label),
        "community": quoted(layout.community_label),
        "run": quoted(layout.run_label),
        "chunk_document": quoted(layout.chunk_document_type),
        "section_document": quoted(layout.section_document_type),
        "in_community": quoted(layout.community_type),
        "parent_community": quoted(layout.parent_community_type),
        "next_chunk": quoted(layout.next_chunk_type),
        "in_section": quoted(layout.chunk_section_type),
        "name": quoted(layout.thing_name_property),
        "text": quoted(layout.chunk_text_property),
        "order": quoted(layout.chunk_order_property),
        "chunk_properties": ", ".join(f".{quoted(name)}" for name in chunk_properties(layout)),
        "section_properties": ", ".join(f".{quoted(name)}" for name in SECTION_PROPERTIES),
    }
