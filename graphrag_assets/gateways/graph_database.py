"""The graph database behind an ABC: named statements in, plain rows out. Only this package imports the driver."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from graphrag_assets.model.outcomes import GraphChanges

Row = Mapping[str, object]
Parameters = Mapping[str, object]
Result = TypeVar("Result")


class GraphTransaction(ABC):
    """One open transaction."""

    @abstractmethod
    def run(self, statement: str, parameters: Parameters | None = None) -> Sequence[Row]:
        """Run a statement and read all its rows."""

    @property
    @abstractmethod
    def changes(self) -> GraphChanges:
        """What this transaction has changed so far, by the server's counters (``transactions`` is 1)."""


class GraphDatabase(ABC):
    """A Neo4j database."""

    @abstractmethod
    def read(self, statement: str, parameters: Parameters | None = None, *, timeout_seconds: float = 30.0) -> Sequence[Row]:
        """Run one reading statement and return its rows."""

    @abstractmethod
    def write(self, work: Callable[[GraphTransaction], Result], *, timeout_seconds: float = 120.0) -> tuple[Result, GraphChanges]:
        """Run ``work`` in one managed transaction; it may run more than once, so it must be idempotent by key.

        Returns:
            What ``work`` returned, and what the committed transaction changed.

        Raises:
            FailedDocument: ``write-failed``, after the driver's own retries.
        """

    @abstractmethod
    def schema(self, statement: str) -> None:
        """Run one schema statement in a transaction of its own."""

    @abstractmethod
    def version(self) -> str:
        """Server version, for example ``2026.08.1``."""

    @abstractmethod
    def close(self) -> None:
        """Close connections; safe to call twice."""
