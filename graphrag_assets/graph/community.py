"""Communities of things in the graph: nodes by level, their members, and their parents, as a difference to what is there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

from graphrag_assets.gateways.graph_database import GraphDatabase, GraphTransaction
from graphrag_assets.graph.changes import Applier
from graphrag_assets.graph.cypher import STORED_EDGES, statement
from graphrag_assets.graph.cypher_corpus import (
    DELETE_PARENTS,
    ENSURE_COMMUNITIES,
    ENSURE_MEMBERS,
    ENSURE_PARENTS,
    STORED_COMMUNITIES,
)
from graphrag_assets.graph.layout import Layout
from graphrag_assets.graph.stored import pages
from graphrag_assets.model.corpus import Community
from graphrag_assets.model.outcomes import GraphChanges
from graphrag_assets.model.provenance import RunInfo

MEMBERS_PER_TRANSACTION: Final = 2_000
COMMUNITIES_PER_PAGE: Final = 500


@dataclass(frozen=True, slots=True)
class _Stored:
    element: str
    is_whole: bool
    parent: str | None


def settle_communities(db: GraphDatabase, communities: Sequence[Community], run: RunInfo, layout: Layout) -> GraphChanges:
    """Write the communities of a hierarchy, and delete those it does not have.

    A community's id is made of its level and members, so one that is there is right as long as it lost no member.
    """
    wanted = {c.community_id: c for c in sorted(communities, key=lambda c: (c.level, c.community_id))}
    stored = _stored_communities(db, wanted, layout)
    writing = _Writing(db, run, layout)
    gone = [one.element for key, one in sorted(stored.items()) if key not in wanted]
    changes = writing.delete(gone)
    changes += writing.create([c for key, c in wanted.items() if key not in stored or not stored[key].is_whole])
    moved = [c for key, c in wanted.items() if (stored[key].parent if key in stored else None) != c.parent_id]
    return changes + writing.set_parents(moved)


def _stored_communities(db: GraphDatabase, wanted: dict[str, Community], layout: Layout) -> dict[str, _Stored]:
    stored: dict[str, _Stored] = {}
    for row in db.read(statement(STORED_COMMUNITIES, layout)):
        key, parents = str(row["id"]), cast(Sequence[str], row["parents"])
        is_whole = not row["stale"] and (key not in wanted or row["members"] == len(wanted[key].member_ids))
        parent = parents[0] if len(parents) == 1 else "several" if parents else None
        stored[key] = _Stored(str(row["element"]), is_whole, parent)
    return stored


@dataclass(frozen=True, slots=True)
class _Writing:
    db: GraphDatabase
    run: RunInfo
    layout: Layout

    def delete(self, elements: Sequence[str]) -> GraphChanges:
        """Delete communities with their memberships."""
        return sum((self.db.write(lambda tx, page=page: self._delete_in(tx, page))[1] for page in pages(elements)), GraphChanges())

    def _delete_in(self, tx: GraphTransaction, elements: Sequence[str]) -> None:
        applier = self._applier(tx)
        edges = tx.run(STORED_EDGES, {"elements": list(elements)})
        applier.lock_things({str(row["source"]) for row in edges if row["type"] == self.layout.community_type})
        applier.delete_edges([str(row["element"]) for row in edges])
        applier.delete_nodes(elements)
        applier.record_run()

    def create(self, communities: Sequence[Community]) -> GraphChanges:
        """Create communities whole, several small ones a transaction."""
        total = GraphChanges()
        batch: list[Community] = []
        for community in communities:
            batch.append(community)
            if sum(len(c.member_ids) for c in batch) >= MEMBERS_PER_TRANSACTION:
                total += self._create_batch(batch)
                batch = []
        return total + self._create_batch(batch) if batch else total

    def _create_batch(self, batch: Sequence[Community]) -> GraphChanges:
        return self.db.write(lambda tx: self._create_in(tx, batch))[1]

    def _create_in(self, tx: GraphTransaction, batch: Sequence[Community]) -> None:
        applier = self._applier(tx)
        things = applier.lock_things({member for c in batch for member in c.member_ids})
        ordered = sorted(batch, key=lambda c: c.community_id)
        rows = [{"id": c.community_id, "level": c.level, "members": len(c.member_ids)} for c in ordered]
        found = tx.run(statement(ENSURE_COMMUNITIES, self.layout), {"rows": rows, "run_id": self.run.run_id})
        nodes = {str(row["id"]): str(row["element"]) for row in found}
        members = [
            {"thing": things[member], "community": nodes[c.community_id]} for c in ordered for member in c.member_ids if member in things
        ]
        for page in pages(members):
            tx.run(statement(ENSURE_MEMBERS, self.layout), {"rows": list(page), "run_id": self.run.run_id})
        applier.record_run()

    def set_parents(self, communities: Sequence[Community]) -> GraphChanges:
        """Give communities the parents that the hierarchy says."""
        rows = [{"id": c.community_id, "parent": c.parent_id} for c in communities]
        total = GraphChanges()
        for page in pages(rows, COMMUNITIES_PER_PAGE):
            total += self.db.write(lambda tx, page=page: self._set_parents_in(tx, page))[1]
        return total

    def _set_parents_in(self, tx: GraphTransaction, rows: Sequence[dict[str, str | None]]) -> None:
        applier = self._applier(tx)
        tx.run(statement(DELETE_PARENTS, self.layout), {"rows": list(rows)})
        tx.run(statement(ENSURE_PARENTS, self.layout), {"rows": list(rows), "run_id": self.run.run_id})
        applier.record_run()

    def _applier(self, tx: GraphTransaction) -> Applier:
        return Applier(tx, self.layout, self.run, COMMUNITIES_PER_PAGE)
