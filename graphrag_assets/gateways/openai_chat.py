"""Chat completions of an OpenAI-compatible server. How a reply ended is decided before anyone reads its text."""

from typing import Any, Final

import openai
from pydantic import BaseModel, ValidationError
from typing_extensions import override

from graphrag_assets.gateways.chat import ChatModel, ChatReply, ChatRequest, FinishReason
from graphrag_assets.gateways.openai_client import error_names, translated
from graphrag_assets.gateways.retry import RetryPolicy
from graphrag_assets.gateways.token_estimates import estimated_input_tokens
from graphrag_assets.gateways.tokens import ByteTokenCounter
from graphrag_assets.model.errors import TransientError

_FAILED: Final = "extraction-failed"
_CONTENT_FILTER: Final = "content_filter"
_BAD_REQUEST: Final = 400
_NEW_BOUND_HOSTS: Final = (".openai.com", ".azure.com")


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    finish_reason: str | None = None
    message: _Message | None = None


class _OutputDetails(BaseModel):
    reasoning_tokens: int | None = None


class _Usage(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    completion_tokens_details: _OutputDetails | None = None


class _Completion(BaseModel):
    """What is read of an answer; compatible servers leave out and add at will."""

    model: str | None = None
    choices: list[_Choice] | None = None
    usage: _Usage | None = None


class _FilteredPrompt(_Completion):
    """What stands for the answer when the server refuses the prompt by its filter."""


class OpenAiChat(ChatModel):
    """One chat model of a server.

    Args:
        model: Its name there.
        client: Made by `open_client`.
        policy: Which failures are tried again, and the limiter shared with other lanes.
    """

    def __init__(self, model: str, client: openai.OpenAI, policy: RetryPolicy) -> None:
        self.model = model
        self._client = client
        self._policy = policy

    @override
    def complete(self, request: ChatRequest) -> ChatReply:
        completion, summary = self._policy.run(lambda: self._ask(request))
        text, reason, details = _ending(completion)
        usage = completion.usage or _Usage()
        if completion.model and completion.model != self.model:
            details["served_model"] = completion.model
        if usage.completion_tokens_details and usage.completion_tokens_details.reasoning_tokens:
            details["reasoning_tokens"] = str(usage.completion_tokens_details.reasoning_tokens)
        return ChatReply(
            text=text,
            finish_reason=reason,
            model=self.model,
            input_tokens=estimated_input_tokens(request) if usage.prompt_tokens is None else usage.prompt_tokens,
            output_tokens=ByteTokenCounter().count(text) if usage.completion_tokens is None else usage.completion_tokens,
            tokens_estimated=usage.prompt_tokens is None or usage.completion_tokens is None,
            retries=summary.retries,
            rate_limited=summary.rate_limited,
            waited_seconds=summary.waited_seconds,
            details=details,
        )

    def _ask(self, request: ChatRequest) -> _Completion:
        try:
            content = self._client.chat.completions.with_raw_response.create(**self._body(request)).content
        except openai.OpenAIError as error:
            if isinstance(error, openai.APIStatusError) and _is_filtered_prompt(error):
                return _FilteredPrompt(choices=[_Choice(finish_reason=_CONTENT_FILTER)])
            failure = translated(error, _FAILED)
        else:
            return _read(content)
        raise failure

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        bound = output_bound_name(self._client.base_url.host)
        body: dict[str, Any] = {"model": self.model, "messages": list(request.messages()), bound: request.max_output_tokens}
        if request.schema:
            schema = {"name": request.schema_name, "schema": dict(request.schema), "strict": request.strict}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return body


def output_bound_name(host: str) -> str:
    """What a server calls the bound on output: OpenAI's newer models refuse the old name, others may not know the new one."""
    return "max_completion_tokens" if f".{host}".endswith(_NEW_BOUND_HOSTS) else "max_tokens"


def _is_filtered_prompt(error: openai.APIStatusError) -> bool:
    return error.status_code == _BAD_REQUEST and _CONTENT_FILTER in error_names(error)


def _read(content: bytes) -> _Completion:
    try:
        completion = _Completion.model_validate_json(content)
    except ValidationError as error:
        problem = f"{len(content)} bytes that are no chat completion ({error.error_count()} errors)"
    else:
        if completion.choices:
            return completion
        problem = "no choices"
    # Raised here, not above: a validation error quotes the reply.
    raise TransientError(_FAILED, f"The model's server answered 200 with {problem}.", "Check OPENAI_BASE_URL and the model's name.")


def _ending(completion: _Completion) -> tuple[str, FinishReason, dict[str, str]]:
    """Text, how it ended, and details. The bound on output first: neither text nor its lack means anything after it."""
    choice = completion.choices[0] if completion.choices else _Choice()
    message = choice.message or _Message()
    text = message.content or ""
    if choice.finish_reason == "length":
        return text, "length", {}
    if message.refusal:
        return message.refusal, "refusal", {}
    if choice.finish_reason == _CONTENT_FILTER:
        return text, "content-filter", {"filtered": "prompt" if isinstance(completion, _FilteredPrompt) else "reply"}
    details = _unusual(choice.finish_reason)
    if not text.strip():
        return "", "empty", {**details, "empty": "no message" if choice.message is None else "no text"}
    return text, "stop", details


def _unusual(finish_reason: str | None) -> dict[str, str]:
    return {} if finish_reason in ("stop", None) else {"finish_reason": finish_reason}
