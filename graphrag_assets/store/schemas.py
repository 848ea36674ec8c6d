"""Arrow schemas of artifacts. A change of columns raises SCHEMA_VERSION; a part is one kind of row of an artifact."""

from typing import Final

import pyarrow as pa

SCHEMA_VERSION: Final = 1
# Columns that say how a row was come by, not what it says: they never enter a digest.
VOLATILE: Final = frozenset(
    {"reused", "attempts", "input_tokens", "output_tokens", "tokens_estimated", "repaired", "change", "stale"}
    | {"retries", "rate_limited", "waited_seconds"}
)

_S = pa.string()
_I = pa.int64()
_F = pa.float64()
_B = pa.bool_()
_LS = pa.list_(pa.string())
_LI = pa.list_(pa.int64())


def _schema(**columns: pa.DataType) -> pa.Schema:
    return pa.schema([pa.field(name, kind) for name, kind in columns.items()])


_SPAN = {"start": _I, "end": _I}
SCHEMAS: Final[dict[str, pa.Schema]] = {
    "source_catalog": _schema(
        uri=_S, document_id=_S, key=_S, name=_S, path=_S, media_type=_S, size=_I, raw_hash=_S, refusal=_S, change=_S, stale=_LS
    ),
    "documents": _schema(
        uri=_S,
        document_id=_S,
        key=_S,
        media_type=_S,
        text=pa.large_binary(),
        content_hash=_S,
        loader=_S,
        text_origin=_S,
        title=_S,
        published=_S,
        publisher=_S,
        url=_S,
        page_numbers=_LI,
        page_starts=_LI,
        page_ends=_LI,
        pages_without_text=_LI,
        mended=_I,
    ),
    "chunk_plans": _schema(
        part=_S,
        section_id=_S,
        chunk_id=_S,
        order=_I,
        level=_I,
        title=_S,
        parent_order=_I,
        **_SPAN,
        text=_S,
        section_order=_I,
        token_count=_I,
        context=_S,
        overlap_bytes=_I,
        blank=_B,
    ),
    "extraction_replies": _schema(
        chunk_id=_S,
        request_hash=_S,
        prompt_hash=_S,
        model=_S,
        text=_S,
        finish_reason=_S,
        outcome=_S,
        input_tokens=_I,
        output_tokens=_I,
        attempts=_I,
        repaired=_B,
        reused=_B,
        tokens_estimated=_B,
        retries=_I,
        rate_limited=_I,
        waited_seconds=_F,
    ),
    "extractions": _schema(
        part=_S,
        thing_id=_S,
        kind=_S,
        name=_S,
        aliases=_LS,
        description=_S,
        is_placeholder=_B,
        fact_id=_S,
        type=_S,
        source_id=_S,
        target_id=_S,
        chunk_ids=_LS,
        role=_S,
        weight=_F,
        source_is_document=_B,
        target_is_document=_B,
        chunk_id=_S,
        **_SPAN,
        quote=_S,
        key=_S,
        speaker_id=_S,
        words=_S,
        addressee=_S,
        reason=_S,
        item=_S,
        code=_S,
        text=_S,
    ),
    "document_graph": _schema(kind=_S, count=_I, value=_S),
    "graph_vectors": _schema(kind=_S, count=_I, value=_S),
    "graph_schema": _schema(name=_S, kind=_S, statement=_S, state=_S),
    "merge_decisions": _schema(id=_S, time=_S, who=_S, kind=_S, thing_ids=_LS, name=_S, document_ids=_LS, note=_S, undoes=_S),
    "entities": _schema(
        part=_S,
        thing_id=_S,
        kind=_S,
        name=_S,
        aliases=_LS,
        description=_S,
        is_placeholder=_B,
        document_ids=_LS,
        chunk_ids=_LS,
        mentions=_I,
        merged_ids=_LS,
        rank=_F,
        fact_id=_S,
        type=_S,
        source_id=_S,
        target_id=_S,
        sentence=_S,
        role=_S,
        weight=_F,
        source_is_document=_B,
        target_is_document=_B,
    ),
    "communities": _schema(community_id=_S, level=_I, member_ids=_LS, parent_id=_S),
    "corpus_graph": _schema(kind=_S, count=_I, value=_S),
}


def schema_of(asset: str, dimensions: int = 0) -> pa.Schema:
    """The schema of an asset's artifact; vector assets need their set's dimensions."""
    base = asset.split("/")[0]
    if base in ("chunk_vectors", "corpus_vectors"):
        return _schema(owner_id=_S, text_hash=_S, vector=pa.list_(pa.float32(), dimensions), reused=_B)
    return SCHEMAS[base]
