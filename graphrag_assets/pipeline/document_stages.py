"""The stages of a document before the graph: loading, chunks, vectors, replies, extraction."""

from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any, Self

from typing_extensions import override

from graphrag_assets.extractions.extract import EXTRACTOR_VERSION, ask, build_extraction
from graphrag_assets.extractions.prompts import PROMPT_VERSION
from graphrag_assets.gateways.embedder import Embedder
from graphrag_assets.model.embedding_set import EmbeddingSet
from graphrag_assets.model.extraction import ExtractionReply
from graphrag_assets.model.outcomes import Usage
from graphrag_assets.pipeline.assets import DOCUMENTS, EXTRACTIONS, PLANS, REPLIES, chunk_vectors
from graphrag_assets.pipeline.basis import Basis, hash_of
from graphrag_assets.pipeline.stage import DocumentWork, Made, Stage
from graphrag_assets.plans.chunker import CHUNKER_VERSION
from graphrag_assets.plans.plan import chunker_fingerprint, plan_chunks
from graphrag_assets.sources.loaders import load, loader_version
from graphrag_assets.store.codecs import document_rows, extraction_rows, plan_rows, replies_from, reply_rows, vector_rows
from graphrag_assets.store.paid import reply_from_json, reply_json
from graphrag_assets.vectors.embed import VECTORS_VERSION, embed_texts, require_window, set_fingerprint

LOADING_VERSION = "1"


class DocumentsStage(Stage):
    """Loads the source's bytes."""

    asset = DOCUMENTS

    @override
    def basis(self, work: DocumentWork) -> Basis:
        limits = work.tools.settings.ingestion
        bounds = hash_of(limits.max_document_bytes, limits.pdf_max_file_bytes, limits.pdf_max_pages)
        settings = {
            "text": hash_of(work.entry.uri, work.entry.raw_hash, work.entry.refusal),
            "loader": hash_of(loader_version(work.entry.media_type)),
            "limits": bounds,
        }
        return Basis(self.asset, LOADING_VERSION, settings, {})

    @override
    def make(self, work: DocumentWork, basis: Basis) -> Made:
        document = load(work.entry, work.tools.settings.ingestion)
        counts: dict[str, int | float | str] = {"text_bytes": len(document.text), "media_type": document.media_type}
        if document.pages:
            counts |= {"pages": len(document.pages), "pages_without_text": len(document.pages_without_text)}
        if document.mended:
            counts["characters_mended"] = document.mended
        return Made(document_rows(document), document, counts=counts, limits=document.limits)


class PlansStage(Stage):
    """Cuts a document into sections and chunks."""

    asset = PLANS

    @override
    def basis(self, work: DocumentWork) -> Basis:
        settings = {"chunker": chunker_fingerprint(work.tools.settings.chunking)}
        return Basis(self.asset, CHUNKER_VERSION, settings, work.digests(DOCUMENTS))

    @override
    def make(self, work: DocumentWork, basis: Basis) -> Made:
        chunking = work.tools.settings.chunking
        plan = plan_chunks(work.document(), chunking, work.tools.models.token_counter(chunking.tokenizer))
        tokens = [chunk.token_count for chunk in plan.chunks]
        return Made(
            plan_rows(plan),
            plan,
            parts={"content_hash": plan.content_hash, "chunker_fingerprint": plan.chunker_fingerprint},
            counts={"chunks": len(plan.chunks), "sections": len(plan.sections), "longest_chunk_tokens": max(tokens, default=0)},
            sample=tuple(
                {"chunk": c.chunk_id[:12], "start": c.span.start, "end": c.span.end, "tokens": c.token_count} for c in plan.chunks
            ),
            limits=plan.limits,
        )


