"""A small ontology, a document out of one text, and replies about it, for tests of what a reply may put into the graph."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from graphrag_assets.extractions.extract import ask, build_extraction
from graphrag_assets.extractions.ontology import Ontology, parse_ontology
from graphrag_assets.model.extraction import Extraction
from graphrag_assets.model.settings import ExtractionSettings
from graphrag_assets.model.spans import ByteSpan
from graphrag_assets_tests.builders.corpus import loaded, planned
from graphrag_assets_tests.fakes.chat import ScriptedChat

MILLS = parse_ontology(
    """
name: mills
classes:
  Person: {description: A named person.}
  Company: {description: A company.}
facts:
  WORKS_AT: {pairs: [[Person, Company]], payload: [role], phrase: works at, description: Employment.}
  KNOWS: {pairs: [[Person, Person]], phrase: knows, description: Acquaintance.}
  ABOUT: {pairs: [[Document, Person], [Document, Company]], phrase: is about, description: The subject.}
quotes:
  SAYS: {speakers: [Person], addressee: true, description: Words said.}
placeholders: [she, he, it, the man]
""",
    "mills.yaml",
)
SETTINGS = ExtractionSettings()


def thing(name: str, kind: str = "Person", **more: Any) -> dict[str, Any]:
    """A thing as a reply lists it, mentioned by its name."""
    return {"name": name, "class": kind, "aliases": [], "description": None, "mentions": [name], **more}


def fact(source: str, kind: str, target: str, **more: Any) -> dict[str, Any]:
    """A fact as a reply lists it."""
    return {"source": source, "type": kind, "target": target, "role": None, "kind": None, "description": None, "quote": None, **more}


def reply(things: Sequence[Any] = (), facts: Sequence[Any] = (), quotes: Sequence[Any] = (), **more: Any) -> str:
    """The text of a reply."""
    return json.dumps({"things": list(things), "facts": list(facts), "quotes": list(quotes), **more})


def extracted(
    text: str, *replies: str, ontology: Ontology = MILLS, settings: ExtractionSettings = SETTINGS, name: str = "mills.md"
) -> Extraction:
    """What a document of this text states when a model answers like this; each line of the text is a chunk."""
    document = loaded(name, text)
    plan = planned(document)
    paid = ask(plan, ontology, settings, ScriptedChat(replies), reuse=lambda _: None, on_paid=lambda _: None)
    return build_extraction(document, plan, paid, ontology, settings)


def whole(text: str, answer: str, *, ontology: Ontology = MILLS, settings: ExtractionSettings = SETTINGS) -> Extraction:
    """What a document states whose only chunk is the whole text."""
    document = loaded("mills.md", text)
    lines = planned(document)
    chunk = replace(lines.chunks[0], span=ByteSpan(0, len(document.text)), text=text)
    plan = replace(lines, sections=(), chunks=(chunk,))
    paid = ask(plan, ontology, settings, ScriptedChat([answer]), reuse=lambda _: None, on_paid=lambda _: None)
    return build_extraction(document, plan, paid, ontology, settings)


def names(extraction: Extraction) -> list[tuple[str, str]]:
    """Class and name of every thing, sorted."""
    return sorted((thing.kind, thing.name) for thing in extraction.things)


def stated(extraction: Extraction) -> list[tuple[str, str, str]]:
    """Facts by the names of their ends, sorted."""
    by_id = {thing.thing_id: thing.name for thing in extraction.things} | {extraction.document_id: "Document"}
    return sorted((by_id[f.source_id], f.type, by_id[f.target_id]) for f in extraction.facts)


def reasons(extraction: Extraction) -> list[tuple[str, str]]:
    """Item and reason of everything pruned, in order."""
    return [(pruned.item, pruned.reason) for pruned in extraction.pruned]
