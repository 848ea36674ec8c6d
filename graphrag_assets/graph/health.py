"""Looking the graph over: what is missing, left over, stale or mixed. Reads only; each finding says what to do."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Final, Literal, cast

from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.graph.cypher import statement
from graphrag_assets.graph.layout import GraphVocabulary, Layout
from graphrag_assets.graph.schema import SHOW_INDEXES, plan_schema, schema_definitions
from graphrag_assets.model.embedding_set import EmbeddingSet
from graphrag_assets.model.errors import UsageError

HealthCode = Literal[
    "schema-missing",
    "schema-different",
    "schema-review",
    "schema-not-online",
    "documents-without-chunks",
    "orphan-things",
    "stale-facts",
    "stale-communities",
    "vectors-missing",
    "vectors-not-indexed",
    "mixed-embedding-sets",
]
SAMPLE: Final = 5
TIMEOUT_SECONDS: Final = 300.0

# Scans documents.
DOCUMENTS_WITHOUT_CHUNKS: Final = """
MATCH (d:%(document)s) WHERE d.bytes > 0 AND NOT EXISTS { (d)<-[:%(chunk_document)s]-() }
WITH d.id AS id ORDER BY id
RETURN count(id) AS count, collect(id)[..$sample] AS sample
"""

# Scans things; stops at the first mention of each.
ORPHAN_THINGS: Final = """
MATCH (t:%(thing)s) WHERE NOT EXISTS { (t)-->(:%(chunk)s) }
WITH t.id AS id ORDER BY id
RETURN count(id) AS count, collect(id)[..$sample] AS sample
"""

# Scans relationships; facts that list a document or a chunk that the graph does not have.
STALE_FACTS: Final = """
MATCH (d:%(document)s) WITH collect(d.id) AS documents
MATCH ()-[r]->() WHERE r.document_ids IS NOT NULL
WITH r, documents
WHERE size(r.document_ids) = 0 OR any(stated IN r.document_ids WHERE NOT stated IN documents)
   OR any(chunk IN r.chunk_ids WHERE NOT EXISTS { (:%(chunk)s {id: chunk}) })