class VectorsStage(Stage):
    """Embeds a document's chunks under one set."""

    def __init__(self, embedding_set: EmbeddingSet, embedder: Embedder) -> None:
        self.asset = chunk_vectors(embedding_set.name)
        self._set = embedding_set
        self._embedder = embedder

    @override
    def basis(self, work: DocumentWork) -> Basis:
        settings = {"embedding set": set_fingerprint(self._set, self._embedder)}
        return Basis(self.asset, VECTORS_VERSION, settings, work.digests(PLANS))

    @override
    def make(self, work: DocumentWork, basis: Basis) -> Made:
        plan = work.plan()
        owners = [(chunk.chunk_id, chunk.text) for chunk in plan.chunks if not chunk.blank]
        require_window(self._set, self._embedder, max((c.token_count for c in plan.chunks), default=0))
        paid = _PaidVectors(work, self.asset, basis.settings["embedding set"])
        batch = work.tools.settings.ingestion.embedding_batch_size
        embedded = embed_texts(owners, self._set, self._embedder, batch_size=batch, find=paid.find, keep=paid.keep)
        table = embedded.table
        return Made(
            vector_rows(table),
            table,
            parts={"set": table.set_name, "model": table.model, "revision": table.revision, "dimensions": str(table.dimensions)},
            counts={"vectors": len(table.vectors), "dimensions": table.dimensions, "model": table.model},
            usage=embedded.usage,
            dimensions=table.dimensions,
        )

    @override
    def written(self, work: DocumentWork, made: Made) -> None:
        _PaidVectors(work, self.asset, self.basis(work).settings["embedding set"]).settle(row["text_hash"] for row in made.rows)


class _PaidVectors:
    """Where a document's vectors may be found again: in its own earlier artifact, in others', in the paid folder."""

    def __init__(self, work: DocumentWork, asset: str, fingerprint: str) -> None:
        self._work = work
        self._asset = asset
        self._fingerprint = fingerprint

    def _name(self, text: str) -> str:
        return hash_of("vector", self._fingerprint, text)

    def keep(self, text: str, vector: tuple[float, ...]) -> None:
        self._work.tools.paid.keep(self._name(text), {"vector": vector}, owner=self._work.key)

    def settle(self, texts: Any) -> None:
        texts = sorted(set(texts))
        self._work.tools.index.replace(self._asset, self._work.key, texts)
        self._work.tools.paid.release(self._name(text) for text in texts)

    def find(self, texts: Sequence[str]) -> Mapping[str, tuple[float, ...]]:
        found = self._of_document(self._work.key, texts)
        for text in texts:
            if text in found:
                continue
            kept = self._work.tools.paid.find(self._name(text))
            if kept is not None:
                found[text] = tuple(kept["vector"])
                continue
            for key in self._work.tools.index.holders(text, self._asset):
                if key != self._work.key:
                    found.update(self._of_document(key, texts))
                    break
        return found

    def _of_document(self, key: str, texts: Sequence[str]) -> dict[str, tuple[float, ...]]:
        provenance = self._work.tools.store.provenance(self._asset, key)
        if provenance is None or provenance.settings.get("embedding set") != self._fingerprint:
            return {}
        artifact = self._work.tools.store.read(self._asset, key)
        wanted = set(texts)
        rows = artifact.rows if artifact else ()
        return {row["text_hash"]: tuple(row["vector"]) for row in rows if row["text_hash"] in wanted}


class RepliesStage(Stage):
    """Asks the model about each chunk: the paid part."""

    asset = REPLIES

    @override
    def basis(self, work: DocumentWork) -> Basis:
        extraction = work.tools.settings.extraction
        settings = {
            "ontology": work.tools.ontology.fingerprint,
            "prompt": hash_of(extraction.strict_schema, extraction.retry_unreadable_replies, extraction.max_output_tokens),
            "model": hash_of(work.tools.models.chat.for_role("extract").model),
        }
        return Basis(self.asset, PROMPT_VERSION, settings, work.digests(PLANS))

    @override
    def make(self, work: DocumentWork, basis: Basis) -> Made:
        chat = work.tools.models.chat.for_role("extract")
        with _Paying(work, self._earlier(work), self._elsewhere) as paying:
            replies = ask(work.plan(), work.tools.ontology, work.tools.settings.extraction, chat, reuse=paying.reuse, on_paid=paying.keep)
        usage = reply_usage(replies)
        outcomes = {f"replies_{o}": sum(1 for r in replies if r.outcome == o) for o in sorted({r.outcome for r in replies} - {"read"})}
        counts = {"replies": len(replies), "model": chat.model, "repaired": sum(r.repaired and not r.reused for r in replies), **outcomes}
        return Made(reply_rows(replies), replies, counts=counts, usage=usage)

    @override
    def written(self, work: DocumentWork, made: Made) -> None:
        hashes = sorted({row["request_hash"] for row in made.rows})
        work.tools.index.replace(self.asset, work.key, hashes)
        work.tools.paid.release(hashes)

    def _earlier(self, work: DocumentWork) -> dict[str, ExtractionReply]:
        artifact = work.tools.store.read(self.asset, work.key)
        return {reply.request_hash: reply for reply in replies_from(artifact.rows)} if artifact else {}

    def _elsewhere(self, work: DocumentWork, request_hash: str) -> ExtractionReply | None:
        kept = work.tools.paid.find(request_hash)
        if kept is not None:
            return reply_from_json(kept)
        for key in work.tools.index.holders(request_hash, self.asset):
            artifact = work.tools.store.read(self.asset, key)
            for reply in replies_from(artifact.rows) if artifact else ():
                if reply.request_hash == request_hash:
                    return reply
        return None


