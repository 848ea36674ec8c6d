"""A pipeline on a home of a few small files, with scripted models and the shared graph."""

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from graphrag_assets.extractions.ontology import Ontology, load_ontology
from graphrag_assets.gateways.chat import ChatRequest
from graphrag_assets.gateways.clock import SystemClock
from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.gateways.profiles import Models
from graphrag_assets.gateways.tokens import ByteTokenCounter
from graphrag_assets.graph.layout import DEFAULT_LAYOUT, GraphVocabulary
from graphrag_assets.model.embedding_set import EmbeddingSet
from graphrag_assets.model.provenance import RunInfo
from graphrag_assets.model.settings import ChunkingSettings, IngestionSettings, Settings, SourceSettings
from graphrag_assets.pipeline.home_pipeline import HomePipeline
from graphrag_assets.pipeline.tools import Tools
from graphrag_assets.store.artifacts import ArtifactStore
from graphrag_assets.store.home import Home
from graphrag_assets.store.paid import PaidFolder, PaidIndex
from graphrag_assets_tests.fakes.chat import Answer, ScriptedChat, ScriptedChats
from graphrag_assets_tests.fakes.embedder import ScriptedEmbedder

SET = EmbeddingSet(name="tiny", model="scripted", dimensions=4)
RUN = RunInfo(run_id="run-1", runner="api", started="2026-01-01T00:00:00.000Z")
DOCUMENT_ASSETS = (
    "documents",
    "chunk_plans",
    "chunk_vectors/tiny",
    "extraction_replies",
    "extractions",
    "document_graph",
    "graph_vectors/tiny",
)


def names_in(text: str) -> str:
    """A reply that lists every capitalised word as a system, and each as depending on the next."""
    words = list(dict.fromkeys(word.strip(".,\n") for word in text.split() if word[:1].isupper()))
    things = [{"name": w, "class": "System", "aliases": [], "description": None, "mentions": [w]} for w in words]
    blank = {"role": None, "kind": None, "description": None}
    facts = [{"source": a, "type": "DEPENDS_ON", "target": b, **blank} for a, b in pairwise(words)]
    return json.dumps({"things": things, "facts": facts})


def obliging(request: ChatRequest) -> Answer:
    """Answers every request with `names_in` its passage."""
    return names_in(request.passages[0].text)


@pytest.fixture(scope="session")
def operations() -> Ontology:
    return load_ontology("operations", Path())


@pytest.fixture
def graph_vocabulary(operations: Ontology) -> GraphVocabulary:
    return GraphVocabulary(tuple(c.name for c in operations.classes), tuple(f.name for f in operations.facts))


@pytest.fixture
def graph_sets() -> Sequence[EmbeddingSet]:
    return (SET,)


class SmallHome:
    """A home whose files, models and settings a test changes; `open` gives a pipeline on what they are now."""

    def __init__(self, folder: Path, graph: GraphDatabase, vocabulary: GraphVocabulary, ontology: Ontology) -> None:
        self.home = Home(folder)
        self.documents = folder / "documents"
        self.documents.mkdir()
        self.chat = ScriptedChat(obliging)
        self.embedder = ScriptedEmbedder()
        self.settings = Settings(
            sources=(SourceSettings(name="docs", folder="documents"),),
            embedding_sets=(SET,),
            chunking=ChunkingSettings(tokenizer="bytes", overlap_paragraphs=0),
            ingestion=IngestionSettings(lanes=1),
        )
        self._graph, self._vocabulary, self._ontology = graph, vocabulary, ontology
        self.index = PaidIndex(self.home.index_file)

    def write(self, name: str, text: str) -> None:
        (self.documents / name).write_text(text, encoding="utf-8")

    def open(self) -> HomePipeline:
        models = Models(ScriptedChats(self.chat), lambda _: self.embedder, lambda _: self.embedder, lambda _: ByteTokenCounter())
        return HomePipeline(
            Tools(
                home=self.home,
                settings=self.settings,
                store=ArtifactStore(str(self.home.artifacts)),
                paid=PaidFolder(self.home.paid),
                index=self.index,
                models=models,
                ontology=self._ontology,
                vocabulary=self._vocabulary,
                layout=DEFAULT_LAYOUT,
                clock=SystemClock(),
                graph=lambda: self._graph,
            )
        )


@pytest.fixture
def small_home(tmp_path: Path, graph: GraphDatabase, graph_vocabulary: GraphVocabulary, operations: Ontology) -> Iterator[SmallHome]:
    home = SmallHome(tmp_path, graph, graph_vocabulary, operations)
    yield home
    home.index.close()


MakeAll = Callable[[HomePipeline], dict[str, str]]


def make_all(pipeline: HomePipeline, run: RunInfo = RUN) -> dict[str, str]:
    """Inputs, stale documents, corpus; outcome (or code of a failure or refusal) by file name."""
    for row in pipeline.assets():
        if row.level == "input":
            pipeline.refresh(row.name, run)
    keys = [state.key for state in pipeline.states() if state.stale]
    results = pipeline.process(keys, DOCUMENT_ASSETS, run)
    pipeline.remove(pipeline.gone_keys(), run)
    for row in pipeline.assets():
        if row.level == "corpus":
            pipeline.refresh(row.name, run)
    return {result.uri.removeprefix("docs:/"): result.code or result.outcome for result in results}
