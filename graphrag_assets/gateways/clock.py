"""The clock behind an ABC, so that no test sleeps."""

import time
from abc import ABC, abstractmethod
from datetime import UTC, datetime

from typing_extensions import override


class Clock(ABC):
    """Time and waiting."""

    @abstractmethod
    def now(self) -> str:
        """UTC, ISO 8601 with ``Z``, milliseconds."""

    @abstractmethod
    def monotonic(self) -> float:
        """Seconds from an arbitrary start."""

    @abstractmethod
    def sleep(self, seconds: float) -> None:
        """Wait."""


class SystemClock(Clock):
    """The machine's clock."""

    @override
    def now(self) -> str:
        return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    @override
    def monotonic(self) -> float:
        return time.monotonic()

    @override
    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)
