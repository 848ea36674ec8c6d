"""Taking a document out, in an order that a crash cannot spoil: graph first, artifacts last, so that a repeat finds what is left."""

from collections.abc import Sequence

from graphrag_assets.graph.removal import remove_documents
from graphrag_assets.model.outcomes import DocumentResult, GraphChanges, StageResult
from graphrag_assets.model.provenance import RunInfo
from graphrag_assets.pipeline.assets import DOCUMENTS
from graphrag_assets.pipeline.tools import Tools


def remove_keys(tools: Tools, keys: Sequence[str], run: RunInfo) -> tuple[DocumentResult, ...]:
    """Remove documents by key; a key that has nothing is removed all the same.

    Returns:
        One result a key; its single stage counts what left the graph and the artifacts.
    """
    return tuple(_remove(tools, key, run) for key in sorted(set(keys)))


def _remove(tools: Tools, key: str, run: RunInfo) -> DocumentResult:
    found = [(asset, tools.store.provenance(asset, key)) for asset in tools.store.assets()]
    known = next((p for _, p in found if p is not None and p.document_id is not None), None)
    document_id = known.document_id if known and known.document_id else ""
    changes = GraphChanges()
    if document_id:
        with tools.writing:
            changes = remove_documents(tools.graph(), [document_id], tools.layout, tools.vocabulary, run).changes
    counts = drop_artifacts(tools, key, keep=())
    stage = StageResult(asset="removal", key=key, outcome="removed", counts=counts, graph=changes)
    return DocumentResult(key, document_id, known.uri if known and known.uri else "", "removed", None, (stage,))


def drop_artifacts(tools: Tools, key: str, *, keep: Sequence[str]) -> dict[str, int]:
    """Delete a document's artifacts and paid results, ``documents`` last since it knows the document's id."""
    tools.index.forget(key)
    assets = sorted(tools.store.assets(), key=lambda asset: (asset == DOCUMENTS, asset))
    deleted = sum(tools.store.delete(asset, key) for asset in assets if asset not in keep)
    return {"artifacts_deleted": deleted, "paid_results_deleted": tools.paid.forget(key)}
