"""The difference between what the graph should hold of documents and what it holds: pure, and empty when they are equal."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from graphrag_assets.graph.rows import RUN_PROPERTY, DocumentRows, EdgeIdentity, EdgeRow, FactRow, Properties
from graphrag_assets.graph.stored import StoredDocuments, StoredEdge, StoredNode
from graphrag_assets.model.errors import UsageError

# The payload of a fact is its first document's until it is settled over all of them; what read it last is not payload.
_EXTRACTOR: Final = "extractor_version"


@dataclass(frozen=True, slots=True)
class Update:
    """New values of one node's or edge's properties; None removes one."""

    element: str
    properties: Properties


@dataclass(frozen=True, slots=True)
class PartDifference:
    """What changes of the parts that documents own alone."""

    deleted_edges: tuple[StoredEdge, ...]
    deleted_nodes: tuple[StoredNode, ...]
    created_sections: tuple[Properties, ...]
    created_chunks: tuple[Properties, ...]
    updated_nodes: tuple[Update, ...]
    created_edges: tuple[EdgeRow, ...]
    updated_edges: tuple[Update, ...]


@dataclass(frozen=True, slots=True)
class FactDifference:
    """What changes of facts, which documents share. ``created`` facts list this document alone."""

    created: tuple[FactRow, ...]
    updated: tuple[Update, ...]
    deleted: tuple[StoredEdge, ...]


def part_difference(stored: StoredDocuments, wanted: DocumentRows | None, text_property: str) -> PartDifference:
    """What changes of nodes and owned edges; with nothing wanted, all of it goes (the documents' own nodes aside).

    Args:
        stored: Read under the documents' locks.
        wanted: What one of the documents should be, or None to remove all of them.
        text_property: Of chunks; it is not read and not compared, since the id of a chunk stands for its text.

    Raises:
        UsageError: ``not-ours`` when a node that has to go was written, or is held, by something else.
    """
    sections: Mapping[str, Properties] = wanted.sections if wanted else {}
    chunks: Mapping[str, Properties] = wanted.chunks if wanted else {}
    kept = {**sections, **chunks}
    deleted_nodes = tuple(node for key, node in stored.nodes.items() if key not in kept)
    check_ownership(deleted_nodes, stored.edges)
    edges: dict[EdgeIdentity, EdgeRow] = dict(wanted.edges) if wanted else {}
    deleted_edges: list[StoredEdge] = []
    updated_edges: list[Update] = []
    for edge in stored.edges:
        if edge.is_fact or not edge.is_ours:
            continue
        row = edges.pop(edge.identity, None)
        if row is None:
            deleted_edges.append(edge)
        else:
            updated_edges += _update(edge.element, edge.properties, row.properties)
    return PartDifference(
        deleted_edges=tuple(deleted_edges),
        deleted_nodes=deleted_nodes,
        created_sections=tuple(row for key, row in sections.items() if key not in stored.nodes),
        created_chunks=tuple(row for key, row in chunks.items() if key not in stored.nodes),
        updated_nodes=tuple(
            update
            for key, node in stored.nodes.items()
            if key in kept
            for update in _update(node.element, node.properties, kept[key], text_property)
        ),
        created_edges=tuple(edges.values()),
        updated_edges=tuple(updated_edges),
    )


def fact_difference(facts: Sequence[StoredEdge], stored: StoredDocuments, wanted: DocumentRows | None) -> FactDifference:
    """What changes of facts: the documents leave the lists of those they no longer state, and join those they do.

    A fact that no document states is deleted.
    """
    stating: Mapping[str, FactRow] = wanted.facts if wanted else {}
    left = set(stored.documents)
    old_chunks = stored.chunk_ids
    updated: list[Update] = []
    deleted: list[StoredEdge] = []
    known: set[str] = set()
    for fact in facts:
        key = str(fact.properties["id"])
        known.add(key)
        row = stating.get(key)
        documents = (fact.listed("document_ids") - left) | ({wanted.document_id} if wanted and row else set[str]())
        chunks = (fact.listed("chunk_ids") - old_chunks) | set(row.chunk_ids if row else ())
        if not documents:
            deleted.append(fact)
            continue
        lists: dict[str, object] = {"document_ids": sorted(documents), "chunk_ids": sorted(chunks)}
        if row:
            lists[_EXTRACTOR] = row.payload.get(_EXTRACTOR)
        changed = changed_properties(fact.properties, lists)
        updated += [Update(fact.element, changed)] if changed else []
    created = tuple(row for key, row in stating.items() if key not in known)
    return FactDifference(created, tuple(updated), tuple(deleted))


def changed_properties(stored: Properties, wanted: Properties) -> dict[str, object]:
    """What to set so that ``stored`` holds ``wanted``; a None removes, and names that ``wanted`` does not have stay."""
    return {name: value for name, value in wanted.items() if stored.get(name) != value}


def _update(element: str, stored: Properties, wanted: Properties, unread: str = "") -> Iterable[Update]:
    """At most one update, after which the element holds exactly what is wanted; who wrote it stays."""
    names = sorted({*stored, *wanted} - {RUN_PROPERTY, unread})
    changed = changed_properties(stored, {name: wanted.get(name) for name in names})
    return (Update(element, changed),) if changed else ()


def check_ownership(deleted: Sequence[StoredNode], edges: Sequence[StoredEdge]) -> None:
    """Refuse to delete what a run of this project did not write, or what something else holds on to.

    Raises:
        UsageError: ``not-ours``.
    """
    ids = {node.id for node in deleted}
    strange = sorted(node.id for node in deleted if node.properties.get(RUN_PROPERTY) is None)
    strange += sorted(edge.type for edge in edges if not edge.is_ours and ids.intersection((edge.source, edge.target)))
    refuse_foreign(strange)


def refuse_foreign(found: Sequence[str]) -> None:
    """Refuse when anything was found that is not this project's.

    Raises:
        UsageError: ``not-ours``.
    """
    if found:
        message = f"{len(found)} nodes or relationships that have to go were not written by this project, {found[0]!r} first."
        raise UsageError("not-ours", message, "Remove them yourself, or keep the document.")
