"""One stage of a document: what its result rests on, how it is made, and how a result is skipped, written and reported."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from graphrag_assets.model.decisions import MergeDecision
from graphrag_assets.model.documents import LoadedDocument, SourceEntry
from graphrag_assets.model.errors import FailedDocument, RefusedDocument
from graphrag_assets.model.extraction import Extraction, ExtractionReply
from graphrag_assets.model.ids import hashed
from graphrag_assets.model.limits import MAX_METADATA_ROWS, Limit
from graphrag_assets.model.outcomes import GraphChanges, StageResult, Usage
from graphrag_assets.model.plans import ChunkPlan
from graphrag_assets.model.provenance import Provenance, RunInfo
from graphrag_assets.model.vectors import VectorTable
from graphrag_assets.pipeline.assets import DOCUMENTS, EXTRACTIONS, PLANS, REPLIES, chunk_vectors
from graphrag_assets.pipeline.basis import Basis, named_causes, own_causes
from graphrag_assets.pipeline.tools import Tools
from graphrag_assets.store.artifacts import Artifact
from graphrag_assets.store.codecs import document_from, extraction_from, plan_from, replies_from, vectors_from
from graphrag_assets.store.records import Row, digest_rows
from graphrag_assets.store.schemas import SCHEMA_VERSION

Kept = TypeVar("Kept")


@dataclass(slots=True)
class DocumentWork:
    """One document on its way through the stages of one call; later stages read here what earlier ones made.

    Args:
        writes: Names of the assets that were asked for.
        decisions: Reviewed decisions, the same for the whole batch.
        stored_fingerprint: What the graph holds of this document, looked up for the whole batch; None when absent.
        stored_markers: Embedding set to the digest of the vectors that the graph holds.
    """

    tools: Tools
    entry: SourceEntry
    run: RunInfo
    writes: frozenset[str]
    decisions: tuple[MergeDecision, ...] = ()
    stored_fingerprint: str | None = None
    stored_markers: Mapping[str, str] = field(default_factory=dict)
    made: dict[str, Any] = field(default_factory=dict)
    results: dict[str, StageResult] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Partition key."""
        return self.entry.key

    def document(self) -> LoadedDocument:
        """The loaded document."""
        return self._kept(DOCUMENTS, lambda a: document_from(a.rows))

    def plan(self) -> ChunkPlan:
        """Its chunk plan."""
        return self._kept(PLANS, lambda a: plan_from(a.rows, a.provenance.parts, self.entry.document_id))

    def replies(self) -> tuple[ExtractionReply, ...]:
        """Its extraction replies."""
        return self._kept(REPLIES, lambda a: replies_from(a.rows))

    def extraction(self) -> Extraction:
        """Its extraction."""
        return self._kept(EXTRACTIONS, lambda a: extraction_from(a.rows, a.provenance.parts, self.entry.document_id))

    def vectors(self, set_name: str) -> VectorTable:
        """Its vectors under one set."""
        return self._kept(chunk_vectors(set_name), lambda a: vectors_from(a.rows, a.provenance.parts))

    def _kept(self, asset: str, read: Callable[[Artifact], Kept]) -> Kept:
        if asset not in self.made:
            artifact = self.tools.store.read(asset, self.key)
            if artifact is None:
                raise _not_made(asset, self.key)
            self.made[asset] = read(artifact)
        return self.made[asset]

    def digest(self, asset: str) -> str:
        """Digest of an upstream result of this document."""
        if asset in self.results:
            return self.results[asset].digest
        provenance = self.tools.store.provenance(asset, self.key)
        if provenance is None:
            raise _not_made(asset, self.key)
        if provenance.outcome == "refused":
            raise RefusedDocument(provenance.code or "", f"{self.key!r} is refused.")
        return provenance.digest

    def digests(self, *assets: str) -> dict[str, str]:
        """Digests of several upstream results."""
        return {asset: self.digest(asset) for asset in assets}


def _not_made(asset: str, key: str) -> FailedDocument:
    return FailedDocument("stage-failed", f"{asset} of {key!r} has not been made.", f"Materialize {asset} of this document first.")


@dataclass(frozen=True, slots=True)
class Made:
    """What a stage made.

    Args:
        value: The result as later stages read it; None where it lives in the graph alone.
        parts: What belongs to the artifact as a whole and to no row.
    """

    rows: list[Row]
    value: Any = None
    parts: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, int | float | str] = field(default_factory=dict)
    sample: tuple[Mapping[str, str | int | float], ...] = ()
    usage: Usage = field(default_factory=Usage)
    graph: GraphChanges = field(default_factory=GraphChanges)
    limits: tuple[Limit, ...] = ()
    dimensions: int = 0


