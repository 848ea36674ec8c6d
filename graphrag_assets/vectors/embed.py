"""Embedding texts under one set: in batches, checked, and reused where the same text was embedded before."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from graphrag_assets.gateways.embedder import Embedder, EmbeddingBatch
from graphrag_assets.model.embedding_set import EmbeddingSet, checked_vector
from graphrag_assets.model.errors import FailedDocument, SettingsError
from graphrag_assets.model.ids import hashed, sha256_hex
from graphrag_assets.model.outcomes import Usage
from graphrag_assets.model.vectors import TextVector, VectorTable

VECTORS_VERSION = "1"
Vector = tuple[float, ...]
Find = Callable[[Sequence[str]], Mapping[str, Vector]]
Keep = Callable[[str, Vector], None]


@dataclass(frozen=True, slots=True)
class EmbeddedTexts:
    """Vectors in the order of their owners, and what they cost."""

    table: VectorTable
    usage: Usage


def text_hash(text: str) -> str:
    """SHA-256 of a text that is embedded."""
    return sha256_hex(text.encode())


def set_fingerprint(embedding_set: EmbeddingSet, embedder: Embedder) -> str:
    """What every vector of a set rests on: the set's fields and the embedder's model and revision."""
    return hashed("embedding-set", embedding_set.model_dump(mode="json"), embedder.model, embedder.revision)


def require_window(embedding_set: EmbeddingSet, embedder: Embedder, longest_tokens: int) -> None:
    """Refuse a model that reads less than the longest chunk, unless the set is declared to truncate.

    Raises:
        SettingsError: ``embedding-window``.
    """
    if longest_tokens > embedder.max_tokens and not embedding_set.truncate:
        raise SettingsError(
            "embedding-window",
            f"the set {embedding_set.name!r} reads {embedder.max_tokens} tokens, the longest chunk may have {longest_tokens}.",
            "Lower chunking.max_tokens, or declare the set with truncate: true.",
        )


def embed_texts(
    owners: Sequence[tuple[str, str]], embedding_set: EmbeddingSet, embedder: Embedder, *, batch_size: int, find: Find, keep: Keep
) -> EmbeddedTexts:
    """Embed ``(owner id, text)`` pairs, none of them blank.

    Args:
        owners: In the order in which vectors are wanted.
        batch_size: Texts of one call at most.
        find: Text hashes to vectors that were made before under the same set.
        keep: Called with each new vector's text hash before a wrong one fails the whole, so that it stays paid for.

    Raises:
        FailedDocument: ``embedding-count``, ``embedding-dimensions``, ``invalid-embedding``, or what the embedder raises.
    """
    texts = {text_hash(text): text for _, text in owners}
    known = dict(find(sorted(texts)))
    reused = frozenset(known)
    missing = [name for name in texts if name not in known]
    usage = Usage(reused=sum(1 for _, text in owners if text_hash(text) in reused))
    for start in range(0, len(missing), batch_size):
        names = missing[start : start + batch_size]
        batch = embedder.embed([texts[name] for name in names])
        good = _checked(names, batch, embedding_set, keep)
        if start + batch_size < len(missing):
            # A later batch may fail: what is paid for is kept before it is asked for.
            for name in names:
                keep(name, good[name])
        known.update(good)
        usage += _usage(batch)
    vectors = tuple(TextVector(owner, text_hash(text), known[text_hash(text)], text_hash(text) in reused) for owner, text in owners)
    table = VectorTable(embedding_set.name, embedder.model, embedder.revision, embedding_set.dimensions, vectors)
    return EmbeddedTexts(table, usage)


def _usage(batch: EmbeddingBatch) -> Usage:
    return Usage(
        embedding_calls=batch.calls,
        input_tokens=batch.input_tokens,
        retries=batch.retries,
        rate_limited=batch.rate_limited,
        waited_seconds=batch.waited_seconds,
    )


def _checked(names: Sequence[str], batch: EmbeddingBatch, embedding_set: EmbeddingSet, keep: Keep) -> dict[str, Vector]:
    if len(batch.vectors) != len(names):
        raise FailedDocument("embedding-count", f"{len(names)} texts were embedded, {len(batch.vectors)} vectors came back.")
    good: dict[str, Vector] = {}
    first: FailedDocument | None = None
    for name, vector in zip(names, batch.vectors, strict=True):
        try:
            good[name] = checked_vector(vector, embedding_set)
        except FailedDocument as error:
            first = first or error
    if first is not None:
        for name, vector in good.items():
            keep(name, vector)
        raise first
    return good
