"""Removing documents with all that they alone brought: in batches, by key, edges before nodes, nothing detached."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Final

from graphrag_assets.gateways.graph_database import GraphDatabase, GraphTransaction
from graphrag_assets.graph.changes import Applier
from graphrag_assets.graph.cypher import statement
from graphrag_assets.graph.difference import check_ownership, fact_difference, part_difference
from graphrag_assets.graph.layout import GraphVocabulary, Layout
from graphrag_assets.graph.schema import require_schema
from graphrag_assets.graph.stored import lock_documents, read_documents, read_facts
from graphrag_assets.model.errors import UsageError
from graphrag_assets.model.outcomes import GraphChanges
from graphrag_assets.model.provenance import RunInfo

BATCH_DOCUMENTS: Final = 100
BATCH_BYTES: Final = 8 * 1024 * 1024
BATCH_FACTS: Final = 100_000
TIMEOUT_SECONDS: Final = 600.0

# One index lookup a document.
SIZES_OF_DOCUMENTS: Final = """
UNWIND $ids AS id
MATCH (d:%(document)s {id: id})
RETURN d.id AS id, d.bytes AS bytes
"""

# Scans sections, chunks, facts and things: for checks after a removal, not for every day.
RESIDUE: Final = """
CALL () { MATCH (d:%(document)s) WHERE d.id IN $ids RETURN count(*) AS documents }
CALL () { MATCH (s:%(section)s) WHERE s.document_id IN $ids RETURN count(*) AS sections }
CALL () { MATCH (c:%(chunk)s) WHERE c.document_id IN $ids RETURN count(*) AS chunks }
CALL () { MATCH ()-[r]->() WHERE any(stated IN r.document_ids WHERE stated IN $ids) RETURN count(*) AS facts }
CALL () { MATCH (t:%(thing)s) WHERE NOT EXISTS { (t)-->(:%(chunk)s) } RETURN count(*) AS orphans }
RETURN documents, sections, chunks, facts, orphans
"""


@dataclass(frozen=True, slots=True)
class RemovalReport:
    """What a removal took out of the graph.

    Args:
        missing: Ids that the graph did not have, sorted.
        facts_changed: Facts that other documents state too: they lost the removed ones from their lists.
    """

    documents: int = 0
    sections: int = 0
    chunks: int = 0
    mentions_and_quotes: int = 0
    facts: int = 0
    facts_changed: int = 0
    things: int = 0
    batches: int = 0
    missing: tuple[str, ...] = ()
    changes: GraphChanges = field(default_factory=GraphChanges)

    def __add__(self, other: "RemovalReport") -> "RemovalReport":
        return RemovalReport(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def to_json(self) -> dict[str, object]:
        """The fields as JSON values."""
        return {**asdict(self), "missing": list(self.missing)}


class _TooManyFacts(Exception):
    """A batch lists more facts than one transaction should change."""


def remove_documents(
    db: GraphDatabase,
    document_ids: Sequence[str],
    layout: Layout,
    vocabulary: GraphVocabulary,
    run: RunInfo,
    *,
    max_facts: int = BATCH_FACTS,
) -> RemovalReport:
    """Remove documents, at most 100 or 8 MiB of text a transaction; a failed batch leaves its documents whole.

    Mentions and quotes go first, then the documents leave the facts they state, facts of nobody and chunks, sections and
    documents follow, and at last things that no chunk names any more. Ids that the graph does not have are reported. A batch
    that more than ``max_facts`` facts list is halved.

    Raises:
        UsageError: ``not-ours`` when something has to go that was written, or is held, by something else; or
            ``too-many-facts`` for a single document that states more than that.
        FailedDocument: ``write-failed``.
    """
    require_schema(db, layout, vocabulary)
    wanted = sorted(set(document_ids))
    rows = db.read(statement(SIZES_OF_DOCUMENTS, layout), {"ids": wanted}, timeout_seconds=TIMEOUT_SECONDS)
    sizes = {str(row["id"]): int(str(row["bytes"] or 0)) for row in rows}
    removal = _Removal(db, layout, vocabulary, run, max_facts)
    total = RemovalReport(missing=tuple(key for key in wanted if key not in sizes))
    for batch in removal_batches(sizes):
        total += removal.remove(batch)
    return total


def removal_batches(sizes: Mapping[str, int], documents: int = BATCH_DOCUMENTS, size: int = BATCH_BYTES) -> list[list[str]]:
    """Ids in order, cut into batches of bounded number and bytes; a document larger than the bound goes alone."""
    batches: list[list[str]] = []
    held = 0
    for key in sorted(sizes):
        if not batches or len(batches[-1]) >= documents or held + sizes[key] > size:
            batches.append([])
            held = 0
        batches[-1].append(key)
        held += sizes[key]
    return batches


def residue(db: GraphDatabase, document_ids: Sequence[str], layout: Layout) -> dict[str, int]:
    """What the graph still holds of documents, by kind, and things that no chunk names: all zero after a removal."""
    row = db.read(statement(RESIDUE, layout), {"ids": sorted(set(document_ids))}, timeout_seconds=TIMEOUT_SECONDS)[0]
    return {name: int(str(number)) for name, number in row.items()}


@dataclass(frozen=True, slots=True)
class _Removal:
    db: GraphDatabase
    layout: Layout
    vocabulary: GraphVocabulary
    run: RunInfo
    max_facts: int

    def remove(self, batch: Sequence[str]) -> RemovalReport:
        """Remove a batch; one that too many facts list is halved."""
        try:
            report, changes = self.db.write(lambda tx: self._remove_in(tx, batch), timeout_seconds=TIMEOUT_SECONDS)
        except _TooManyFacts as error:
            if len(batch) == 1:
                raise UsageError("too-many-facts", f"The document {batch[0]!r} states {error}, more than {self.max_facts}.") from error
            half = len(batch) // 2
            return self.remove(batch[:half]) + self.remove(batch[half:])
        return report + RemovalReport(batches=1, changes=changes)

    def _remove_in(self, tx: GraphTransaction, batch: Sequence[str]) -> RemovalReport:
        applier = Applier(tx, self.layout, self.run, batch_rows=BATCH_DOCUMENTS)
        documents = lock_documents(tx, self.layout, batch)
        stored = read_documents(tx, self.layout, documents)
        check_ownership(tuple(documents.values()), stored.edges)
        things = stored.thing_ids
        applier.lock_things(things)
        stated = read_facts(tx, self.layout, self.vocabulary, stored=stored)
        if len(stated) > self.max_facts:
            raise _TooManyFacts(f"{len(stated)} facts")
        parts = part_difference(stored, None, self.layout.chunk_text_property)
        facts = fact_difference(stated, stored, None)
        applier.remove_parts(parts)
        applier.change_facts(facts, {})
        applier.delete_nodes([node.element for node in documents.values()])
        orphans = applier.remove_orphans(sorted(things))
        applier.record_run()
        return RemovalReport(
            documents=len(documents),
            sections=sum(node.part == "section" for node in parts.deleted_nodes),
            chunks=sum(node.part == "chunk" for node in parts.deleted_nodes),
            mentions_and_quotes=sum("key" in edge.properties for edge in parts.deleted_edges),
            facts=len(facts.deleted),
            facts_changed=len(facts.updated),
            things=orphans,
        )
