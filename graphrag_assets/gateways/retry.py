"""Tries after the first, for calls that another try may mend. The only place that retries a model call."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from graphrag_assets.gateways.clock import Clock
from graphrag_assets.gateways.rate_limiter import RateLimiter
from graphrag_assets.model.errors import FailedDocument, TransientError
from graphrag_assets.model.settings import RetrySettings

RATE_LIMITED: Final = "rate-limited"
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class RetrySummary:
    """What retrying cost.

    Args:
        retries: Tries after the first.
        rate_limited: Of these, tries that answered a rate limit.
        waited_seconds: Before retries, and for the turn of a request, also when another lane's rate limit held it.
    """

    retries: int = 0
    rate_limited: int = 0
    waited_seconds: float = 0.0

    def __add__(self, other: "RetrySummary") -> "RetrySummary":
        return RetrySummary(
            self.retries + other.retries, self.rate_limited + other.rate_limited, self.waited_seconds + other.waited_seconds
        )


class RetriesExhausted(FailedDocument):
    """A call still failed after its last try. It is no `TransientError` any more, so that no outer layer tries again.

    ``code`` is the last failure's, so ``rate-limited`` when that was a rate limit.

    Args:
        summary: What was spent on it.
    """

    def __init__(self, code: str, message: str, remedy: str = "", summary: RetrySummary = RetrySummary()) -> None:
        super().__init__(code, message, remedy)
        self.summary = summary

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.code, self.message, self.remedy, self.summary))


def call_with_retries(
    call: Callable[[], Result],
    settings: RetrySettings,
    *,
    clock: Clock,
    draw: Callable[[], float],
    limiter: RateLimiter | None = None,
) -> tuple[Result, RetrySummary]:
    """Make a call, again after failures that may pass.

    The first wait doubles from try to try and is lengthened by a drawn share, up to the longest wait. A hint of the server
    takes its place; a hint longer than the longest wait ends the call at once. After a rate limit every lane of the
    limiter waits; after another failure this one alone.

    Args:
        call: One try. Only its `TransientError` is tried again.
        settings: How many tries, and how long the waits.
        clock: Waits after failures that are no rate limit.
        draw: A number from 0 to 1, for the jitter.
        limiter: Shared by all lanes of a provider; one for this call alone when not given.

    Raises:
        RetriesExhausted: The last try failed too, or the server asks for too long a wait.
    """
    turns = limiter or RateLimiter(clock)
    summary = RetrySummary()
    while True:
        summary += RetrySummary(waited_seconds=turns.wait_turn())
        try:
            return call(), summary
        except TransientError as error:
            failure = error
        wait = _wait_after(failure, settings, summary.retries, draw=draw)
        limited = failure.code == RATE_LIMITED
        if limited and wait <= settings.longest_wait_seconds:
            # Before giving up too: the limit is the provider's, not this call's.
            turns.hold(wait)
        _end_when_exhausted(failure, wait, settings, summary=summary)
        if not limited:
            clock.sleep(wait)
        summary += RetrySummary(1, 1 if limited else 0, 0.0 if limited else wait)


def _wait_after(failure: TransientError, settings: RetrySettings, retries: int, *, draw: Callable[[], float]) -> float:
    if failure.retry_after_seconds is not None:
        return failure.retry_after_seconds
    doubled = settings.first_wait_seconds * 2**retries
    return min(doubled * (1.0 + settings.jitter * draw()), settings.longest_wait_seconds)


def _end_when_exhausted(failure: TransientError, wait: float, settings: RetrySettings, *, summary: RetrySummary) -> None:
    if wait > settings.longest_wait_seconds:
        reason = f"The server asks for a wait of {wait:g} s, the longest wait is {settings.longest_wait_seconds:g} s."
    elif summary.retries >= settings.retries:
        reason = f"Tries made: {summary.retries + 1}."
    else:
        return
    raise RetriesExhausted(failure.code, f"{failure.message} {reason}", failure.remedy, summary) from failure


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Retry settings with everything that a call needs to keep them."""

    settings: RetrySettings
    clock: Clock
    limiter: RateLimiter
    draw: Callable[[], float] = random.random

    def run(self, call: Callable[[], Result]) -> tuple[Result, RetrySummary]:
        """Make a call under this policy; see `call_with_retries`."""
        return call_with_retries(call, self.settings, clock=self.clock, draw=self.draw, limiter=self.limiter)

    def without_retries(self) -> "RetryPolicy":
        """The policy of questions: a person is waiting, so one try; turns are kept all the same."""
        return replace(self, settings=self.settings.model_copy(update={"retries": 0}))
