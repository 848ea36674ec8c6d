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

# A fact as a list: a row of names and values a fact costs the driver five times as much.
_FACT: Final = """[
  f.id, type(f), a.id, a.kind, a.%(name)s, b.id, b.kind, b.%(name)s, f.chunk_ids[..$chunks], size(f.chunk_ids)
]"""

# Walks the facts of each thing, and sorts them where there are more than are taken.
FACTS_OF_THINGS: Final = f"""
UNWIND $ids AS id
MATCH (t:%(thing)s {{id: id}})
CALL (t) {{
  MATCH (t)-[f:%(facts)s]-(o:%(thing)s) WHERE NOT coalesce(o.is_placeholder, false)
  RETURN f ORDER BY f.id LIMIT $each
}}
WITH id, f, startNode(f) AS a, endNode(f) AS b
RETURN id AS at, collect({_FACT}) AS facts
ORDER BY at
"""

# Follows the mentions of each thing.
MENTIONING_CHUNKS: Final = """
UNWIND $ids AS id
MATCH (t:%(thing)s {id: id})-->(c:%(chunk)s)
RETURN c.id AS id, count(DISTINCT t) AS things, count(*) AS mentions
ORDER BY things DESC, mentions DESC, id LIMIT $count
"""

# Looks at the pairs of things that each chunk names, from the one with fewer facts.
FACTS_OF_CHUNKS: Final = f"""
UNWIND range(0, size($ids) - 1) AS at
MATCH (c:%(chunk)s {{id: $ids[at]}})
CALL (c) {{
  MATCH (c)<--(a:%(thing)s) WITH DISTINCT c, a
  MATCH (c)<--(b:%(thing)s) WITH DISTINCT c, a, b WHERE a <> b
  MATCH (a)-[f:%(facts)s]->(b) WHERE c.id IN f.chunk_ids
  RETURN a, f, b ORDER BY f.id LIMIT $each
}}
RETURN at, collect({_FACT}) AS facts
ORDER BY at
"""


def statement(template: str, layout: Layout, fact_types: Sequence[str] = ()) -> str:
    """A statement with the layout's names filled in.

    Args:
        fact_types: Types of an ontology's facts, for the statements that walk them; none are walked by default.

    Raises:
        UsageError: ``layout-invalid`` for a type that is no identifier.
    """
    return template % {
        "chunk": quoted(layout.chunk_label),
        "thing": quoted(layout.thing_label),
        "name": quoted(layout.thing_name_property),
        "facts": quoted_types(sorted(fact_types)),
    }
