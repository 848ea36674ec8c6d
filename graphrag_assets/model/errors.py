"""The tree of errors that the package raises. Outcomes that a caller branches on are types, not errors.

    GraphragError
    ├── UsageError            the caller asked for something that cannot be done as asked
    │   └── SettingsError     settings.yaml or an environment variable is wrong
    ├── RefusedDocument       a document ends here by rule; a result, not retried
    └── FailedDocument        a document could not be finished this time; retried alone
        ├── TransientError    worth another try (rate limit, broken connection, timeout)
        └── QuotaExhausted    the provider takes no more requests; the run stops

Every error has a stable kebab-case ``code``, a message that says what was wrong with which value, and a ``remedy``.
"""

from typing import Final

REFUSAL_CODES: Final = (
    "unsupported-media-type",
    "invalid-utf8",
    "document-too-large",
    "empty-document",
    "duplicate-uri",
    "pdf-no-text",
    "pdf-encrypted",
    "pdf-page-unreadable",
    "pdf-unreadable",
    "position-not-recovered",
)
FAILURE_CODES: Final = (
    "read-failed",
    "lease-held",
    "lease-lost",
    "embedding-failed",
    "embedding-count",
    "embedding-dimensions",
    "invalid-embedding",
    "write-failed",
    "extraction-failed",
    "rate-limited",
    "quota-exhausted",
    "stage-failed",
)


class GraphragError(Exception):
    """Base of every error this package raises.

    Args:
        code: Stable kebab-case name, never renamed.
        message: What was wrong, with which value.
        remedy: What the reader can do about it; empty when nothing can be said.
    """

    def __init__(self, code: str, message: str, remedy: str = "") -> None:
        super().__init__(f"{message} {remedy}".strip())
        self.code = code
        self.message = message
        self.remedy = remedy

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.code, self.message, self.remedy))


class UsageError(GraphragError):
    """Something was asked for that cannot be done as asked."""


class SettingsError(UsageError):
    """A setting is unknown, out of bounds or contradicts another one. The message names its path."""


class RefusedDocument(GraphragError):
    """A document is refused by rule. ``code`` is one of `REFUSAL_CODES`."""


class FailedDocument(GraphragError):
    """A document could not be finished this time. ``code`` is one of `FAILURE_CODES`."""


class TransientError(FailedDocument):
    """A call failed in a way that another try may mend.

    Args:
        retry_after_seconds: The server's own hint, when it gave one.
    """

    def __init__(self, code: str, message: str, remedy: str = "", retry_after_seconds: float | None = None) -> None:
        super().__init__(code, message, remedy)
        self.retry_after_seconds = retry_after_seconds

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.code, self.message, self.remedy, self.retry_after_seconds))


class QuotaExhausted(FailedDocument):
    """The provider takes no more requests on this account: never retried, and the run starts no new document."""
