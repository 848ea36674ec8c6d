"""A clock that a test moves."""

import threading
from datetime import UTC, datetime, timedelta

from typing_extensions import override

from graphrag_assets.gateways.clock import Clock


class FakeClock(Clock):
    """Starts at a fixed time and moves only when someone sleeps on it or a test moves it.

    ``sleeps`` holds the seconds of every sleep, in order.
    """

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._start = start
        self._elapsed = 0.0
        self._lock = threading.Lock()
        self.sleeps: list[float] = []

    @override
    def now(self) -> str:
        moment = self._start + timedelta(seconds=self._elapsed)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    @override
    def monotonic(self) -> float:
        return self._elapsed

    @override
    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.sleeps.append(seconds)
            self._elapsed += seconds

    def move(self, seconds: float) -> None:
        """Let time pass without anyone waiting."""
        with self._lock:
            self._elapsed += seconds
