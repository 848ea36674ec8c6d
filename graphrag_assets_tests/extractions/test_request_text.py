"""A request holds the passage, unchanged and fenced, and nothing that says where it comes from."""

import json
from dataclasses import replace
from typing import Any

import pytest

from graphrag_assets.extractions.prompts import extraction_request, second_ask, sendable
from graphrag_assets.extractions.schema import ontology_text, reply_schema
from graphrag_assets.model.settings import ExtractionSettings
from graphrag_assets_tests.builders.corpus import loaded, planned
from graphrag_assets_tests.extractions.mills import MILLS, SETTINGS
from graphrag_assets_tests.gateways.case_files import CASES


def _sent(text: str, context: str = "") -> str:
    chunk = replace(planned(loaded("a.md", "Any.")).chunks[0], text=text, context=context)
    return json.dumps(extraction_request(chunk, MILLS, SETTINGS).messages(), ensure_ascii=False)


def test_equal_passages_of_two_documents_are_one_request() -> None:
    one, two = (planned(loaded(name, "Mara Lind works.\n")).chunks[0] for name in ("a.md", "b.md"))
    assert one.chunk_id != two.chunk_id
    assert extraction_request(one, MILLS, SETTINGS) == extraction_request(two, MILLS, SETTINGS)


def test_no_id_of_a_document_or_chunk_is_sent() -> None:
    document = loaded("secret-name.md", "Mara Lind works.")
    chunk = planned(document).chunks[0]
    sent = json.dumps([extraction_request(chunk, MILLS, SETTINGS).messages(), reply_schema(MILLS)])
    for hidden in (chunk.chunk_id, document.document_id, document.content_hash, "secret-name"):
        assert hidden not in sent


@pytest.mark.parametrize(
    "change",
    [{"text": "Mara Lind rests."}, {"context": "Weaving > Mills"}],
    ids=["text", "heading"],
)
def test_another_text_or_heading_is_another_request(change: dict[str, str]) -> None:
    chunk = planned(loaded("a.md", "Mara Lind works.")).chunks[0]
    one, two = (extraction_request(c, MILLS, SETTINGS).hash("m") for c in (chunk, replace(chunk, **change)))
    assert one != two


def test_text_that_gives_orders_and_template_fields_arrives_unchanged_inside_a_fence_it_cannot_close() -> None:
    text = (CASES / "b15_injection.md").read_text(encoding="utf-8")
    chunk = replace(planned(loaded("a.md", text)).chunks[0], text=text)
    message = extraction_request(chunk, MILLS, SETTINGS).messages()[1]["content"]
    mark = message.split("\n")[1].removeprefix("<<")
    assert message.split(f"<<{mark}\n")[1] == f"{text}\n{mark}>>"
    assert mark not in text


def test_no_prompt_holds_a_control_character() -> None:
    text = (CASES / "b17_control_chars.txt").read_bytes().decode()
    assert [c for c in _sent(text, context=text) if c < " " or "\x7f" <= c < "\xa0"] == []
    assert "Alpha Beta works at Orrin Mills. Page two" in sendable(text)


def test_the_second_ask_repeats_the_request_and_says_what_was_wrong() -> None:
    request = extraction_request(planned(loaded("a.md", "Mara Lind.")).chunks[0], MILLS, SETTINGS)
    again = second_ask(request, "the list 'things' is missing")
    assert again.messages()[:2] == request.messages()
    assert "the list 'things' is missing" in again.messages()[2]["content"]
    assert replace(again, follow_up="") == request


def test_settings_reach_the_request() -> None:
    settings = ExtractionSettings(strict_schema=False, max_output_tokens=99)
    request = extraction_request(planned(loaded("a.md", "Mara Lind.")).chunks[0], MILLS, settings)
    assert (request.strict, request.max_output_tokens, request.role) == (False, 99, "extract")


def _objects(schema: Any) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [found for part in schema for found in _objects(part)]
    if not isinstance(schema, dict):
        return []
    own = [schema] if schema.get("type") == "object" else []
    return own + [found for part in schema.values() for found in _objects(part)]


def test_every_object_of_the_schema_is_closed_and_all_its_fields_are_required() -> None:
    objects = _objects(reply_schema(MILLS))
    assert len(objects) == 4
    for found in objects:
        assert found["additionalProperties"] is False
        assert found["required"] == list(found["properties"])


def test_the_schema_and_the_prompt_know_exactly_the_names_of_the_ontology() -> None:
    schema = json.loads(json.dumps(reply_schema(MILLS)))["properties"]
    assert schema["things"]["items"]["properties"]["class"]["enum"] == ["Person", "Company"]
    assert schema["facts"]["items"]["properties"]["type"]["enum"] == ["WORKS_AT", "KNOWS", "ABOUT"]
    assert schema["quotes"]["items"]["properties"]["type"]["enum"] == ["SAYS"]
    for words in ("Person", "WORKS_AT", "Person -> Company", "Document -> Person", "SAYS", "Spoken by: Person"):
        assert words in ontology_text(MILLS)
