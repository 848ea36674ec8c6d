"""A chat request for tests."""

from typing import Any

from graphrag_assets.gateways.chat import ChatRequest, Passage

PROMPT = "Which service keeps the berths"
PASSAGE = "Harbour keeps the berths of every quay."
SCHEMA = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"], "additionalProperties": False}


def chat_request(**changes: Any) -> ChatRequest:
    values: dict[str, Any] = {
        "role": "extract",
        "instructions": "Answer from the passages.",
        "question": PROMPT,
        "passages": (Passage("p1", PASSAGE),),
        "schema_name": "answer",
        "schema": SCHEMA,
    }
    return ChatRequest(**{**values, **changes})