class Stage(ABC):
    """One document-level asset."""

    asset: str

    @abstractmethod
    def basis(self, work: DocumentWork) -> Basis:
        """What the result rests on, from the settings and the upstream digests of this document."""

    @abstractmethod
    def make(self, work: DocumentWork, basis: Basis) -> Made:
        """Make the result. `RefusedDocument` and `FailedDocument` end the document."""

    def outside_causes(self, work: DocumentWork, basis: Basis) -> tuple[str, ...]:
        """Causes that no artifact knows of: the graph lacks what the artifact says was written."""
        del work, basis
        return ()

    def written(self, work: DocumentWork, made: Made) -> None:
        """Called once the artifact is in its place; most stages have nothing left to do then."""
        del work, made

    def run(self, work: DocumentWork) -> StageResult:
        """Skip the stage when its result stands, else make, write and report it."""
        started = work.tools.clock.monotonic()
        basis = self.basis(work)
        stored = work.tools.store.provenance(self.asset, work.key)
        causes = (*own_causes(stored, basis), *self.outside_causes(work, basis))
        if stored is not None and not causes:
            return result_of(stored, outcome="refused" if stored.outcome == "refused" else "unchanged")
        causes = named_causes(causes, {asset: work.results[asset].causes for asset in basis.inputs if asset in work.results})
        try:
            made = self.make(work, basis)
        except RefusedDocument as refusal:
            return self._refuse(work, basis, refusal, causes)
        provenance = provenance_of(work.run, work.tools.clock.now(), basis, made, entry=work.entry)
        work.tools.store.write(provenance, made.rows, dimensions=made.dimensions)
        self.written(work, made)
        if made.value is not None:
            work.made[self.asset] = made.value
        seconds = work.tools.clock.monotonic() - started
        return written_result(provenance, made, causes, seconds)

    def _refuse(self, work: DocumentWork, basis: Basis, refusal: RefusedDocument, causes: tuple[str, ...]) -> StageResult:
        empty = Made(rows=[])
        provenance = provenance_of(work.run, work.tools.clock.now(), basis, empty, entry=work.entry).model_copy(
            update={"outcome": "refused", "code": refusal.code, "digest": hashed("refused", refusal.code)}
        )
        work.tools.store.write(provenance, [])
        return StageResult(
            asset=self.asset,
            key=work.key,
            outcome="refused",
            code=refusal.code,
            digest=provenance.digest,
            fingerprint=basis.fingerprint,
            code_version=basis.code_version,
            inputs=dict(basis.inputs),
            causes=causes,
            remedy=refusal.remedy,
        )


def provenance_of(run: RunInfo, now: str, basis: Basis, made: Made, *, entry: SourceEntry | None) -> Provenance:
    """The provenance of a result, of one document or (without entry) of the corpus."""
    return Provenance(
        asset=basis.asset,
        key=entry.key if entry else None,
        document_id=entry.document_id if entry else None,
        uri=entry.uri if entry else None,
        run_id=run.run_id,
        runner=run.runner,
        schema_version=SCHEMA_VERSION,
        code_version=basis.code_version,
        settings=dict(basis.settings),
        fingerprint=basis.fingerprint,
        inputs=dict(basis.inputs),
        digest=digest_rows(made.rows),
        written=now,
        outcome="written",
        parts=dict(made.parts),
        counts=dict(made.counts),
    )


def written_result(provenance: Provenance, made: Made, causes: tuple[str, ...], seconds: float) -> StageResult:
    """The report of a result that was made."""
    return StageResult(
        asset=provenance.asset,
        key=provenance.key,
        outcome="written",
        digest=provenance.digest,
        fingerprint=provenance.fingerprint,
        code_version=provenance.code_version,
        inputs=provenance.inputs,
        causes=causes,
        counts=made.counts,
        sample=made.sample[:MAX_METADATA_ROWS],
        usage=made.usage,
        graph=made.graph,
        limits=made.limits,
        seconds=seconds,
    )


def result_of(stored: Provenance, *, outcome: Any) -> StageResult:
    """The report of a result that stands."""
    return StageResult(
        asset=stored.asset,
        key=stored.key,
        outcome=outcome,
        code=stored.code,
        digest=stored.digest,
        fingerprint=stored.fingerprint,
        code_version=stored.code_version,
        inputs=stored.inputs,
        counts=stored.counts,
    )
