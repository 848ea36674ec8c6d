"""Statements that settle what no single document decides: names, ranks, payloads, merges, communities and their vectors."""

from typing import Final

# One index lookup a thing; reads no vectors.
SETTLED_THINGS: Final = """
UNWIND $ids AS id
MATCH (t:%(thing)s {id: id})
RETURN t.id AS id, t {.%(name)s, .aliases, .description, .is_placeholder, .rank, .mentions} AS properties,
       [key IN keys(t) WHERE key STARTS WITH $prefix | [key, t[key]]] AS markers
"""

# One index lookup a thing.
PRESENT_THINGS: Final = "UNWIND $ids AS id MATCH (t:%(thing)s {id: id}) RETURN t.id AS id"

# Scans communities, counting their members by degree.
STORED_COMMUNITIES: Final = """
MATCH (c:%(community)s)
RETURN c.id AS id, elementId(c) AS element, c.stale AS stale, COUNT { (c)<-[:%(in_community)s]-() } AS members,
       COLLECT { MATCH (c)-[:%(parent_community)s]->(p) RETURN p.id } AS parents
"""

# One index lookup a community; ids are sorted.
ENSURE_COMMUNITIES: Final = """
UNWIND $rows AS row
MERGE (c:%(community)s {id: row.id})
ON CREATE SET c.run_id = $run_id, c.level = row.level, c.members = row.members
REMOVE c.stale
RETURN c.id AS id, elementId(c) AS element
"""

# Two look-ups by element a membership.
ENSURE_MEMBERS: Final = """
UNWIND $rows AS row
MATCH (t) WHERE elementId(t) = row.thing
MATCH (c) WHERE elementId(c) = row.community
MERGE (t)-[m:%(in_community)s]->(c)
ON CREATE SET m.run_id = $run_id
"""

# Two index lookups a community.
ENSURE_PARENTS: Final = """
UNWIND $rows AS row
MATCH (c:%(community)s {id: row.id})
MATCH (p:%(community)s {id: row.parent})
MERGE (c)-[e:%(parent_community)s]->(p)
ON CREATE SET e.run_id = $run_id
"""

# The edges between communities that a new hierarchy does not have.
DELETE_PARENTS: Final = """
UNWIND $rows AS row
MATCH (c:%(community)s {id: row.id})-[e:%(parent_community)s]->(p)
WHERE row.parent IS NULL OR p.id <> row.parent
DELETE e
"""
