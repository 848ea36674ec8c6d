"""One limiter for all lanes: after a rate limit they wait together, and requests keep their distance in time."""

import threading
from typing import Final

from graphrag_assets.gateways.clock import Clock

_SECONDS_OF_A_MINUTE: Final = 60.0
_A_MOMENT_SECONDS: Final = 1e-6


class RateLimiter:
    """Lets requests start. Shared by every lane that talks to one provider; safe for several threads.

    Args:
        requests_per_minute: Requests are spread evenly, one every ``60 / requests_per_minute`` seconds, since providers
            count over less than a minute too. Without it only `hold` makes anyone wait.
    """

    def __init__(self, clock: Clock, requests_per_minute: int | None = None) -> None:
        self._clock = clock
        self._distance = _SECONDS_OF_A_MINUTE / requests_per_minute if requests_per_minute else 0.0
        self._lock = threading.Lock()
        self._free_at = clock.monotonic()
        self._held_until = self._free_at

    def wait_turn(self) -> float:
        """Wait until a request may start.

        Returns:
            Seconds waited.
        """
        waited = 0.0
        while True:
            wait = self._take_turn()
            if wait <= _A_MOMENT_SECONDS:
                return waited
            # Looked at again afterwards: another lane may have been told to wait longer, or have taken the turn.
            self._clock.sleep(wait)
            waited += wait

    def hold(self, seconds: float) -> None:
        """Let no lane start a request for ``seconds`` from now; a longer hold in force stays."""
        with self._lock:
            self._held_until = max(self._held_until, self._clock.monotonic() + seconds)

    def _take_turn(self) -> float:
        with self._lock:
            now = self._clock.monotonic()
            wait = max(self._free_at, self._held_until) - now
            if wait <= _A_MOMENT_SECONDS:
                self._free_at = now + self._distance
            return wait
