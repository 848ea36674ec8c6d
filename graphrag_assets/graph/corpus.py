"""What no single document decides: settled over all of them, and written as the difference to what the graph holds.

Lists of documents and chunks on facts are not settled here: each document's own transaction keeps them exact.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, cast

from graphrag_assets.gateways.graph_database import GraphDatabase, GraphTransaction, Parameters, Row
from graphrag_assets.graph.changes import Applier
from graphrag_assets.graph.community import settle_communities
from graphrag_assets.graph.cypher import named_facts, statement
from graphrag_assets.graph.cypher_corpus import PRESENT_THINGS, SETTLED_THINGS
from graphrag_assets.graph.difference import Update, changed_properties
from graphrag_assets.graph.layout import GraphVocabulary, Layout
from graphrag_assets.graph.merging import move_merged
from graphrag_assets.graph.rows import Properties
from graphrag_assets.graph.schema import require_schema
from graphrag_assets.graph.stored import pages
from graphrag_assets.graph.vectors import check_table
from graphrag_assets.model.corpus import Community, ResolvedCorpus, ResolvedFact, ResolvedThing
from graphrag_assets.model.ids import hashed
from graphrag_assets.model.outcomes import GraphChanges
from graphrag_assets.model.provenance import RunInfo
from graphrag_assets.model.vectors import TextVector, VectorTable

RANK_DIGITS: Final = 12
READ_PAGE: Final = 1_000


def settle_corpus(
    db: GraphDatabase,
    corpus: ResolvedCorpus,
    communities: Sequence[Community],
    vectors: Mapping[str, VectorTable],
    run: RunInfo,
    layout: Layout,
    vocabulary: GraphVocabulary,
    *,
    batch_rows: int = 500,
) -> GraphChanges:
    """Write names, aliases, descriptions, ranks, payloads of facts, merges, communities and vectors of things.

    Everything is compared first, page by page, and only pages that differ are written, each in a transaction: a second run
    changes nothing, and a killed one is finished by the next. Things and facts that the graph does not have (their document
    was not written) are left out; owners of vectors that are no things are too.

    Raises:
        UsageError: ``schema-missing``.
        FailedDocument: ``write-failed``, ``embedding-dimensions``, ``invalid-embedding``.
    """
    require_schema(db, layout, vocabulary)
    for table in vectors.values():
        check_table(table)
    settling = _Settling(db, run, layout, vocabulary, batch_rows)
    changes = settling.merge(corpus.things)
    changes += settling.settle_things(corpus.things, vectors)
    changes += settling.settle_facts(corpus.facts)
    return changes + settle_communities(db, communities, run, layout)


def vector_text_marker(table: VectorTable, vector: TextVector) -> str:
    """What a thing records of a set: hash of the model and of the text that was embedded."""
    return hashed("thing-vector", table.set_name, table.model, table.revision, table.dimensions, vector.text_hash)


@dataclass(frozen=True, slots=True)
class _ThingChange:
    """What one thing lacks: values by name, and vectors by set."""

    thing_id: str
    properties: Properties
    vectors: Mapping[str, Sequence[float]] = field(default_factory=dict[str, Sequence[float]])


@dataclass(frozen=True, slots=True)
class _Settling:
    db: GraphDatabase
    run: RunInfo
    layout: Layout
    vocabulary: GraphVocabulary
    batch_rows: int

    def merge(self, things: Sequence[ResolvedThing]) -> GraphChanges:
        """Move what is left under merged ids: documents that were not written again since the merge."""
        own = {thing.thing_id for thing in things}
        merged = {old: thing for thing in things for old in thing.merged_ids if old not in own}
        total = GraphChanges()
        for page in pages(sorted(merged), READ_PAGE):
            rows = self.db.read(statement(PRESENT_THINGS, self.layout), {"ids": list(page)})
            for key in sorted(str(row["id"]) for row in rows):
                total += move_merged(self.db, key, merged[key], self.run, self.layout)
        return total

    def settle_things(self, things: Sequence[ResolvedThing], tables: Mapping[str, VectorTable]) -> GraphChanges:
        """Values and vectors of things."""
        by_owner = {name: {v.owner_id: v for v in table.vectors} for name, table in sorted(tables.items())}
        total = GraphChanges()
        ordered = sorted(things, key=lambda t: t.thing_id)
        for page in pages(ordered, self.batch_rows):
            stored = self._stored_things(page)
            wanted = [self._thing_change(t, stored[t.thing_id], tables, by_owner) for t in page if t.thing_id in stored]
            changes = [change for change in wanted if change.properties or change.vectors]
            if changes:
                total += self.db.write(lambda tx, changes=changes: self._write_things(tx, changes))[1]
        return total

    def _stored_things(self, things: Sequence[ResolvedThing]) -> dict[str, Properties]:
        values = {"ids": [thing.thing_id for thing in things], "prefix": self.layout.marker_property_prefix}
        stored: dict[str, Properties] = {}
        for row in self.db.read(statement(SETTLED_THINGS, self.layout), values):
            markers = cast(Sequence[tuple[str, str]], row["markers"])
            stored[str(row["id"])] = {**cast(Properties, row["properties"]), **dict(markers)}
        return stored

    def _thing_change(
        self,
        thing: ResolvedThing,
        stored: Properties,
        tables: Mapping[str, VectorTable],
        by_owner: Mapping[str, Mapping[str, TextVector]],
    ) -> _ThingChange:
        wanted: dict[str, object] = {
            self.layout.thing_name_property: thing.name,
            "aliases": sorted(set(thing.aliases)),
            "description": thing.description or None,
            "is_placeholder": thing.is_placeholder,
            "rank": round(thing.rank, RANK_DIGITS),
            "mentions": thing.mentions,
        }
        vectors: dict[str, Sequence[float]] = {}
        for set_name, owners in by_owner.items():
            name, vector = self.layout.marker_property(set_name), owners.get(thing.thing_id)
            marker = vector_text_marker(tables[set_name], vector) if vector else None
            if vector and stored.get(name) != marker:
                vectors[self.layout.embedding_property(set_name)] = vector.vector
            if vector is None and stored.get(name) is not None:
                wanted[self.layout.embedding_property(set_name)] = None
            wanted[name] = marker
        changed = {n: v for n, v in wanted.items() if stored.get(n) != v or n.startswith(self.layout.embedding_property_prefix)}
        return _ThingChange(thing.thing_id, changed, vectors)

    def _write_things(self, tx: GraphTransaction, changes: Sequence[_ThingChange]) -> None:
        applier = Applier(tx, self.layout, self.run, self.batch_rows)
        elements = applier.lock_things(change.thing_id for change in changes)
        present = [change for change in changes if change.thing_id in elements]
        applier.update_nodes([Update(elements[c.thing_id], c.properties) for c in present if c.properties])
        for name in sorted({name for change in present for name in change.vectors}):
            applier.set_vectors(name, [(elements[c.thing_id], c.vectors[name]) for c in present if name in c.vectors])
        applier.record_run()

    def settle_facts(self, facts: Sequence[ResolvedFact]) -> GraphChanges:
        """Payloads of facts."""
        total = GraphChanges()
        for page in pages(sorted(facts, key=lambda f: f.fact_id), READ_PAGE):
            ids: dict[str, list[str]] = {}
            for fact in page:
                ids.setdefault(fact.type, []).append(fact.fact_id)
            wanted = {fact.fact_id: _payload(fact) for fact in page}
            if self._fact_updates(self.db.read, ids, wanted):
                total += self.db.write(lambda tx, ids=ids, wanted=wanted: self._write_facts(tx, ids, wanted))[1]
        return total

    def _fact_updates(self, read: "_Read", ids: Mapping[str, Sequence[str]], wanted: Mapping[str, Properties]) -> list[Update]:
        updates: list[Update] = []
        for row in read(named_facts(self.vocabulary), {"ids": dict(ids)}):
            stored = cast(Properties, row["properties"])
            changed = changed_properties(stored, wanted[str(stored["id"])])
            updates += [Update(str(row["element"]), changed)] if changed else []
        return updates

    def _write_facts(self, tx: GraphTransaction, ids: Mapping[str, Sequence[str]], wanted: Mapping[str, Properties]) -> None:
        applier = Applier(tx, self.layout, self.run, self.batch_rows)
        applier.update_edges(self._fact_updates(tx.run, ids, wanted))
        applier.record_run()


class _Read(Protocol):
    def __call__(self, statement: str, parameters: Parameters | None = None, /) -> Sequence[Row]: ...


def _payload(fact: ResolvedFact) -> Properties:
    return {
        "role": fact.role or None,
        "kind": fact.kind or None,
        "description": fact.description or None,
        "weight": fact.weight,
        "sentence": fact.sentence or None,
    }
