"""Outcomes of documents and stages, and the receipt that adds them up. Codes, ids, counts and times; never text."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from graphrag_assets.model.limits import Limit

OutcomeName = Literal["written", "unchanged", "refused", "failed", "removed"]
RunOutcome = Literal["succeeded", "partial", "failed"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Model calls and tokens, added up over all attempts; ``estimated`` when a stand-in or no counter counted."""

    chat_calls: int = 0
    embedding_calls: int = 0
    reused: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    retries: int = 0
    rate_limited: int = 0
    waited_seconds: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.chat_calls + other.chat_calls,
            self.embedding_calls + other.embedding_calls,
            self.reused + other.reused,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.retries + other.retries,
            self.rate_limited + other.rate_limited,
            self.waited_seconds + other.waited_seconds,
        )


@dataclass(frozen=True, slots=True)
class GraphChanges:
    """What a write changed on the server, by the server's own counters."""

    transactions: int = 0
    nodes_created: int = 0
    nodes_deleted: int = 0
    relationships_created: int = 0
    relationships_deleted: int = 0
    properties_set: int = 0

    def __add__(self, other: "GraphChanges") -> "GraphChanges":
        return GraphChanges(
            self.transactions + other.transactions,
            self.nodes_created + other.nodes_created,
            self.nodes_deleted + other.nodes_deleted,
            self.relationships_created + other.relationships_created,
            self.relationships_deleted + other.relationships_deleted,
            self.properties_set + other.properties_set,
        )


@dataclass(frozen=True, slots=True)
class StageResult:
    """How one stage (or one corpus asset) ended for one document.

    Args:
        asset: Asset name, ``chunk_vectors/<set>`` for sets.
        key: Partition key; None for corpus assets.
        digest: Digest of the result; the asset's data version. Empty when failed.
        fingerprint: Of code, settings and inputs.
        inputs: Upstream asset name to the digest that was read.
        causes: Why it was stale, empty when unchanged.
        counts: Numbers with their unit in the name.
        sample: At most five rows of ids, spans and counts, for people; never text.
    """

    asset: str
    key: str | None
    outcome: OutcomeName
    code: str | None = None
    digest: str = ""
    fingerprint: str = ""
    code_version: str = ""
    inputs: Mapping[str, str] = field(default_factory=dict)
    causes: tuple[str, ...] = ()
    counts: Mapping[str, int | float | str] = field(default_factory=dict)
    sample: tuple[Mapping[str, str | int | float], ...] = ()
    usage: Usage = field(default_factory=Usage)
    graph: GraphChanges = field(default_factory=GraphChanges)
    limits: tuple[Limit, ...] = ()
    seconds: float = 0.0
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class DocumentResult:
    """How one document ended: the worst of its stages, with every stage that was asked for."""

    key: str
    document_id: str
    uri: str
    outcome: OutcomeName
    code: str | None
    stages: tuple[StageResult, ...]
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a whole materialisation did, over all of its runs."""

    outcome: RunOutcome
    run_ids: tuple[str, ...]
    documents: Mapping[str, int]
    usage: Usage
    graph: GraphChanges
    repaired: int
    quarantined: int
    pruned: int
    limits: tuple[Limit, ...]
    seconds: float
    failures: tuple[tuple[str, str], ...] = ()
    refusals: tuple[tuple[str, str], ...] = ()
    stand_ins: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """The JSON object that the command line prints."""
        return {
            "outcome": self.outcome,
            "run_ids": list(self.run_ids),
            "documents": {name: self.documents.get(name, 0) for name in ("written", "unchanged", "removed", "refused", "failed")},
            "model_calls": {"chat": self.usage.chat_calls, "embedding": self.usage.embedding_calls, "reused": self.usage.reused},
            "tokens": {"input": self.usage.input_tokens, "output": self.usage.output_tokens},
            "retries": self.usage.retries,
            "repaired": self.repaired,
            "quarantined": self.quarantined,
            "pruned": self.pruned,
            "graph": {
                "transactions": self.graph.transactions,
                "nodes_created": self.graph.nodes_created,
                "nodes_deleted": self.graph.nodes_deleted,
                "relationships_created": self.graph.relationships_created,
                "relationships_deleted": self.graph.relationships_deleted,
                "properties_set": self.graph.properties_set,
            },
            "limits": [{"name": limit.name, "value": limit.value} for limit in self.limits],
            "seconds": round(self.seconds, 3),
            "failures": [{"key": key, "code": code} for key, code in self.failures],
            "refusals": [{"key": key, "code": code} for key, code in self.refusals],
            "stand_ins": list(self.stand_ins),
        }
