"""Chat models behind an ABC, one request in, one reply out; the text of documents is fenced in one place, here."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from graphrag_assets.model.ids import request_hash, sha256_hex
from graphrag_assets.model.settings import ChatRole

FinishReason = Literal["stop", "length", "refusal", "content-filter", "empty"]


@dataclass(frozen=True, slots=True)
class Passage:
    """Document text that a request is about. ``label`` is what a reply cites (a chunk id, or a short alias of it)."""

    label: str
    text: str
    heading: str = ""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request.

    Args:
        instructions: The system message; ours alone.
        question: What a person or a stage asks; never trusted as instructions.
        passages: Document text, sent inside fences it cannot close.
        schema_name: Name of the reply's schema.
        schema: JSON schema that a reply must keep.
        follow_up: What was wrong with an earlier reply, for the one more ask; empty at first.
    """

    role: ChatRole
    instructions: str
    question: str
    passages: tuple[Passage, ...]
    schema_name: str
    schema: Mapping[str, object]
    strict: bool = True
    max_output_tokens: int = 4_096
    follow_up: str = ""

    def messages(self) -> tuple[dict[str, str], ...]:
        """The messages as sent. A fence is derived from the passage, so no passage can hold its own fence."""
        parts = [self.question] if self.question else []
        parts += [_fenced(passage) for passage in self.passages]
        messages = [{"role": "system", "content": self.instructions}, {"role": "user", "content": "\n\n".join(parts)}]
        if self.follow_up:
            messages.append({"role": "user", "content": self.follow_up})
        return tuple(messages)

    def hash(self, model: str) -> str:
        """Request hash: model, messages, schema, strict flag and output bound; no document or chunk id by itself."""
        reply_format = [self.schema_name, dict(self.schema), self.strict, self.max_output_tokens]
        return request_hash("chat", [model, list(self.messages()), *reply_format])

    def prompt_hash(self) -> str:
        """Hash of the instructions and the schema alone."""
        return request_hash("prompt", [self.instructions, self.schema_name, dict(self.schema)])


def _fenced(passage: Passage) -> str:
    mark = sha256_hex(passage.text.encode())[:16]
    heading = f" under {json.dumps(passage.heading, ensure_ascii=False)}" if passage.heading else ""
    return f"PASSAGE {passage.label}{heading}, between the two marks {mark}:\n<<{mark}\n{passage.text}\n{mark}>>"


@dataclass(frozen=True, slots=True)
class ChatReply:
    """One reply as it came. ``finish_reason`` is looked at before ``text``."""

    text: str
    finish_reason: FinishReason
    model: str
    input_tokens: int
    output_tokens: int
    tokens_estimated: bool = False
    retries: int = 0
    rate_limited: int = 0
    waited_seconds: float = 0.0
    details: Mapping[str, str] = field(default_factory=dict)


class ChatModel(ABC):
    """Answers requests with one model. ``stand_in`` says that no real model is behind it."""

    model: str
    stand_in: bool = False

    @abstractmethod
    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request.

        Raises:
            FailedDocument: ``extraction-failed``, ``rate-limited``, ``quota-exhausted``.
        """


class ChatModels(ABC):
    """Which chat model plays which role."""

    @abstractmethod
    def for_role(self, role: ChatRole) -> ChatModel:
        """The model of a role."""
