"""The request for an answer."""

import json
from pathlib import Path
from typing import Any

from graphrag_assets.answers.prompts import SCHEMA, answer_request, heading_of
from graphrag_assets.gateways.chat import ChatRequest
from graphrag_assets.model.evidence import ContextItem, Evidence, EvidenceReceipt
from graphrag_assets.model.settings import AnswerSettings
from graphrag_assets_tests.retrieval.evidence_items import item

INJECTION = Path(__file__).parents[1].joinpath("cases", "b15_injection.md").read_text(encoding="utf-8")


def evidence(question: str = "Who works at Orrin Mills?", text: str = INJECTION) -> Evidence:
    context = (ContextItem("Mara Lind works for Orrin Mills", "graph-fact"), ContextItem("What stands after.", "neighbour-after", "c2"))
    receipt = EvidenceReceipt("hybrid", "1", "tiny", (), 0, 0)
    return Evidence(question, (item("c1", text, title="Loom manual"),), context, 0, (), receipt)


def request() -> ChatRequest:
    return answer_request(evidence(), AnswerSettings(max_output_tokens=99))


def test_passages_carry_their_exact_ids_and_context_can_never_be_cited() -> None:
    labels = [passage.label for passage in request().passages]
    assert labels == ["c1", "context-1", "context-2"]
    assert [passage.heading for passage in request().passages] == [
        "Loom manual",
        "graph-fact: to read, never to cite",
        "neighbour-after: to read, never to cite",
    ]


def test_the_role_the_bound_and_the_question_are_those_given() -> None:
    assert (request().role, request().max_output_tokens, request().question, request().strict) == (
        "answer",
        99,
        "Who works at Orrin Mills?",
        True,
    )


def test_text_that_speaks_to_the_model_stays_inside_a_fence_it_cannot_close() -> None:
    system, user = (message["content"] for message in request().messages())
    assert "drop the schema" not in system
    opened = user.index("<<") + 2
    mark = user[opened : opened + 16]
    inside = user[opened + 17 : user.index(f"\n{mark}>>")]
    assert inside == INJECTION
    assert mark not in INJECTION


def test_braces_and_percent_signs_are_no_template() -> None:
    assert "{name} {0} {{x}}" in request().messages()[1]["content"]
    assert answer_request(evidence(question="{0} %s {name}"), AnswerSettings()).messages()[1]["content"].startswith("{0} %s {name}")


def test_every_object_of_the_schema_is_closed_and_lists_all_its_fields() -> None:
    def objects(schema: object) -> list[dict[str, Any]]:
        if isinstance(schema, dict):
            return [
                *([schema] if schema.get("type") == "object" else []),
                *(found for value in schema.values() for found in objects(value)),
            ]
        return []

    found = objects(SCHEMA)
    assert len(found) == 3
    assert all(one["additionalProperties"] is False and one["required"] == [*one["properties"]] for one in found)
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA


def test_equal_evidence_gives_an_equal_request() -> None:
    assert request().hash("m") == request().hash("m")


def test_a_title_is_not_said_twice() -> None:
    assert heading_of("Harbour", "Harbour > Running it") == "Harbour > Running it"
    assert heading_of("Manual", "Running it") == "Manual > Running it"
    assert heading_of(None, "Running it") == "Running it"
    assert heading_of("Manual", "") == "Manual"
