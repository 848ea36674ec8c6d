"""The client of an OpenAI-compatible server, and its errors in our words: never with a key, a prompt or a reply in them."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final, cast

import openai

from graphrag_assets.model.errors import FailedDocument, QuotaExhausted, TransientError

_QUOTA_CODES: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_PAYMENT_REQUIRED: Final = 402
_REQUEST_TIMEOUT: Final = 408
_TOO_MANY_REQUESTS: Final = 429
_SERVER_ERRORS: Final = 500
_SAFE_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
_REMEDIES: Final = {
    400: "The server refuses this request: check the model's name, and whether it can keep a JSON schema.",
    401: "Check OPENAI_API_KEY.",
    403: "Check what OPENAI_API_KEY may do.",
    404: "Check the model's name in the settings, and OPENAI_BASE_URL.",
    413: "Lower the size of chunks or of a batch in the settings.",
    422: "The server refuses this request: check the model's name, and whether it can keep a JSON schema.",
}


def open_client(api_key: str, base_url: str, *, timeout_seconds: float = 120.0) -> openai.OpenAI:
    """A client that never retries by itself, so that tries are counted and limited in one place."""
    return openai.OpenAI(api_key=api_key, base_url=base_url, timeout=timeout_seconds, max_retries=0)


def error_names(error: openai.APIStatusError) -> tuple[str, ...]:
    """The error's ``code`` and ``type`` as the server names them, where they are plain names."""
    body = cast("Mapping[str, object]", error.body) if isinstance(error.body, Mapping) else {}
    names = [body.get(key) for key in ("code", "type")]
    return tuple(name for name in names if isinstance(name, str) and _SAFE_NAME.fullmatch(name))


def translated(error: openai.OpenAIError, code: str) -> FailedDocument:
    """The failure that a client's error means.

    Raise it outside of the ``except`` block, so that it does not carry the client's error along: that one's text may hold
    the prompt or the key, and tracebacks are stored.

    Args:
        error: What the client raised.
        code: The code of a failure that has none of its own.
    """
    if isinstance(error, openai.APIStatusError):
        return _of_status(error, code)
    if isinstance(error, openai.APITimeoutError):
        return TransientError(
            code, "The model's server gave no answer within the time limit.", "Raise models.timeout_seconds if it is slow."
        )
    if isinstance(error, openai.APIConnectionError):
        cause = type(error.__cause__).__name__ if error.__cause__ is not None else "unknown cause"
        return TransientError(code, f"The connection to the model's server broke ({cause}).", "Check OPENAI_BASE_URL and the network.")
    return FailedDocument(code, f"The model's client failed ({type(error).__name__}).")


def _of_status(error: openai.APIStatusError, code: str) -> FailedDocument:
    status, names = error.status_code, error_names(error)
    message = f"The model's server answered {status}{f' ({names[0]})' if names else ''}."
    if status == _PAYMENT_REQUIRED or (status == _TOO_MANY_REQUESTS and not _QUOTA_CODES.isdisjoint(names)):
        return QuotaExhausted("quota-exhausted", message, "The account takes no more requests: check its plan and billing, then run again.")
    if status == _TOO_MANY_REQUESTS:
        hint = retry_hint(error.response.headers)
        return TransientError("rate-limited", message, "Lower ingestion.lanes or models.requests_per_minute.", hint)
    if status == _REQUEST_TIMEOUT or status >= _SERVER_ERRORS:
        return TransientError(code, message, "Run again later.", retry_hint(error.response.headers))
    return FailedDocument(code, message, _REMEDIES.get(status, ""))


def retry_hint(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait: ``retry-after-ms``, or ``retry-after`` in seconds or as a date.

    A date is counted from the answer's own ``date``, so that a wrong clock here does no harm. A hint of no wait, or one
    that cannot be read, is None.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return _positive(milliseconds / 1_000)
    after = headers.get("retry-after")
    seconds = _number(after)
    if seconds is not None:
        return _positive(seconds)
    until, now = _date(after), _date(headers.get("date"))
    return _positive((until - now).total_seconds()) if until and now else None


def _positive(seconds: float) -> float | None:
    return seconds if 0.0 < seconds < float("inf") else None


def _number(value: str | None) -> float | None:
    try:
        return float(value) if value else None
    except ValueError:
        return None


def _date(value: str | None) -> datetime | None:
    try:
        date = parsedate_to_datetime(value) if value else None
    except ValueError:
        return None
    # Dates of HTTP are in UTC, whether they say so or not.
    return date.replace(tzinfo=UTC) if date is not None and date.tzinfo is None else date
