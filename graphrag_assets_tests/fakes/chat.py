"""Chat models that answer from a script."""

import threading
from collections.abc import Callable, Iterable

from typing_extensions import override

from graphrag_assets.gateways.chat import ChatModel, ChatModels, ChatReply, ChatRequest, FinishReason
from graphrag_assets.model.settings import ChatRole

Answer = str | ChatReply | Exception
MODEL = "scripted"


def chat_reply(text: str, finish_reason: FinishReason = "stop", *, input_tokens: int = 10, output_tokens: int = 5) -> ChatReply:
    """A reply of the scripted model."""
    return ChatReply(text, finish_reason, MODEL, input_tokens, output_tokens)


class ScriptedChat(ChatModel):
    """Gives its answers one after the other, or what a function says of each request; an exception is raised.

    Args:
        answers: In order, or a function of the request. A script that has run out fails the test.
        model: The name it goes by.

    ``requests`` holds every request, in the order in which they came.
    """

    def __init__(self, answers: Iterable[Answer] | Callable[[ChatRequest], Answer], *, model: str = MODEL) -> None:
        self.model = model
        self.requests: list[ChatRequest] = []
        self._answer = answers if callable(answers) else _in_order(answers)
        self._lock = threading.Lock()

    @override
    def complete(self, request: ChatRequest) -> ChatReply:
        with self._lock:
            self.requests.append(request)
            answer = self._answer(request)
        if isinstance(answer, Exception):
            raise answer
        return chat_reply(answer) if isinstance(answer, str) else answer


def _in_order(answers: Iterable[Answer]) -> Callable[[ChatRequest], Answer]:
    script = iter(tuple(answers))

    def answer(request: ChatRequest) -> Answer:
        for scripted in script:
            return scripted
        raise AssertionError(f"the script has no answer left for a request of the role {request.role!r}")

    return answer


class ScriptedChats(ChatModels):
    """One model for every role, or others for some of them."""

    def __init__(self, main: ChatModel, **by_role: ChatModel) -> None:
        self._main = main
        self._by_role = {role.replace("_", "-"): model for role, model in by_role.items()}

    @override
    def for_role(self, role: ChatRole) -> ChatModel:
        return self._by_role.get(role, self._main)
