"""What a reply must look like: a strict JSON schema made from the ontology, and the ontology in words for the prompt.

Strict structured output needs every object closed and every field required; what may be left out is nullable.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from graphrag_assets.extractions.ontology import Ontology
from graphrag_assets.model.extraction import DOCUMENT_END

SCHEMA_NAME: Final = "extraction"
Schema = Mapping[str, object]


def _object(properties: Mapping[str, object]) -> dict[str, object]:
    return {"type": "object", "properties": dict(properties), "required": list(properties), "additionalProperties": False}


def _text(*, nullable: bool = False) -> dict[str, object]:
    return {"type": ["string", "null"] if nullable else "string"}


def _list(items: Mapping[str, object]) -> dict[str, object]:
    return {"type": "array", "items": dict(items)}


def _one_of(values: Sequence[str]) -> dict[str, object]:
    return {"type": "string", "enum": list(values)}


def reply_schema(ontology: Ontology) -> Schema:
    """The JSON schema of one reply: things, facts, and quotes where the ontology has them."""
    thing = _object(
        {
            "name": _text(),
            "class": _one_of([c.name for c in ontology.classes]),
            "aliases": _list(_text()),
            "description": _text(nullable=True),
            "mentions": _list(_text()),
        }
    )
    fact = _object(
        {
            "source": _text(),
            "type": _one_of([fact.name for fact in ontology.facts]),
            "target": _text(),
            "role": _text(nullable=True),
            "kind": _text(nullable=True),
            "description": _text(nullable=True),
            "quote": _text(nullable=True),
        }
    )
    properties: dict[str, object] = {"things": _list(thing), "facts": _list(fact)}
    if ontology.quotes:
        quote = {
            "type": _one_of([q.name for q in ontology.quotes]),
            "speaker": _text(),
            "words": _text(),
            "addressee": _text(nullable=True),
        }
        properties["quotes"] = _list(_object(quote))
    return _object(properties)


def ontology_text(ontology: Ontology) -> str:
    """The ontology as the prompt states it: classes, facts with their allowed ends, quotes."""
    lines = ["Classes of things:"]
    lines += [f"- {c.name}: {c.description}" for c in ontology.classes]
    lines.append(f"Types of facts, with the classes allowed at their ends ({DOCUMENT_END} is the document itself):")
    for fact in ontology.facts:
        pairs = "; ".join(f"{source} -> {target}" for source, target in fact.pairs)
        payload = f" Fill in: {', '.join(fact.payload)}." if fact.payload else ""
        lines.append(f"- {fact.name}: {fact.description} ({pairs}){payload}")
    if ontology.quotes:
        lines.append("Types of quotes:")
        lines += [f"- {q.name}: {q.description} Spoken by: {', '.join(q.speakers)}." for q in ontology.quotes]
    return "\n".join(lines)
