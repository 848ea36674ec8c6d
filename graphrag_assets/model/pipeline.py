"""The assets of a home and who refreshes them, as seen by an orchestrator and by plain Python alike."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from graphrag_assets.model.outcomes import DocumentResult, StageResult
from graphrag_assets.model.provenance import RunInfo

AssetLevel = Literal["input", "document", "corpus"]


@dataclass(frozen=True, slots=True)
class AssetRow:
    """One asset.

    Args:
        name: ``chunk_plans``, or ``chunk_vectors/minilm`` for one of an embedding set.
        level: ``input`` (unpartitioned, reviewed or discovered, before documents), ``document`` (one partition a
            document) or ``corpus`` (unpartitioned, after documents).
        upstream: Asset names whose digests go into its fingerprint and its events.
        group: The stage's name, in the package, in ``defs/`` and in the tests.
        constant_version: True when the orchestrator is told one version for ever, so that one accepted merge does not
            make every document stale; our own fingerprints know better.
    """

    name: str
    level: AssetLevel
    upstream: tuple[str, ...]
    group: str
    kinds: tuple[str, ...]
    description: str
    code_version: str
    constant_version: bool = False


@dataclass(frozen=True, slots=True)
class StaleAsset:
    """Why one asset of one document would be made again."""

    asset: str
    causes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DocumentState:
    """One document of the catalogue, with its stale assets; empty when all are fresh.

    ``refusal`` is the code under which the document is refused, None when it is not.
    """

    key: str
    document_id: str
    uri: str
    change: Literal["new", "changed", "unchanged", "removed", "refused"]
    stale: tuple[StaleAsset, ...]
    refusal: str | None = None


class Pipeline(ABC):
    """What a home can make."""

    @abstractmethod
    def assets(self) -> tuple[AssetRow, ...]:
        """All assets in the order in which they are made."""

    @abstractmethod
    def refresh(self, asset: str, run: RunInfo) -> StageResult:
        """Make one ``input`` or ``corpus`` asset when it is stale; ``unchanged`` when it is not."""

    @abstractmethod
    def process(
        self, keys: Sequence[str], assets: Sequence[str], run: RunInfo, on_result: Callable[[DocumentResult], None] | None = None
    ) -> tuple[DocumentResult, ...]:
        """Let each document flow through the selected ``document`` assets, many at a time.

        Args:
            keys: Partition keys; an unknown one is a `UsageError`.
            assets: Names of ``document`` assets; each is made only when stale.
            run: Who is working; goes into every artifact and run node.
            on_result: Called once a document, in the order in which they end, from the calling thread.

        Returns:
            One result a key, sorted by key. A failed document never stops its neighbours; exhausted quota fails all
            that had not started.
        """

    @abstractmethod
    def states(self) -> tuple[DocumentState, ...]:
        """Every document of the catalogue as it stands on disk now, sorted by key; writes nothing."""

    def keys(self) -> tuple[str, ...]:
        """Keys of the catalogue, sorted: those that `process` takes. Cheaper than `states` where a home can list alone."""
        return tuple(state.key for state in self.states())

    def causes(self, asset: str) -> tuple[str, ...]:
        """Why `refresh` would make an ``input`` or ``corpus`` asset again; empty when it stands. Writes nothing.

        A home that cannot tell without trying says ``unknown``.
        """
        del asset
        return ("unknown",)

    def catalogue_is_cut(self) -> bool:
        """Whether the sources hold more documents than a catalogue may: then what it lacks is not gone."""
        return False

    @abstractmethod
    def gone_keys(self) -> tuple[str, ...]:
        """Keys that still have artifacts though no source has them, sorted."""

    @abstractmethod
    def remove(self, keys: Sequence[str], run: RunInfo) -> tuple[DocumentResult, ...]:
        """Remove documents from graph, artifacts and paid results, in an order that a crash cannot spoil."""

    @abstractmethod
    def stand_ins(self) -> tuple[str, ...]:
        """Names of the stand-ins for models in use, for every receipt."""
