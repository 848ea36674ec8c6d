"""Small extractions for tests: a document that names things and states facts between them, a mention for every occurrence."""

from dataclasses import replace

from graphrag_assets.model import ids
from graphrag_assets.model.corpus import ResolvedCorpus
from graphrag_assets.model.decisions import MergeDecision
from graphrag_assets.model.extraction import Extraction, Fact, Mention, Thing
from graphrag_assets.model.names import compared_name
from graphrag_assets.model.spans import ByteSpan
from graphrag_assets.resolution.resolve import resolve


def document(name: str) -> str:
    return ids.document_id(f"test:/{name}")


def chunk(document_name: str, number: int = 0) -> str:
    return ids.hashed("test-chunk", document_name, number)


def thing_id(name: str, kind: str = "Team") -> str:
    return ids.thing_id(kind, compared_name(name))


def thing(name: str, kind: str = "Team", *, aliases: tuple[str, ...] = (), description: str | None = None) -> Thing:
    return Thing(thing_id(name, kind), kind, name, aliases, description)


def placeholder(name: str, document_name: str, kind: str = "Team") -> Thing:
    return Thing(ids.placeholder_id(kind, chunk(document_name), 0, len(name)), kind, name, is_placeholder=True)


def fact(source: Thing, fact_type: str, target: Thing, document_name: str, *, number: int = 0) -> Fact:
    chunks = (chunk(document_name, number),)
    return Fact(ids.fact_id(source.thing_id, fact_type, target.thing_id), fact_type, source.thing_id, target.thing_id, chunks)


def about(document_name: str, target: Thing) -> Fact:
    """A fact whose source is the document itself."""
    stated = fact(target, "ABOUT", target, document_name)
    source = document(document_name)
    return replace(stated, fact_id=ids.fact_id(source, "ABOUT", target.thing_id), source_id=source, source_is_document=True)


def states(document_name: str, *things: Thing | tuple[Thing, int], facts: tuple[Fact, ...] = ()) -> Extraction:
    """An extraction; a thing beside a number is mentioned that many times, else once."""
    counted = [entry if isinstance(entry, tuple) else (entry, 1) for entry in things]
    mentions = [
        Mention(chunk(document_name), named.thing_id, ByteSpan(100 * position + number, 100 * position + number + 1), "x")
        for position, (named, count) in enumerate(counted)
        for number in range(count)
    ]
    return Extraction(document(document_name), "ontology", "extractor", tuple(named for named, _ in counted), facts, tuple(mentions))


def decision(identifier: str, kind: str, *thing_ids: str, **fields: object) -> MergeDecision:
    line = {"id": identifier, "time": "2026-01-01T00:00:00.000Z", "who": "a reviewer", "kind": kind, "thing_ids": thing_ids}
    return MergeDecision.model_validate({**line, **fields})


def read_aloud(source: str, fact_type: str, target: str) -> str:
    return f"{source} {fact_type} {target}"


def corpus_of(*extractions: Extraction, decisions: tuple[MergeDecision, ...] = ()) -> ResolvedCorpus:
    return resolve(extractions, decisions, phrases=read_aloud, documents={})
