"""What stages work with: settings, stores, models, ontology and graph of one home. Opened once, shared by all lanes."""

import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

from graphrag_assets.extractions.ontology import Ontology
from graphrag_assets.gateways.clock import Clock
from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.gateways.profiles import Models
from graphrag_assets.graph.layout import GraphVocabulary, Layout
from graphrag_assets.model.ids import hashed
from graphrag_assets.model.settings import Settings
from graphrag_assets.store.artifacts import ArtifactStore
from graphrag_assets.store.home import Home
from graphrag_assets.store.paid import PaidFolder, PaidIndex


class KeyedLocks:
    """One lock a name: lanes that want the same paid result wait for the one that pays."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}

    def of(self, name: str) -> threading.Lock:
        """The lock of a name."""
        with self._guard:
            return self._locks.setdefault(name, threading.Lock())


@dataclass(frozen=True, slots=True)
class Tools:
    """Everything a stage may use.

    Args:
        graph: Opens the graph database on first use; the same one ever after.
        writing: Held around every graph write, so that lanes never deadlock on shared things.
    """

    home: Home
    settings: Settings
    store: ArtifactStore
    paid: PaidFolder
    index: PaidIndex
    models: Models
    ontology: Ontology
    vocabulary: GraphVocabulary
    layout: Layout
    clock: Clock
    graph: Callable[[], GraphDatabase]
    writing: threading.Lock = field(default_factory=threading.Lock)
    paying: KeyedLocks = field(default_factory=KeyedLocks)

    def layout_hash(self) -> str:
        """Hash of the names under which the graph is written."""
        return hashed("layout", asdict(self.layout), asdict(self.vocabulary))
