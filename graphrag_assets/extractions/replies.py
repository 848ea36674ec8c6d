"""Reading a reply: why it ended comes first, then JSON. What cannot be read is named, never mended by closing brackets."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from graphrag_assets.gateways.chat import ChatReply
from graphrag_assets.model.extraction import ReplyOutcome

_PARTS: Final = ("things", "facts", "quotes")
_OUTCOMES: Final[dict[str, ReplyOutcome]] = {
    "length": "truncated",
    "refusal": "refused",
    "content-filter": "filtered",
    "empty": "empty-reply",
}


@dataclass(frozen=True, slots=True)
class ReplyItems:
    """The lists of a reply that could be read; each item is still unchecked.

    ``unknown`` counts what stands beside these lists and is left out.
    """

    things: tuple[object, ...] = ()
    facts: tuple[object, ...] = ()
    quotes: tuple[object, ...] = ()
    unknown: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A reply that could not be read, with what was wrong."""

    problem: str


def outcome_of(reply: ChatReply) -> tuple[ReplyOutcome, str]:
    """How a reply is to be taken, and what was wrong with one that cannot be read."""
    if reply.finish_reason in _OUTCOMES:
        return _OUTCOMES[reply.finish_reason], reply.finish_reason
    if not reply.text.strip():
        return "empty-reply", "it was empty"
    items = read_items(reply.text)
    return ("unreadable-reply", items.problem) if isinstance(items, Unreadable) else ("read", "")


def read_items(text: str) -> ReplyItems | Unreadable:
    """The items of a reply's text: JSON, also inside a fence or after a sentence."""
    value = _json_object(text)
    if isinstance(value, Unreadable):
        return value
    missing = [part for part in ("things", "facts") if not isinstance(value.get(part), list)]
    if missing:
        return Unreadable(f"the list {missing[0]!r} is missing")
    found = {part: value.get(part) for part in _PARTS}
    lists = {part: tuple(items) for part, items in found.items() if isinstance(items, list)}
    return ReplyItems(**lists, unknown=sum(1 for key in value if key not in _PARTS))


def without_surrogates(text: str) -> str:
    """Text that UTF-8 can hold: a model may write half of a surrogate pair, and nothing after this could store it."""
    return text.encode(errors="replace").decode()


def _json_object(text: str) -> Mapping[str, Any] | Unreadable:
    problem = "it is not JSON"
    for candidate in _candidates(text):
        try:
            value = json.loads(candidate, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            problem = f"it is not JSON ({error})" if isinstance(error, json.JSONDecodeError) else problem
            continue
        if isinstance(value, dict):
            return value
        problem = "it is no JSON object"
    return Unreadable(problem)


def _candidates(text: str) -> list[str]:
    """The text itself, what its fence holds, and what stands between its first and last brace."""
    stripped = text.strip()
    found = [stripped]
    if "```" in stripped:
        inside = stripped.split("```")[1]
        found.append(inside.removeprefix("json").strip())
    first, last = stripped.find("{"), stripped.rfind("}")
    if 0 <= first < last:
        found.append(stripped[first : last + 1])
    return found


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")
