"""Names of labels, relationship types, properties and indexes. Every name in a statement comes from here, checked.

What an ontology brings is a `GraphVocabulary`: the names of its classes, facts and quotes, and nothing else.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Final

from graphrag_assets.model.embedding_set import SET_NAME
from graphrag_assets.model.errors import UsageError

_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")
_WORD_START: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True, slots=True)
class GraphVocabulary:
    """The names that an ontology brings into the graph.

    Args:
        kinds: Names of thing classes, without label prefix.
        facts: Relationship types of facts.
        quotes: Relationship types of spoken words.
    """

    kinds: tuple[str, ...]
    facts: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """How the graph is spelled. Keys are always the property ``id``, on mentions and quotes ``key``.

    Args:
        thing_label: Shared by things of all classes, beside the label of their class, so that one vector index and one
            full-text index cover them all.
        label_prefix: Put before the labels of classes, where an application uses the plain ones already.
        extra_thing_labels: Further labels of every thing, for readers that expect them.
        shared_mention_type: One mention type for all classes; by default each class has its own.
        schema_prefix: Names of constraints and indexes start with it.
    """

    document_label: str = "Document"
    section_label: str = "Section"
    chunk_label: str = "Chunk"
    run_label: str = "IngestionRun"
    lease_label: str = "GraphRagLease"
    thing_label: str = "Thing"
    community_label: str = "Community"
    label_prefix: str = ""
    extra_thing_labels: tuple[str, ...] = ()
    chunk_document_type: str = "IN_DOCUMENT"
    section_document_type: str = "SECTION_OF"
    chunk_section_type: str = "IN_SECTION"
    next_chunk_type: str = "NEXT_CHUNK"
    subsection_type: str = "SUBSECTION_OF"
    community_type: str = "IN_COMMUNITY"
    parent_community_type: str = "PARENT_COMMUNITY"
    shared_mention_type: str | None = None
    chunk_order_property: str = "order"
    chunk_text_property: str = "text"
    thing_name_property: str = "name"
    embedding_property_prefix: str = "embedding_"
    marker_property_prefix: str = "vectors_"
    schema_prefix: str = "graphrag"
    chunk_text_index_name: str | None = None
    thing_names_index_name: str | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            _check_field(field.name, getattr(self, field.name))
        _check_distinct("label", [*self.own_labels, *self.extra_thing_labels])
        _check_distinct("relationship type", self.own_types)

    @property
    def own_labels(self) -> tuple[str, ...]:
        """Labels that no class may take."""
        return (
            self.document_label,
            self.section_label,
            self.chunk_label,
            self.run_label,
            self.lease_label,
            self.thing_label,
            self.community_label,
        )

    @property
    def own_types(self) -> tuple[str, ...]:
        """Relationship types that no fact, mention or quote may take."""
        return (
            self.chunk_document_type,
            self.section_document_type,
            self.chunk_section_type,
            self.next_chunk_type,
            self.subsection_type,
            self.community_type,
            self.parent_community_type,
        )

    def class_label(self, kind: str) -> str:
        """The stored label of a class."""
        return f"{self.label_prefix}{kind}"

    def thing_labels(self, kind: str) -> tuple[str, ...]:
        """All labels of a thing of a class: the shared one first."""
        return (self.thing_label, self.class_label(kind), *self.extra_thing_labels)

    def mention_type(self, kind: str) -> str:
        """Relationship type from a thing of a class to the chunk that names it."""
        return self.shared_mention_type or f"MENTIONED_IN_{_WORD_START.sub('_', self.class_label(kind)).upper()}"

    def mention_types(self, vocabulary: GraphVocabulary) -> tuple[str, ...]:
        """All mention types, sorted."""
        return tuple(sorted({self.mention_type(kind) for kind in vocabulary.kinds}))

    def embedding_property(self, set_name: str) -> str:
        """Property of chunks and things that holds a set's vector."""
        return f"{self.embedding_property_prefix}{_checked_set(set_name)}"

    def marker_property(self, set_name: str) -> str:
        """Property of a document that says which vectors of a set its chunks hold."""
        return f"{self.marker_property_prefix}{_checked_set(set_name)}"

    def chunk_vector_index(self, set_name: str) -> str:
        """Name of the vector index over chunks of a set."""
        return f"{self.schema_prefix}_chunk_embedding_{_checked_set(set_name)}"

    def thing_vector_index(self, set_name: str) -> str:
        """Name of the vector index over things of a set."""
        return f"{self.schema_prefix}_thing_embedding_{_checked_set(set_name)}"

    @property
    def chunk_text_index(self) -> str:
        """Name of the full-text index over the text of chunks."""
        return self.chunk_text_index_name or f"{self.schema_prefix}_chunk_text"

    @property
    def thing_names_index(self) -> str:
        """Name of the full-text index over names and aliases of things of all classes."""
        return self.thing_names_index_name or f"{self.schema_prefix}_thing_names"

    def check(self, vocabulary: GraphVocabulary) -> None:
        """Check that a vocabulary fits: valid names, and none used for two things.

        Raises:
            UsageError: ``layout-invalid`` or ``layout-collision``.
        """
        for name in (*vocabulary.kinds, *vocabulary.facts, *vocabulary.quotes):
            _check_identifier("name of the ontology", name)
        _check_distinct("label", [*self.own_labels, *self.extra_thing_labels, *map(self.class_label, vocabulary.kinds)])
        mentions = [self.shared_mention_type] if self.shared_mention_type else [self.mention_type(k) for k in vocabulary.kinds]
        _check_distinct("relationship type", [*self.own_types, *mentions, *vocabulary.facts, *vocabulary.quotes])


def quoted(name: str) -> str:
    """An identifier as it stands in a statement; a name that is none is refused.

    Raises:
        UsageError: ``layout-invalid``.
    """
    _check_identifier("name", name)
    return f"`{name}`"


def quoted_types(types: Iterable[str]) -> str:
    """Relationship types as alternatives of a pattern, in the order given."""
    return "|".join(quoted(name) for name in types)


def _check_field(field: str, value: str | tuple[str, ...] | None) -> None:
    if value is None or (field == "label_prefix" and value == ""):
        return
    for name in (value,) if isinstance(value, str) else value:
        _check_identifier(field, name)


def _check_identifier(what: str, name: str) -> None:
    if not _IDENTIFIER.fullmatch(name):
        raise UsageError(
            "layout-invalid", f"{name!r} cannot be used as {what}.", "Use letters, digits and _, at most 63, not starting with a digit."
        )


def _check_distinct(what: str, names: Iterable[str]) -> None:
    # Names that differ in case alone would share the lower-case name of a constraint, and confuse readers.
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            message = f"The {what} {name!r} would be used for two things."
            raise UsageError("layout-collision", message, "Set graph.label_prefix or rename one.")
        seen.add(name.lower())


def _checked_set(set_name: str) -> str:
    if not SET_NAME.fullmatch(set_name):
        raise UsageError("layout-invalid", f"{set_name!r} is no name of an embedding set.", "Use a to z, digits and _, at most 31.")
    return set_name


DEFAULT_LAYOUT: Final = Layout()
