import pickle
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_assets.gateways.rate_limiter import RateLimiter
from graphrag_assets.gateways.retry import RetriesExhausted, RetryPolicy, RetrySummary, call_with_retries
from graphrag_assets.model.errors import FailedDocument, QuotaExhausted, TransientError
from graphrag_assets.model.settings import RetrySettings
from graphrag_assets_tests.fakes.clock import FakeClock

SETTINGS = RetrySettings()


def no_jitter() -> float:
    return 0.0


def rate_limit(hint: float | None = None) -> TransientError:
    return TransientError("rate-limited", "429.", "Slow down.", hint)


def broken() -> TransientError:
    return TransientError("extraction-failed", "The connection broke.")


def scripted(*answers: object) -> tuple[Callable[[], object], list[int]]:
    script = iter(answers)
    tries: list[int] = []

    def call() -> object:
        tries.append(len(tries) + 1)
        answer = next(script)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return call, tries


def test_a_call_that_succeeds_is_made_once(clock: FakeClock) -> None:
    call, tries = scripted("done")
    assert call_with_retries(call, SETTINGS, clock=clock, draw=no_jitter) == ("done", RetrySummary())
    assert (tries, clock.sleeps) == ([1], [])


def test_waits_double_from_the_first_wait(clock: FakeClock) -> None:
    call, _ = scripted(broken(), broken(), broken(), broken(), "done")
    _, summary = call_with_retries(call, SETTINGS, clock=clock, draw=no_jitter)
    assert clock.sleeps == [1.0, 2.0, 4.0, 8.0]
    assert summary == RetrySummary(retries=4, rate_limited=0, waited_seconds=15.0)


def test_the_last_failure_ends_the_call_with_its_own_code(clock: FakeClock) -> None:
    call, tries = scripted(*[broken() for _ in range(6)])
    with pytest.raises(RetriesExhausted) as failed:
        call_with_retries(call, SETTINGS, clock=clock, draw=no_jitter)
    assert failed.value.code == "extraction-failed"
    assert "Tries made: 5" in failed.value.message
    assert failed.value.summary == RetrySummary(retries=4, rate_limited=0, waited_seconds=15.0)
    assert len(tries) == 5


def test_an_exhausted_call_is_not_transient_for_an_outer_layer(clock: FakeClock) -> None:
    call, _ = scripted(broken())
    with pytest.raises(RetriesExhausted) as failed:
        call_with_retries(call, RetrySettings(retries=0), clock=clock, draw=no_jitter)
    assert isinstance(failed.value, FailedDocument)
    assert not isinstance(failed.value, TransientError)


def test_a_failure_on_a_rate_limit_is_called_rate_limited(clock: FakeClock) -> None:
    call, _ = scripted(*[rate_limit() for _ in range(5)])
    with pytest.raises(RetriesExhausted) as failed:
        call_with_retries(call, SETTINGS, clock=clock, draw=no_jitter)
    assert failed.value.code == "rate-limited"
    assert failed.value.summary.rate_limited == 4


def test_a_hint_of_the_server_is_waited_as_told(clock: FakeClock) -> None:
    call, _ = scripted(rate_limit(0.06), "done")
    _, summary = call_with_retries(call, SETTINGS, clock=clock, draw=lambda: 1.0)
    assert clock.sleeps == [0.06]
    assert summary == RetrySummary(retries=1, rate_limited=1, waited_seconds=0.06)


def test_a_hint_longer_than_the_longest_wait_fails_at_once(clock: FakeClock) -> None:
    call, tries = scripted(rate_limit(61.0))
    with pytest.raises(RetriesExhausted, match="61 s") as failed:
        call_with_retries(call, SETTINGS, clock=clock, draw=no_jitter)
    assert (failed.value.code, len(tries), clock.sleeps) == ("rate-limited", 1, [])


def test_a_hint_of_exactly_the_longest_wait_is_kept(clock: FakeClock) -> None:
    call, _ = scripted(rate_limit(60.0), "done")
    call_with_retries(call, SETTINGS, clock=clock, draw=no_jitter)
    assert clock.sleeps == [60.0]


@pytest.mark.parametrize(
    "error",
    [QuotaExhausted("quota-exhausted", "No money left."), FailedDocument("extraction-failed", "400."), KeyError("ours")],
    ids=["quota", "refused request", "a bug"],
)
def test_nothing_but_a_passing_failure_is_tried_again(clock: FakeClock, error: Exception) -> None:
    call, tries = scripted(error)
    with pytest.raises(type(error)) as failed:
        call_with_retries(call, SETTINGS, clock=clock, draw=no_jitter)
    assert (failed.value, len(tries), clock.sleeps) == (error, 1, [])


@given(retry=st.integers(0, 9), drawn=st.floats(0.0, 1.0), first=st.floats(0.0, 60.0), longest=st.floats(0.0, 600.0))
def test_jitter_lengthens_a_wait_by_a_quarter_at_most_and_never_beyond_the_longest(
    retry: int, drawn: float, first: float, longest: float
) -> None:
    clock = FakeClock()
    settings = RetrySettings(retries=10, first_wait_seconds=first, longest_wait_seconds=longest)
    call, _ = scripted(*[broken() for _ in range(retry + 1)], "done")
    call_with_retries(call, settings, clock=clock, draw=lambda: drawn)
    doubled = first * 2**retry
    assert min(doubled, longest) <= clock.sleeps[retry] <= min(doubled * 1.25 + 1e-9, longest)


@pytest.mark.parametrize("retries", [0, 1])
def test_after_a_rate_limit_every_lane_waits(clock: FakeClock, retries: int) -> None:
    limiter = RateLimiter(clock)
    call, _ = scripted(*[rate_limit(30.0) for _ in range(retries + 1)])
    with pytest.raises(RetriesExhausted):
        call_with_retries(call, RetrySettings(retries=retries), clock=clock, draw=no_jitter, limiter=limiter)
    _, other_lane = RetryPolicy(SETTINGS, clock, limiter).run(lambda: "done")
    assert other_lane == RetrySummary(waited_seconds=30.0)


def test_a_hint_too_long_to_keep_holds_nobody(clock: FakeClock) -> None:
    limiter = RateLimiter(clock)
    call, _ = scripted(rate_limit(3_600.0))
    with pytest.raises(RetriesExhausted):
        call_with_retries(call, SETTINGS, clock=clock, draw=no_jitter, limiter=limiter)
    assert limiter.wait_turn() == 0.0


def test_a_broken_connection_holds_no_other_lane(clock: FakeClock) -> None:
    limiter = RateLimiter(clock)
    call, _ = scripted(broken(), "done")
    call_with_retries(call, SETTINGS, clock=clock, draw=no_jitter, limiter=limiter)
    assert limiter.wait_turn() == 0.0


def test_a_question_is_tried_once(clock: FakeClock) -> None:
    call, tries = scripted(broken(), "done")
    with pytest.raises(RetriesExhausted):
        RetryPolicy(SETTINGS, clock, RateLimiter(clock)).without_retries().run(call)
    assert len(tries) == 1


def test_an_exhausted_call_can_cross_a_process_boundary() -> None:
    error = RetriesExhausted("rate-limited", "429.", "Slow down.", RetrySummary(4, 4, 15.0))
    copied = pickle.loads(pickle.dumps(error))
    assert (copied.code, copied.message, copied.remedy, copied.summary) == (error.code, error.message, error.remedy, error.summary)
