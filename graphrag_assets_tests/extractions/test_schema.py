"""What a reply must look like follows from the ontology alone."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from graphrag_assets.extractions.ontology import SHIPPED, load_ontology
from graphrag_assets.extractions.schema import ontology_text, reply_schema
from graphrag_assets.model.ids import canonical_json
from graphrag_assets_tests.extractions.passages import shipped


def objects(schema: Any, path: str = "$") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every object of a schema with its path, however deep."""
    if isinstance(schema, Mapping):
        if "object" in (schema.get("type") if isinstance(schema.get("type"), list) else [schema.get("type")]):
            yield path, schema
        for key, value in schema.items():
            yield from objects(value, f"{path}.{key}")


def schema_of(name: str) -> dict[str, Any]:
    return json.loads(json.dumps(reply_schema(shipped(name))))


def item(name: str, part: str) -> dict[str, Any]:
    return schema_of(name)["properties"][part]["items"]


@pytest.mark.parametrize("name", SHIPPED)
def test_every_object_is_closed(name: str) -> None:
    found = dict(objects(schema_of(name)))
    assert len(found) == (4 if shipped(name).quotes else 3)
    assert [path for path, part in found.items() if part.get("additionalProperties") is not False] == []


@pytest.mark.parametrize("name", SHIPPED)
def test_every_field_is_required(name: str) -> None:
    for path, part in objects(schema_of(name)):
        assert sorted(part["required"]) == sorted(part["properties"]), path


@pytest.mark.parametrize(
    ("part", "nullable"),
    [("things", {"description"}), ("facts", {"role", "kind", "description", "quote"}), ("quotes", {"addressee"})],
)
def test_what_may_be_left_out_is_nullable_and_nothing_else(part: str, nullable: set[str]) -> None:
    fields = item("novel", part)["properties"]
    assert {name for name, field in fields.items() if field["type"] == ["string", "null"]} == nullable
    assert all(field["type"] in ("string", "array") for name, field in fields.items() if name not in nullable)


@pytest.mark.parametrize("name", SHIPPED)
def test_classes_and_types_are_closed_lists_of_the_ontology(name: str) -> None:
    ontology = shipped(name)
    assert item(name, "things")["properties"]["class"]["enum"] == [c.name for c in ontology.classes]
    assert item(name, "facts")["properties"]["type"]["enum"] == [fact.name for fact in ontology.facts]


@pytest.mark.parametrize("name", SHIPPED)
def test_quotes_are_asked_for_only_where_the_ontology_has_them(name: str) -> None:
    quotes = [quote.name for quote in shipped(name).quotes]
    assert ("quotes" in schema_of(name)["properties"]) is bool(quotes)
    assert not quotes or item(name, "quotes")["properties"]["type"]["enum"] == quotes


@pytest.mark.parametrize("name", SHIPPED)
def test_the_same_ontology_gives_the_same_bytes(name: str) -> None:
    first, second = load_ontology(name, Path()), load_ontology(name, Path())
    assert first is not second
    assert json.dumps(reply_schema(first)) == json.dumps(reply_schema(second))
    assert ontology_text(first) == ontology_text(second)


def test_no_two_ontologies_give_the_same_schema() -> None:
    assert len({canonical_json(reply_schema(shipped(name))) for name in SHIPPED}) == len(SHIPPED)


@pytest.mark.parametrize("name", SHIPPED)
def test_the_prompt_names_every_class_fact_and_quote_with_what_it_means(name: str) -> None:
    ontology, text = shipped(name), ontology_text(shipped(name))
    assert [
        part.name for part in (*ontology.classes, *ontology.facts, *ontology.quotes) if f"- {part.name}: {part.description}" not in text
    ] == []


def test_the_prompt_says_which_ends_a_fact_may_have_and_what_to_fill_in() -> None:
    text = ontology_text(shipped("article"))
    line = next(line for line in text.splitlines() if line.startswith("- MEMBER_OF:"))
    assert "(Person -> Organization; Organization -> Organization)" in line
    assert "Fill in: role." in line
    assert "Fill in" not in next(line for line in text.splitlines() if line.startswith("- LOCATED_IN:"))
    assert "(Person -> Document; Organization -> Document)" in text


def test_the_prompt_says_who_may_speak() -> None:
    assert "Spoken by: Person, Organization." in ontology_text(shipped("article"))
