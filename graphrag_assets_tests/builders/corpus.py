"""Documents, plans and extractions out of a few lines of text, for tests that need a whole document but not its making.

A line is a chunk; ``# title`` starts a section. In a line, ``Kind:Name`` names a thing, ``[Kind:Name TYPE Kind:Name]``
states a fact, and ``Kind:Name SAYS "words"`` speaks. Names are of letters and digits; ``_`` stands for a space.
"""

import re
from collections.abc import Sequence

from graphrag_assets.graph.document import DocumentContent
from graphrag_assets.graph.layout import GraphVocabulary
from graphrag_assets.model.documents import DocumentMetadata, LoadedDocument
from graphrag_assets.model.extraction import Extraction, Fact, Mention, SpokenQuote, Thing
from graphrag_assets.model.ids import (
    chunk_id,
    document_id,
    fact_id,
    mention_key,
    partition_key,
    quote_key,
    section_id,
    sha256_hex,
    thing_id,
)
from graphrag_assets.model.names import compared_name
from graphrag_assets.model.plans import Chunk, ChunkPlan, Section
from graphrag_assets.model.provenance import RunInfo
from graphrag_assets.model.spans import ByteSpan
from graphrag_assets.model.vectors import TextVector, VectorTable

VOCABULARY = GraphVocabulary(
    kinds=("Person", "Place", "Service", "Team"), facts=("DEPENDS_ON", "LOCATED_IN", "MEMBER_OF", "OWNS", "WORKS_AT"), quotes=("SAYS",)
)
RUN = RunInfo(run_id="run-1", runner="api", started="2026-01-01T00:00:00.000Z")

_THING = re.compile(r"([A-Z][a-z]+):([\w.]+)")
_FACT = re.compile(r"\[([A-Z][a-z]+):([\w.]+) ([A-Z_]+) ([A-Z][a-z]+):([\w.]+)\]")
_SAID = re.compile(r'([A-Z][a-z]+):([\w.]+) SAYS "([^"]+)"')


def run_named(run_id: str) -> RunInfo:
    """A run of that id."""
    return RUN.model_copy(update={"run_id": run_id})


def thing(kind: str, name: str) -> str:
    """The id of a thing by class and name."""
    return thing_id(kind, compared_name(name.replace("_", " ")))


def loaded(name: str, text: str) -> LoadedDocument:
    """A document of the source ``docs``."""
    content = text.encode()
    uri = f"docs:/{name}"
    return LoadedDocument(
        uri=uri,
        document_id=document_id(uri),
        key=partition_key(name, document_id(uri)),
        media_type="text/markdown",
        text=content,
        content_hash=sha256_hex(content),
        loader="text/1",
        metadata=DocumentMetadata(title=name),
    )


def planned(document: LoadedDocument, chunker: str = "lines/1") -> ChunkPlan:
    """A chunk a line, line end included; a section a heading line, flat."""
    sections: list[Section] = []
    chunks: list[Chunk] = []
    offset = 0
    for line in document.text.splitlines(keepends=True):
        span = ByteSpan(offset, offset + len(line))
        text = line.decode()
        if text.startswith("# "):
            key = section_id(document.document_id, document.content_hash, chunker, len(sections), span.start, len(document.text))
            sections.append(Section(key, len(sections), 1, text[2:].strip(), ByteSpan(span.start, len(document.text))))
        key = chunk_id(document.document_id, document.content_hash, chunker, span.start, span.end)
        order = len(sections) - 1 if sections else None
        chunks.append(Chunk(key, len(chunks), span, text, order, max(1, len(line) // 4), blank=not text.strip()))
        offset = span.end
    return ChunkPlan(document.document_id, document.content_hash, chunker, tuple(sections), tuple(chunks))


def extracted(document: LoadedDocument, plan: ChunkPlan, *, extractor: str = "pattern/1") -> Extraction:
    """What the patterns of this module find in the chunks."""
    things: dict[str, Thing] = {}
    mentions: dict[str, Mention] = {}
    quotes: list[SpokenQuote] = []
    facts: dict[str, Fact] = {}
    for chunk in plan.chunks:
        for found in _THING.finditer(chunk.text):
            key = thing(found[1], found[2])
            things.setdefault(key, Thing(key, found[1], found[2].replace("_", " ")))
            span = _span(chunk, found)
            mentions[mention_key(chunk.chunk_id, span.start, key)] = Mention(chunk.chunk_id, key, span, found[0])
        for found in _SAID.finditer(chunk.text):
            span, speaker = _span(chunk, found), thing(found[1], found[2])
            key = quote_key(chunk.chunk_id, span.start, speaker)
            quotes.append(SpokenQuote(key, "SAYS", chunk.chunk_id, speaker, span, found[3]))
        for found in _FACT.finditer(chunk.text):
            source, target = thing(found[1], found[2]), thing(found[4], found[5])
            key = fact_id(source, found[3], target)
            chunks = {chunk.chunk_id, *(facts[key].chunk_ids if key in facts else ())}
            facts[key] = Fact(key, found[3], source, target, tuple(sorted(chunks)))
    return Extraction(
        document_id=document.document_id,
        ontology_fingerprint="ontology-1",
        extractor_version=extractor,
        things=tuple(things[key] for key in sorted(things)),
        facts=tuple(facts[key] for key in sorted(facts)),
        mentions=tuple(mentions.values()),
        quotes=tuple(quotes),
    )


def _span(chunk: Chunk, found: re.Match[str]) -> ByteSpan:
    start = len(chunk.text[: found.start()].encode())
    return ByteSpan(start, start + len(found[0].encode())).shifted(chunk.span.start)


def content(name: str, text: str, *, chunker: str = "lines/1", extractor: str = "pattern/1", fingerprint: str = "") -> DocumentContent:
    """All that the graph is to hold of a document of that name and text."""
    document = loaded(name, text)
    plan = planned(document, chunker)
    extraction = extracted(document, plan, extractor=extractor)
    return DocumentContent(document, plan, extraction, fingerprint or sha256_hex(f"{document.content_hash}{chunker}{extractor}".encode()))


def table(set_name: str, owners: Sequence[tuple[str, str]], dimensions: int = 4, model: str = "fake") -> VectorTable:
    """Vectors made from the texts' hashes; ``owners`` are ids and texts."""
    return VectorTable(set_name, model, "1", dimensions, tuple(_vector(owner, text, dimensions, model) for owner, text in owners))


def chunk_table(written: DocumentContent, set_name: str = "tiny", dimensions: int = 4, model: str = "fake") -> VectorTable:
    """Vectors for all chunks of a document that are not blank."""
    return table(set_name, [(c.chunk_id, c.text) for c in written.plan.chunks if not c.blank], dimensions, model)


def _vector(owner: str, text: str, dimensions: int, model: str) -> TextVector:
    digest = sha256_hex(f"{model}{text}".encode())
    numbers = [int(digest[2 * i % 64 : 2 * i % 64 + 2], 16) + 1.0 for i in range(dimensions)]
    length = sum(n * n for n in numbers) ** 0.5
    return TextVector(owner, sha256_hex(text.encode()), tuple(n / length for n in numbers))
