"""What is stale and why, document by document: the same bases as the run itself, and no writes."""

from collections.abc import Sequence

from graphrag_assets.model.documents import ChangeState, SourceEntry
from graphrag_assets.model.errors import FailedDocument
from graphrag_assets.model.pipeline import DocumentState, StaleAsset
from graphrag_assets.model.provenance import Provenance
from graphrag_assets.pipeline.assets import DOCUMENTS, GRAPH
from graphrag_assets.pipeline.basis import INPUTS, MISSING, REFUSED, own_causes
from graphrag_assets.pipeline.stage import DocumentWork, Stage


def document_state(work: DocumentWork, stages: Sequence[Stage]) -> DocumentState:
    """The state of one document. A stage below a stale one is stale for the same causes: what it reads may change."""
    stored = work.tools.store.provenance(DOCUMENTS, work.key)
    told: dict[str, tuple[str, ...]] = {}
    for stage in stages:
        told[stage.asset] = _causes(work, stage, told)
        if stage.asset == DOCUMENTS and not told[DOCUMENTS] and stored is not None and stored.outcome == "refused":
            told |= _leftovers(work, stages)
            break
    stale = tuple(StaleAsset(asset, causes) for asset, causes in told.items() if causes)
    change = change_of(work.entry, stored, told[DOCUMENTS])
    code = stored.code if stored is not None and change == "refused" else None
    return DocumentState(work.key, work.entry.document_id, work.entry.uri, change, stale, work.entry.refusal or code)


def _leftovers(work: DocumentWork, stages: Sequence[Stage]) -> dict[str, tuple[str, ...]]:
    """What a refused document still has of an earlier version: a run was stopped before it had taken all of it out."""
    left = {s.asset: (REFUSED,) for s in stages if s.asset != DOCUMENTS and work.tools.store.exists(s.asset, work.key)}
    return left if work.stored_fingerprint is None else {**left, GRAPH: (REFUSED,)}


def _causes(work: DocumentWork, stage: Stage, told: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    stored = work.tools.store.provenance(stage.asset, work.key)
    upstream = UPSTREAM.get(stage.asset.split("/")[0], ())
    above = [causes for asset, causes in told.items() if causes and _feeds(asset, stage.asset, upstream)]
    if any(above):
        inherited = tuple(dict.fromkeys(cause for causes in above for cause in causes))
        own = (MISSING,) if stored is None and MISSING not in inherited else ()
        return (*inherited, *own)
    try:
        basis = stage.basis(work)
    except FailedDocument:
        return (MISSING,)
    own = (*own_causes(stored, basis), *stage.outside_causes(work, basis))
    return tuple(dict.fromkeys(cause for cause in own if cause != INPUTS or len(own) == 1))


# Upstream assets by asset, sets left out; a set's assets feed each other only within the set.
UPSTREAM: dict[str, tuple[str, ...]] = {
    "chunk_plans": ("documents",),
    "chunk_vectors": ("chunk_plans",),
    "extraction_replies": ("chunk_plans",),
    "extractions": ("chunk_plans", "extraction_replies"),
    "document_graph": ("documents", "chunk_plans", "extractions"),
    "graph_vectors": ("document_graph", "chunk_vectors"),
}


def _feeds(upstream: str, asset: str, allowed: tuple[str, ...]) -> bool:
    base, _, upstream_set = upstream.partition("/")
    own_set = asset.partition("/")[2]
    return base in allowed and (not upstream_set or upstream_set == own_set)


def change_of(entry: SourceEntry, stored: Provenance | None, causes: tuple[str, ...]) -> ChangeState:
    """How the source differs from what was last loaded."""
    if entry.refusal is not None:
        return "refused"
    if stored is None:
        return "new"
    if "text" in causes:
        return "changed"
    return "refused" if stored.outcome == "refused" else "unchanged"
