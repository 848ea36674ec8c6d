"""Statements that retrieval reads with, each a named constant with what it costs; names of labels and types are filled in.

``%(name)s`` stands for a checked and quoted name of the layout; everything else is a parameter. No statement returns a
vector: they are compared inside the server.
"""

from collections.abc import Sequence
from typing import Final

from graphrag_assets.graph.layout import Layout, quoted, quoted_types

# One search of a vector index; 4 ms over 20,000 chunks.
NEAREST_CHUNKS: Final = """
CALL db.index.vector.queryNodes($index, $count, $vector) YIELD node, score
RETURN node.id AS id, score
ORDER BY score DESC, id
"""

# One search of a full-text index; 2 to 3 ms over 20,000 chunks.
MATCHING_CHUNKS: Final = """
CALL db.index.fulltext.queryNodes($index, $query, {limit: $count}) YIELD node, score
RETURN node.id AS id, score
ORDER BY score DESC, id
"""

# One index look-up and three short walks a chunk.
CHUNKS: Final = """
UNWIND $ids AS id
MATCH (c:%(chunk)s {id: id})-[:%(chunk_document)s]->(d:%(document)s)
OPTIONAL MATCH (c)-[:%(in_section)s]->(s:%(section)s)
RETURN c.id AS id, c.start AS start, c.end AS end, c.%(text)s AS text, c.pages AS pages, c.grounding AS grounding,
       d.id AS document_id, d.uri AS uri, d.title AS title, d.text_origin AS text_origin,
       d.page_numbers AS page_numbers, d.page_starts AS page_starts, d.page_ends AS page_ends, s.heading_path AS heading_path
"""

# Walks at most four steps each way from each chunk; the chain has no branches.
NEIGHBOURS: Final = """
UNWIND $ids AS id
MATCH p = (:%(chunk)s {id: id})-[:%(next_chunk)s*1..4]->(n:%(chunk)s) WHERE length(p) <= $steps
RETURN id, n.id AS neighbour, length(p) AS step, n.%(text)s AS text
UNION ALL
UNWIND $ids AS id
MATCH p = (:%(chunk)s {id: id})<-[:%(next_chunk)s*1..4]-(n:%(chunk)s) WHERE length(p) <= $steps
RETURN id, n.id AS neighbour, -length(p) AS step, n.%(text)s AS text
"""

# One full-text search a stretch of the question.
NAMED_THINGS: Final = """
UNWIND $queries AS query
CALL db.index.fulltext.queryNodes($index, query, {limit: $count}) YIELD node
WITH DISTINCT node AS t WHERE NOT coalesce(t.is_placeholder, false)
RETURN t.id AS id, t.kind AS kind, t.%(name)s AS name, t.aliases AS aliases
ORDER BY id
"""

# One search of the things' vector index a stretch of the question.
NEAREST_THINGS: Final = """
UNWIND range(0, size($vectors) - 1) AS place
CALL db.index.vector.queryNodes($index, $count, $vectors[place]) YIELD node AS t, score
WITH place, t, score WHERE NOT coalesce(t.is_placeholder, false)
RETURN place, t.id AS id, t.kind AS kind, t.%(name)s AS name, t.aliases AS aliases, score
ORDER BY place, score DESC, id
"""

# Walks the facts of each thing, and sorts them where there are more than are taken.
FACTS_OF_THINGS: Final = """
UNWIND $ids AS id
MATCH (t:%(thing)s {id: id})
CALL (t) {
  MATCH (t)-[f:%(facts)s]-(o:%(thing)s) WHERE NOT coalesce(o.is_placeholder, false)
  RETURN f ORDER BY f.id LIMIT $each
}
WITH id, f, startNode(f) AS a, endNode(f) AS b
RETURN id AS at, f.id AS id, type(f) AS type, f.chunk_ids[..$chunks] AS chunk_ids, size(f.chunk_ids) AS stated,
       a.id AS source_id, a.kind AS source_kind, a.%(name)s AS source_name,
       b.id AS target_id, b.kind AS target_kind, b.%(name)s AS target_name
ORDER BY at, id
"""

# Looks at the pairs of things that each chunk names, from the one with fewer facts.
FACTS_OF_CHUNKS: Final = """
UNWIND range(0, size($ids) - 1) AS place
MATCH (c:%(chunk)s {id: $ids[place]})
CALL (c) {
  MATCH (c)<--(a:%(thing)s) WITH DISTINCT c, a
  MATCH (c)<--(b:%(thing)s) WITH DISTINCT c, a, b WHERE a <> b
  MATCH (a)-[f:%(facts)s]->(b) WHERE c.id IN f.chunk_ids
  RETURN a, f, b ORDER BY f.id LIMIT $each
}
RETURN place, f.id AS id, type(f) AS type, [c.id] AS chunk_ids, 1 AS stated,
       a.id AS source_id, a.kind AS source_kind, a.%(name)s AS source_name,
       b.id AS target_id, b.kind AS target_kind, b.%(name)s AS target_name
ORDER BY place, id
"""


def statement(template: str, layout: Layout, fact_types: Sequence[str] = ()) -> str:
    """A statement with the layout's names filled in.

    Args:
        fact_types: Types of an ontology's facts, for the statements that walk them; none are walked by default.

    Raises:
        UsageError: ``layout-invalid`` for a type that is no identifier.
    """
    return template % {
        "document": quoted(layout.document_label),
        "section": quoted(layout.section_label),
        "chunk": quoted(layout.chunk_label),
        "thing": quoted(layout.thing_label),
        "chunk_document": quoted(layout.chunk_document_type),
        "in_section": quoted(layout.chunk_section_type),
        "next_chunk": quoted(layout.next_chunk_type),
        "name": quoted(layout.thing_name_property),
        "text": quoted(layout.chunk_text_property),
        "facts": quoted_types(sorted(fact_types)),
    }
