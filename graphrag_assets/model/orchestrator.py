"""The one thing the command line needs of an orchestrator, so that nothing but ``defs/`` knows Dagster."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from graphrag_assets.model.outcomes import Receipt

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Selection:
    """What to materialise.

    Args:
        keys: Partition keys asked for; None for those the mode selects.
        only: Asset names; None for all.
        everything: True asks for all keys, else only stale ones (and those that Dagster has no event of).
    """

    keys: tuple[str, ...] | None = None
    only: tuple[str, ...] | None = None
    everything: bool = False


@dataclass(frozen=True, slots=True)
class AssetEvent:
    """The latest materialization of an asset and key."""

    run_id: str
    storage_id: int
    data_version: str
    time: str


class Orchestrator(ABC):
    """Starts runs and answers for events."""

    @abstractmethod
    def materialize(self, selection: Selection, progress: Progress | None = None) -> Receipt:
        """Refresh the reviewed inputs, the selected documents and the corpus, each in a run of its own."""

    @abstractmethod
    def event(self, asset: str, key: str | None) -> AssetEvent | None:
        """The latest event of an asset and key, or None."""

    @abstractmethod
    def keys(self) -> tuple[str, ...]:
        """Registered partition keys, sorted."""

    @abstractmethod
    def delete_keys(self, keys: Sequence[str]) -> None:
        """Forget partition keys; their events stay (ids and counts, no text)."""