WITH r.id AS id ORDER BY id
RETURN count(id) AS count, collect(id)[..$sample] AS sample
"""

# Scans communities.
STALE_COMMUNITIES: Final = """
MATCH (c:%(community)s) WHERE c.stale
WITH c.id AS id ORDER BY id
RETURN count(id) AS count, collect(id)[..$sample] AS sample
"""

# Scans chunks; blank ones have nothing to embed.
VECTORS_MISSING: Final = """
MATCH (c:%(chunk)s) WHERE c.blank IS NULL AND c[$property] IS NULL
WITH c.id AS id ORDER BY id
RETURN count(id) AS count, collect(id)[..$sample] AS sample
"""

# Reads every vector once, 0.1 ms each: those that an index leaves out without a word, by length, zero, or not finite.
VECTORS_NOT_INDEXED: Final = """
MATCH (n:%(chunk)s|%(thing)s) WHERE n[$property] IS NOT NULL
WITH n, n[$property] AS vector
WITH n, size(vector) AS numbers, reduce(sum = 0.0, x IN vector | sum + x * x) AS length
WHERE numbers <> $dimensions OR NOT (length > 0.0 AND length < 1.0e300)
WITH n.id AS id ORDER BY id
RETURN count(id) AS count, collect(id)[..$sample] AS sample
"""

# Scans the property names of chunks and documents: sets that are stored and not declared.
STORED_SETS: Final = """
MATCH (n:%(chunk)s|%(thing)s)
UNWIND [name IN keys(n) WHERE name STARTS WITH $prefix] AS name
RETURN substring(name, size($prefix)) AS name, count(*) AS count ORDER BY name
"""

# Scans documents: how many hold a set's vectors, and how many do not.
MARKED_DOCUMENTS: Final = """
MATCH (d:%(document)s)
RETURN count(d[$marker]) AS marked, count(*) - count(d[$marker]) AS unmarked
"""

_REMEDIES: Final[dict[HealthCode, str]] = {
    "schema-missing": "Apply the schema.",
    "schema-different": "Drop the index yourself and apply the schema, or declare a new set.",
    "schema-review": "Rename the index in the layout, or drop it yourself.",
    "schema-not-online": "Wait until it is filled; when it failed, drop it and apply the schema.",
    "documents-without-chunks": "Materialize document_graph for these documents.",
    "orphan-things": "Materialize document_graph for the documents that named them, or remove these.",
    "stale-facts": "Materialize document_graph for the documents that state them.",
    "stale-communities": "Materialize communities and corpus_graph.",
    "vectors-missing": "Materialize chunk_vectors and graph_vectors of the set.",
    "vectors-not-indexed": "Materialize chunk_vectors and graph_vectors of the set again.",
    "mixed-embedding-sets": "Finish the backfill of the set, or clean it up.",
}


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """One thing that is wrong.

    Args:
        subject: What it is about: a name of the schema, or an embedding set; empty for the graph as a whole.
        count: How many.
        sample: At most five ids or names.
    """

    code: HealthCode
    subject: str
    count: int
    sample: tuple[str, ...]
    remedy: str

    def to_json(self) -> dict[str, object]:
        """The fields as JSON values."""
        return {**asdict(self), "sample": list(self.sample)}


def check_graph(
    db: GraphDatabase, layout: Layout, vocabulary: GraphVocabulary, embedding_sets: Sequence[EmbeddingSet] = ()
) -> tuple[HealthFinding, ...]:
    """Everything that is wrong with the graph; empty when nothing is."""
    check = _Check(db, layout)
    return (
        *_schema_findings(db, layout, vocabulary, embedding_sets),
        *check.counted("documents-without-chunks", DOCUMENTS_WITHOUT_CHUNKS),
        *check.counted("orphan-things", ORPHAN_THINGS),
        *check.counted("stale-facts", STALE_FACTS),
        *check.counted("stale-communities", STALE_COMMUNITIES),
        *(finding for one in embedding_sets for finding in check.of_set(one)),
        *check.mixed_sets({one.name for one in embedding_sets}),
    )


def _schema_findings(
    db: GraphDatabase, layout: Layout, vocabulary: GraphVocabulary, embedding_sets: Sequence[EmbeddingSet]
) -> Iterator[HealthFinding]:
    try:
        plan = plan_schema(db, layout, vocabulary, embedding_sets)
    except UsageError as error:
        if error.code != "schema-review":
            raise
        yield _finding("schema-review", error.message, 1, ())
        return
    for item in plan.missing:
        yield _finding("schema-missing", item.name, 1, ())
    for difference in plan.different:
        yield _finding("schema-different", difference.item.name, 1, (difference.found,))
    names = {item.name for item in schema_definitions(layout, vocabulary, embedding_sets)}
    for row in db.read(SHOW_INDEXES):
        if row["name"] in names and row["state"] != "ONLINE":
            yield _finding("schema-not-online", str(row["name"]), 1, (str(row["state"]),))


@dataclass(frozen=True, slots=True)
class _Check:
    db: GraphDatabase
    layout: Layout

    def counted(self, code: HealthCode, template: str, subject: str = "", **parameters: object) -> Iterator[HealthFinding]:
        """One finding when the statement counts something."""
        values = {"sample": SAMPLE, **parameters}
        row = self.db.read(statement(template, self.layout), values, timeout_seconds=TIMEOUT_SECONDS)[0]
        if row["count"]:
            yield _finding(code, subject, int(str(row["count"])), tuple(cast(Sequence[str], row["sample"])))

    def of_set(self, one: EmbeddingSet) -> Iterator[HealthFinding]:
        """Chunks that a search by this set would not find."""
        stored = self.layout.embedding_property(one.name)
        yield from self.counted("vectors-missing", VECTORS_MISSING, one.name, property=stored)
        yield from self.counted("vectors-not-indexed", VECTORS_NOT_INDEXED, one.name, property=stored, dimensions=one.dimensions)

    def mixed_sets(self, declared: set[str]) -> Iterator[HealthFinding]:
        """Vectors of sets that nobody declares, and sets that some documents hold and others do not."""
        prefix = self.layout.embedding_property_prefix
        rows = self.db.read(statement(STORED_SETS, self.layout), {"prefix": prefix}, timeout_seconds=TIMEOUT_SECONDS)
        for row in rows:
            if row["name"] not in declared:
                yield _finding("mixed-embedding-sets", str(row["name"]), int(str(row["count"])), ())
        for name in sorted(declared):
            marker = {"marker": self.layout.marker_property(name)}
            row = self.db.read(statement(MARKED_DOCUMENTS, self.layout), marker, timeout_seconds=TIMEOUT_SECONDS)[0]
            if row["marked"] and row["unmarked"]:
                yield _finding("mixed-embedding-sets", name, int(str(row["unmarked"])), ())


def _finding(code: HealthCode, subject: str, count: int, sample: tuple[str, ...]) -> HealthFinding:
    return HealthFinding(code, subject, count, sample, _REMEDIES[code])