class _Paying:
    """What a document asks for, one request at a time: found, or paid for while other lanes wait for the result."""

    def __init__(
        self,
        work: DocumentWork,
        earlier: Mapping[str, ExtractionReply],
        elsewhere: Callable[[DocumentWork, str], ExtractionReply | None],
    ) -> None:
        self._work = work
        self._earlier = earlier
        self._elsewhere = elsewhere
        self._held: Lock | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._let_go()

    def reuse(self, request_hash: str) -> ExtractionReply | None:
        """A reply that was paid for; without one, this lane holds the request until it is kept or failed."""
        if request_hash in self._earlier:
            return self._earlier[request_hash]
        self._held = self._work.tools.paying.of(request_hash)
        self._held.acquire()
        found = self._elsewhere(self._work, request_hash)
        if found is not None:
            self._let_go()
        return found

    def keep(self, reply: ExtractionReply) -> None:
        """Write a paid reply to disk, then let the others see it."""
        self._work.tools.paid.keep(reply.request_hash, reply_json(reply), owner=self._work.key)
        self._let_go()

    def _let_go(self) -> None:
        if self._held is not None:
            self._held.release()
            self._held = None


class ExtractionsStage(Stage):
    """Parses, prunes and grounds the replies: the free part."""

    asset = EXTRACTIONS

    @override
    def basis(self, work: DocumentWork) -> Basis:
        extraction = work.tools.settings.extraction
        settings = {
            "ontology": work.tools.ontology.fingerprint,
            "limits": hash_of(extraction.max_entities_per_chunk, extraction.max_relationships_per_chunk),
        }
        return Basis(self.asset, EXTRACTOR_VERSION, settings, work.digests(PLANS, REPLIES))

    @override
    def make(self, work: DocumentWork, basis: Basis) -> Made:
        extraction = build_extraction(work.document(), work.plan(), work.replies(), work.tools.ontology, work.tools.settings.extraction)
        reasons = sorted({item.reason for item in extraction.pruned})
        counts: dict[str, int | float | str] = {
            "things": len(extraction.things),
            "facts": len(extraction.facts),
            "mentions": len(extraction.mentions),
            "pruned": len(extraction.pruned),
            "quarantined": len(extraction.quarantined),
        }
        counts |= {f"pruned_{reason}": sum(1 for item in extraction.pruned if item.reason == reason) for reason in reasons}
        parts = {"ontology_fingerprint": extraction.ontology_fingerprint, "extractor_version": extraction.extractor_version}
        sample = tuple({"fact": f.fact_id[:12], "type": f.type, "chunks": len(f.chunk_ids)} for f in extraction.facts)
        return Made(extraction_rows(extraction), extraction, parts=parts, counts=counts, sample=sample)


def reply_usage(replies: Sequence[ExtractionReply]) -> Usage:
    """What a document's replies cost; reused ones cost nothing."""
    paid = [reply for reply in replies if not reply.reused]
    return Usage(
        chat_calls=sum(reply.attempts for reply in paid),
        reused=len(replies) - len(paid),
        input_tokens=sum(reply.input_tokens for reply in paid),
        output_tokens=sum(reply.output_tokens for reply in paid),
        retries=sum(reply.retries for reply in paid),
        rate_limited=sum(reply.rate_limited for reply in paid),
        waited_seconds=sum(reply.waited_seconds for reply in paid),
    )
