import threading

from graphrag_assets.gateways.rate_limiter import RateLimiter
from graphrag_assets_tests.fakes.clock import FakeClock


def test_without_a_bound_nobody_waits(clock: FakeClock) -> None:
    limiter = RateLimiter(clock)
    assert [limiter.wait_turn() for _ in range(100)] == [0.0] * 100


def test_requests_of_a_minute_are_spread_evenly(clock: FakeClock) -> None:
    limiter = RateLimiter(clock, requests_per_minute=30)
    starts = []
    for _ in range(4):
        limiter.wait_turn()
        starts.append(clock.monotonic())
    assert starts == [0.0, 2.0, 4.0, 6.0]


def test_time_that_passed_anyway_is_not_waited_again(clock: FakeClock) -> None:
    limiter = RateLimiter(clock, requests_per_minute=30)
    limiter.wait_turn()
    clock.move(5.0)
    assert limiter.wait_turn() == 0.0


def test_a_shorter_hold_does_not_end_a_longer_one(clock: FakeClock) -> None:
    limiter = RateLimiter(clock)
    limiter.hold(30.0)
    limiter.hold(5.0)
    assert limiter.wait_turn() == 30.0


def test_a_hold_that_comes_while_a_lane_waits_is_kept_too() -> None:
    class HeldAgain(FakeClock):
        def sleep(self, seconds: float) -> None:
            super().sleep(seconds)
            if len(self.sleeps) == 1:
                limiter.hold(7.0)

    clock = HeldAgain()
    limiter = RateLimiter(clock)
    limiter.hold(3.0)
    assert limiter.wait_turn() == 10.0


def test_lanes_of_several_threads_never_share_a_turn(clock: FakeClock) -> None:
    limiter = RateLimiter(clock, requests_per_minute=60)
    lanes = [threading.Thread(target=lambda: [limiter.wait_turn() for _ in range(5)]) for _ in range(4)]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
    assert clock.monotonic() >= 19.0
