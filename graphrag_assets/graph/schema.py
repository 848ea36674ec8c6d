"""Constraints and indexes: which the graph needs, which a server lacks, and creating those. Nothing is ever dropped here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Literal, cast
from weakref import WeakKeyDictionary

from graphrag_assets.gateways.graph_database import GraphDatabase, GraphTransaction, Row
from graphrag_assets.graph.layout import GraphVocabulary, Layout, quoted
from graphrag_assets.model.embedding_set import EmbeddingSet
from graphrag_assets.model.errors import UsageError
from graphrag_assets.model.ids import hashed

SchemaKind = Literal["node-uniqueness", "relationship-uniqueness", "vector", "full-text"]

AWAIT_SECONDS: Final = 300
ANALYZER: Final = "standard-no-stop-words"

# Reads the catalogue of indexes: a few milliseconds, whatever the size of the graph. A constraint is seen by its index.
SHOW_INDEXES: Final = """
SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties, options, state, owningConstraint
RETURN name, type, entityType AS entity, labelsOrTypes AS names, properties, options, state, owningConstraint IS NOT NULL AS unique
"""

# Waits until all indexes are online; as long as they take to fill.
AWAIT_INDEXES: Final = "CALL db.awaitIndexes($seconds)"

_NODE: Final = "NODE"
_RELATIONSHIP: Final = "RELATIONSHIP"


@dataclass(frozen=True, slots=True)
class SchemaItem:
    """One constraint or index.

    Args:
        target: Label or relationship type.
        options: What must be equal on the server, beside kind, target and properties.
        statement: Creates it.
    """

    name: str
    kind: SchemaKind
    target: str
    properties: tuple[str, ...]
    statement: str
    options: Mapping[str, str | int | bool] = field(default_factory=dict[str, str | int | bool])

    @property
    def entity(self) -> str:
        """What the server calls the thing that is indexed."""
        return _RELATIONSHIP if self.kind == "relationship-uniqueness" else _NODE

    @property
    def index_type(self) -> str:
        """What the server calls the index."""
        return {"vector": "VECTOR", "full-text": "FULLTEXT"}.get(self.kind, "RANGE")


@dataclass(frozen=True, slots=True)
class SchemaDifference:
    """An item whose name is taken on the server by something else; ``found`` says by what."""

    item: SchemaItem
    found: str


@dataclass(frozen=True, slots=True)
class SchemaPlan:
    """What a server lacks. ``different`` items are reported and stay as they are."""

    missing: tuple[SchemaItem, ...]
    different: tuple[SchemaDifference, ...]
    present: tuple[SchemaItem, ...]


def schema_definitions(layout: Layout, vocabulary: GraphVocabulary, embedding_sets: Sequence[EmbeddingSet] = ()) -> tuple[SchemaItem, ...]:
    """All constraints and indexes, in a fixed order: keys of nodes, keys of relationships, full text, vectors.

    Raises:
        UsageError: ``layout-invalid`` or ``layout-collision``.
    """
    layout.check(vocabulary)
    vectors = [item for one in sorted(embedding_sets, key=lambda s: s.name) for item in _vector_indexes(layout, one)]
    return (*_node_keys(layout, vocabulary), *_relationship_keys(layout, vocabulary), *_text_indexes(layout), *vectors)


def schema_fingerprint(layout: Layout, vocabulary: GraphVocabulary) -> str:
    """Hash of all definitions but the vector indexes: declaring one more embedding set leaves it as it was."""
    return hashed("graph-schema", [item.statement for item in schema_definitions(layout, vocabulary)])


def plan_schema(db: GraphDatabase, layout: Layout, vocabulary: GraphVocabulary, embedding_sets: Sequence[EmbeddingSet] = ()) -> SchemaPlan:
    """Compare the definitions with the server; changes nothing.

    Raises:
        UsageError: ``schema-review`` when the server has an equal constraint or index under another name.
    """
    rows = db.read(SHOW_INDEXES)
    by_name = {str(row["name"]): row for row in rows}
    by_shape = {_shape(row): str(row["name"]) for row in rows}
    missing: list[SchemaItem] = []
    different: list[SchemaDifference] = []
    present: list[SchemaItem] = []
    twins: list[tuple[str, str]] = []
    for item in schema_definitions(layout, vocabulary, embedding_sets):
        found = by_name.get(item.name)
        twin = by_shape.get((item.index_type, item.entity, (item.target,), item.properties))
        if found is not None:
            deviation = _deviation(item, found)
            if deviation:
                different.append(SchemaDifference(item, deviation))
            else:
                present.append(item)
        elif twin is not None:
            twins.append((item.name, twin))
        else:
            missing.append(item)
    if twins:
        listing = ", ".join(f"{name!r} exists as {twin!r}" for name, twin in twins)
        remedy = "Rename them in the layout, or drop them yourself."
        raise UsageError("schema-review", f"The server has equal indexes under other names: {listing}.", remedy)
    return SchemaPlan(tuple(missing), tuple(different), tuple(present))


def apply_schema(db: GraphDatabase, plan: SchemaPlan, *, timeout_seconds: int = AWAIT_SECONDS) -> None:
    """Create what is missing and wait until every index of the plan is online.

    Raises:
        UsageError: ``schema-not-online`` when an index failed or is not ready in time.
    """
    if plan.missing:
        # One transaction: 31 items take 3 s together, and about half a second each alone.
        db.write(partial(_create, plan.missing), timeout_seconds=timeout_seconds)
    db.read(AWAIT_INDEXES, {"seconds": timeout_seconds}, timeout_seconds=timeout_seconds + 10.0)
    names = {item.name for item in (*plan.missing, *plan.present)}
    late = [f"{row['name']} ({row['state']})" for row in db.read(SHOW_INDEXES) if row["name"] in names and row["state"] != "ONLINE"]
    if late:
        raise UsageError("schema-not-online", f"Not online: {', '.join(sorted(late))}.", "Look at the server's log, then apply again.")


def _create(items: Sequence[SchemaItem], tx: GraphTransaction) -> None:
    for item in items:
        tx.run(item.statement)


_checked: Final[WeakKeyDictionary[GraphDatabase, set[str]]] = WeakKeyDictionary()


def require_schema(db: GraphDatabase, layout: Layout, vocabulary: GraphVocabulary) -> None:
    """Refuse to go on before every constraint exists; asks the server once for each connection and vocabulary.

    Raises:
        UsageError: ``schema-missing``.
    """
    wanted = schema_fingerprint(layout, vocabulary)
    passed = _checked.setdefault(db, set())
    if wanted in passed:
        return
    unique = {str(row["name"]) for row in db.read(SHOW_INDEXES) if row["unique"]}
    keys = (*_node_keys(layout, vocabulary), *_relationship_keys(layout, vocabulary))
    missing = [item.name for item in keys if item.name not in unique]
    if missing:
        message = f"The graph lacks {len(missing)} constraints, {missing[0]!r} among them."
        raise UsageError("schema-missing", message, "Apply the schema first: graphrag-assets schema apply.")
    passed.add(wanted)


def _node_keys(layout: Layout, vocabulary: GraphVocabulary) -> tuple[SchemaItem, ...]:
    keyed = (
        layout.document_label,
        layout.section_label,
        layout.chunk_label,
        layout.run_label,
        layout.thing_label,
        layout.community_label,
        *sorted(map(layout.class_label, vocabulary.kinds)),
    )
    # The key of leases also makes the property name known to the server, which the locks on documents and things need.
    return (*(_node_key(layout, label, "id") for label in keyed), _node_key(layout, layout.lease_label, "key"))


def _relationship_keys(layout: Layout, vocabulary: GraphVocabulary) -> tuple[SchemaItem, ...]:
    spoken = (*layout.mention_types(vocabulary), *sorted(vocabulary.quotes))
    facts = sorted(vocabulary.facts)
    return (
        *(_relationship_key(layout, name, "key") for name in spoken),
        *(_relationship_key(layout, name, "id") for name in facts),
    )


def _node_key(layout: Layout, label: str, key: str) -> SchemaItem:
    name = f"{layout.schema_prefix}_{label}_{key}".lower()
    statement = f"CREATE CONSTRAINT {quoted(name)} IF NOT EXISTS FOR (n:{quoted(label)}) REQUIRE n.{quoted(key)} IS UNIQUE"
    return SchemaItem(name, "node-uniqueness", label, (key,), statement)


def _relationship_key(layout: Layout, type_name: str, key: str) -> SchemaItem:
    name = f"{layout.schema_prefix}_rel_{type_name}_{key}".lower()
    statement = f"CREATE CONSTRAINT {quoted(name)} IF NOT EXISTS FOR ()-[r:{quoted(type_name)}]-() REQUIRE r.{quoted(key)} IS UNIQUE"
    return SchemaItem(name, "relationship-uniqueness", type_name, (key,), statement)


def _text_indexes(layout: Layout) -> tuple[SchemaItem, ...]:
    return (
        _text_index(layout.chunk_text_index, layout.chunk_label, (layout.chunk_text_property,)),
        _text_index(layout.thing_names_index, layout.thing_label, (layout.thing_name_property, "aliases")),
    )


def _text_index(name: str, label: str, properties: tuple[str, ...]) -> SchemaItem:
    each = ", ".join(f"n.{quoted(p)}" for p in properties)
    statement = (
        f"CREATE FULLTEXT INDEX {quoted(name)} IF NOT EXISTS FOR (n:{quoted(label)}) ON EACH [{each}] "
        f"OPTIONS {{indexConfig: {{`fulltext.analyzer`: '{ANALYZER}'}}}}"
    )
    return SchemaItem(name, "full-text", label, properties, statement, {"fulltext.analyzer": ANALYZER})


def _vector_indexes(layout: Layout, embedding_set: EmbeddingSet) -> tuple[SchemaItem, ...]:
    return (
        _vector_index(layout.chunk_vector_index(embedding_set.name), layout.chunk_label, layout, embedding_set),
        _vector_index(layout.thing_vector_index(embedding_set.name), layout.thing_label, layout, embedding_set),
    )


def _vector_index(name: str, label: str, layout: Layout, embedding_set: EmbeddingSet) -> SchemaItem:
    stored = layout.embedding_property(embedding_set.name)
    # Quantisation is off: the server's default loses 15 to 40 of 100 nearest neighbours and saves half a millisecond.
    statement = (
        f"CREATE VECTOR INDEX {quoted(name)} IF NOT EXISTS FOR (n:{quoted(label)}) ON (n.{quoted(stored)}) OPTIONS {{indexConfig: "
        f"{{`vector.dimensions`: {embedding_set.dimensions}, `vector.similarity_function`: '{embedding_set.similarity}', "
        f"`vector.quantization.enabled`: false}}}}"
    )
    options = {
        "vector.dimensions": embedding_set.dimensions,
        "vector.similarity_function": embedding_set.similarity,
        "vector.quantization.enabled": False,
    }
    return SchemaItem(name, "vector", label, (stored,), statement, options)


_Shape = tuple[str, str, tuple[str, ...], tuple[str, ...]]


def _shape(row: Row) -> _Shape:
    names = cast(Sequence[str], row["names"] or ())
    properties = cast(Sequence[str], row["properties"] or ())
    return (str(row["type"]), str(row["entity"]), tuple(names), tuple(properties))


def _deviation(item: SchemaItem, row: Row) -> str:
    """What the server has under the item's name, when it is something else; empty when it is the item."""
    kind, entity, names, properties = _shape(row)
    if (kind, entity, names, properties) != (item.index_type, item.entity, (item.target,), item.properties):
        return f"{kind} over {', '.join(names)} ({', '.join(properties)})"
    if item.index_type == "RANGE" and not row["unique"]:
        return "an index without the constraint"
    options = dict(cast(Mapping[str, Mapping[str, object]], row["options"] or {}).get("indexConfig", {}))
    if "vector.quantization.type" in options:
        # Newer servers show the type alone, older ones whether it is on.
        options["vector.quantization.enabled"] = options["vector.quantization.type"] != "NONE"
    wrong = [f"{name} {options.get(name)!r}" for name, value in item.options.items() if not _equal(options.get(name), value)]
    return ", ".join(wrong)


def _equal(found: object, wanted: str | int | bool) -> bool:
    if isinstance(found, str) and isinstance(wanted, str):
        return found.lower() == wanted.lower()
    return found == wanted
