"""The corpus as a whole: things and facts over all documents, and their communities. Functions of all contributions."""

from dataclasses import dataclass

from graphrag_assets.model.limits import Limit


@dataclass(frozen=True, slots=True)
class ResolvedThing:
    """A thing over all documents that name it.

    Args:
        thing_id: Canonical id, merges applied.
        merged_ids: Sorted ids of the things merged into it; empty without merges.
        rank: PageRank over the facts; the ranks of all things add up to 1.
    """

    thing_id: str
    kind: str
    name: str
    aliases: tuple[str, ...]
    description: str | None
    is_placeholder: bool
    document_ids: tuple[str, ...]
    chunk_ids: tuple[str, ...]
    mentions: int
    merged_ids: tuple[str, ...] = ()
    rank: float = 0.0


@dataclass(frozen=True, slots=True)
class ResolvedFact:
    """A fact over all documents that state it. ``sentence`` reads it in the ontology's phrase."""

    fact_id: str
    type: str
    source_id: str
    target_id: str
    document_ids: tuple[str, ...]
    chunk_ids: tuple[str, ...]
    sentence: str
    role: str | None = None
    kind: str | None = None
    description: str | None = None
    weight: float = 1.0
    source_is_document: bool = False
    target_is_document: bool = False


@dataclass(frozen=True, slots=True)
class ResolvedCorpus:
    """All things and facts, sorted by id, and what was dropped or cut on the way."""

    things: tuple[ResolvedThing, ...]
    facts: tuple[ResolvedFact, ...]
    self_facts_dropped: int = 0
    missing_documents: tuple[str, ...] = ()
    limits: tuple[Limit, ...] = ()


@dataclass(frozen=True, slots=True)
class Community:
    """A community of one level. Members are sorted thing ids; a lone thing belongs to none."""

    community_id: str
    level: int
    member_ids: tuple[str, ...]
    parent_id: str | None = None
