"""Nodes of ingestion runs: made by a run's first change, completed at its end, and never part of the digest."""

from collections.abc import Mapping
from typing import Final, Literal

from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.graph.cypher import statement
from graphrag_assets.graph.layout import Layout
from graphrag_assets.model.outcomes import GraphChanges
from graphrag_assets.model.provenance import RunInfo

RunStatus = Literal["completed", "failed"]

# One index lookup; a run that changed nothing has no node, and gets none.
COMPLETE_RUN: Final = "MATCH (r:%(run)s {id: $id}) SET r += $properties"


def complete_run(
    db: GraphDatabase,
    run: RunInfo,
    layout: Layout,
    *,
    status: RunStatus,
    completed: str,
    settings_fingerprint: str = "",
    documents: Mapping[str, int] | None = None,
) -> GraphChanges:
    """Say how a run ended, on the node that its first change made.

    Args:
        db: The graph.
        run: The run.
        layout: Names.
        status: ``completed`` when every document has an outcome, ``failed`` when the run was stopped.
        completed: Time of the end, UTC.
        settings_fingerprint: Of the settings it ran under.
        documents: Numbers of documents by outcome, stored as ``documents_<outcome>``.
    """
    counts = {f"documents_{outcome}": number for outcome, number in sorted((documents or {}).items())}
    properties = {"status": status, "completed": completed, "settings_fingerprint": settings_fingerprint or None, **counts}
    return db.write(lambda tx: tx.run(statement(COMPLETE_RUN, layout), {"id": run.run_id, "properties": properties}))[1]
