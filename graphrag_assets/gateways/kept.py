"""Things that are opened once and then shared."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Kept(Generic[Key, Value]):
    """A function whose values are made once for each argument, whatever thread asks first. A failure is not kept."""

    def __init__(self, make: Callable[[Key], Value]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: dict[Key, Value] = {}

    def __call__(self, key: Key) -> Value:
        """The value of ``key``."""
        with self._lock:
            if key not in self._made:
                self._made[key] = self._make(key)
            return self._made[key]
