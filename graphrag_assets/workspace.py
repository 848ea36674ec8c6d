"""`Workspace`: one home from plain Python. The same pipeline that Dagster runs, and the questions it can be asked."""

import os
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from typing_extensions import override

from graphrag_assets.answers.answer import Answerer
from graphrag_assets.answers.extractive import ExtractiveChat
from graphrag_assets.extractions.offline.extractor import RuleExtractor
from graphrag_assets.extractions.ontology import load_ontology
from graphrag_assets.gateways.chat import ChatModel
from graphrag_assets.gateways.clock import Clock, SystemClock
from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.gateways.neo4j_database import Neo4jDatabase
from graphrag_assets.gateways.profiles import StandIns, build_models
from graphrag_assets.graph import local_server
from graphrag_assets.graph.digest import GraphDigest, graph_digest
from graphrag_assets.graph.health import HealthFinding, check_graph
from graphrag_assets.graph.layout import GraphVocabulary, Layout
from graphrag_assets.graph.local_server import ServerOptions
from graphrag_assets.graph.removal import residue
from graphrag_assets.graph.schema import SchemaPlan, apply_schema, plan_schema
from graphrag_assets.model.errors import UsageError
from graphrag_assets.model.evidence import Answer, Evidence
from graphrag_assets.model.orchestrator import Progress, Selection
from graphrag_assets.model.outcomes import DocumentResult, Receipt
from graphrag_assets.model.provenance import Provenance, RunInfo
from graphrag_assets.model.settings import ChatRole, Settings
from graphrag_assets.pipeline.home_pipeline import HomePipeline
from graphrag_assets.pipeline.receipts import receipt_of
from graphrag_assets.pipeline.tools import Tools
from graphrag_assets.retrieval.search import Retriever
from graphrag_assets.retrieval.wording import ontology_wording
from graphrag_assets.store.artifacts import ArtifactStore
from graphrag_assets.store.home import Home, find_home
from graphrag_assets.store.paid import PaidFolder, PaidIndex
from graphrag_assets.store.settings_file import load_settings

START_SECONDS = 180.0  # a start takes 9 s on an idle machine of two cores, and up to 50 s on a busy one


@dataclass(frozen=True, slots=True)
class RemovalSummary:
    """What a removal took out, and the proof: both residues are counted after it and must be 0."""

    keys: tuple[str, ...]
    counts: Mapping[str, int]
    residue_graph: int
    residue_artifacts: int

    def to_json(self) -> dict[str, object]:
        """The JSON object that the command line prints."""
        return {
            "documents": list(self.keys),
            "removed": dict(self.counts),
            "residue": {"graph": self.residue_graph, "artifacts": self.residue_artifacts},
            "kept_in_event_log": "partition keys, ids and counts of earlier runs; no text",
        }


class Workspace(HomePipeline):
    """A home, opened. Close it, or use it as a context manager."""

    def __init__(self, tools: Tools, close_graph: Callable[[], None]) -> None:
        super().__init__(tools)
        self._close_graph = close_graph

    @classmethod
    def open(cls, folder: Path | None = None, *, environ: Mapping[str, str] | None = None, clock: Clock | None = None) -> Self:
        """Open the home in ``folder``, else the one that the environment names. The graph is opened on first use.

        Raises:
            UsageError: ``home-missing``; `SettingsError` when a setting is wrong.
        """
        environ = os.environ if environ is None else environ
        home = Home(folder.resolve()) if folder is not None else find_home(environ)
        settings = load_settings(home.settings_file, environ).settings
        clock = clock or SystemClock()
        ontology = load_ontology(settings.extraction.ontology, home.folder)
        vocabulary = GraphVocabulary(
            tuple(c.name for c in ontology.classes), tuple(f.name for f in ontology.facts), tuple(q.name for q in ontology.quotes)
        )
        layout = Layout(label_prefix=settings.graph.label_prefix)
        layout.check(vocabulary)
        connection = GraphConnection(home, settings, environ)
        stand_ins = OfflineChat(RuleExtractor(ontology), ExtractiveChat(wording=ontology_wording(ontology)))
        tools = Tools(
            home=home,
            settings=settings,
            store=ArtifactStore(str(home.artifacts)),
            paid=PaidFolder(home.paid),
            index=PaidIndex(home.index_file),
            models=build_models(settings, environ, stand_ins=stand_ins, home_folder=home.folder, clock=clock),
            ontology=ontology,
            vocabulary=vocabulary,
            layout=layout,
            clock=clock,
            graph=connection.open,
        )
        return cls(tools, connection.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close connections and files; a local server keeps running."""
        self._close_graph()
        self.tools.index.close()

    @property
    def settings(self) -> Settings:
        """Effective settings."""
        return self.tools.settings

    def materialize(self, selection: Selection | None = None, progress: Progress | None = None) -> Receipt:
        """Refresh inputs, documents and corpus from plain Python. There is no event then: lineage says so.

        Args:
            selection: What to make; by default what is stale.
            progress: Called with a step's name, how many are done, and of how many.
        """
        selection = selection or Selection()
        run = self.new_run()
        started = time.monotonic()
        rows = [row for row in self.assets() if selection.only is None or row.name in selection.only]
        singles = [self.refresh(row.name, run) for row in rows if row.level == "input"]
        states = self.states()
        keys = selection.keys
        if keys is None:
            keys = tuple(state.key for state in states if selection.everything or state.stale)
        documents: list[DocumentResult] = []

        def ended(result: DocumentResult) -> None:
            documents.append(result)
            if progress is not None:
                progress("documents", len(documents), len(keys))

        self.process(keys, [row.name for row in rows if row.level == "document"], run, ended)
        if selection.keys is None and selection.only is None:
            documents += self.remove(self.gone_keys(), run)
        singles += [self.refresh(row.name, run) for row in rows if row.level == "corpus"]
        fresh = [state for state in states if state.key not in set(keys)] if selection.keys is None else []
        refused = [DocumentResult(s.key, s.document_id, s.uri, "refused", s.refusal, ()) for s in fresh if s.change == "refused"]
        return receipt_of(
            singles,
            [*documents, *refused],
            run_ids=(run.run_id,),
            unchanged_keys=len(fresh) - len(refused),
            seconds=time.monotonic() - started,
            stand_ins=self.stand_ins(),
        )

    def new_run(self) -> RunInfo:
        """A run of plain Python."""
        return RunInfo(run_id=str(uuid.uuid4()), runner="api", started=self.tools.clock.now())

    def search(self, question: str, *, route: str = "hybrid", max_items: int | None = None) -> Evidence:
        """Find evidence.

        Args:
            route: ``hybrid``, ``vector``, ``full-text`` or ``graph``.
            max_items: At most so many items; by default the setting.
        """
        return self.retriever().search(question, route=route, max_items=max_items)

    def ask(self, question: str, *, route: str = "hybrid") -> Answer:
        """Answer a question, with verified citations, or refuse it with the reason."""
        chat = self.tools.models.chat.for_role("answer")
        return Answerer(self.retriever(), chat, self.settings.answers, self.tools.clock).ask(question, route=route)

    def retriever(self) -> Retriever:
        """The retriever over the serving embedding set."""
        serving = self.settings.serving_set
        wording = ontology_wording(self.tools.ontology)
        embedder = self.tools.models.question_embedder_for(serving)
        return Retriever(
            self.tools.graph(),
            self.tools.layout,
            wording.phrases,
            serving,
            embedder,
            self.settings.retrieval,
            self.tools.clock,
            cues=wording.cues,
        )

    def digest(self) -> GraphDigest:
        """Canonical digest of the whole graph."""
        return graph_digest(self.tools.graph(), self.tools.layout)

    def schema_plan(self) -> SchemaPlan:
        """What the graph's schema has, lacks, and has otherwise."""
        return plan_schema(self.tools.graph(), self.tools.layout, self.tools.vocabulary, self.settings.embedding_sets)

    def apply_schema(self) -> SchemaPlan:
        """Create what the schema lacks; returns the plan that was applied."""
        plan = self.schema_plan()
        with self.tools.home.writing():
            apply_schema(self.tools.graph(), plan)
        return plan

    def check(self) -> tuple[HealthFinding, ...]:
        """Findings about the graph; empty when all is well."""
        return check_graph(self.tools.graph(), self.tools.layout, self.tools.vocabulary, self.settings.embedding_sets)

    def remove_documents(self, names: Sequence[str]) -> RemovalSummary:
        """Remove documents by URI or key, and prove it. A source that still has them brings them back on the next run.

        Raises:
            UsageError: ``unknown-key`` when a name is neither.
        """
        keys = self._keys_of(names)
        ids = [p.document_id for key in keys if (p := self._known(key)) is not None and p.document_id is not None]
        results = self.remove(keys, self.new_run())
        counts = {"documents": len(keys)}
        for result in results:
            for stage in result.stages:
                for name, count in {
                    **stage.counts,
                    "nodes": stage.graph.nodes_deleted,
                    "relationships": stage.graph.relationships_deleted,
                }.items():
                    counts[name] = counts.get(name, 0) + int(count)
        left = sum(residue(self.tools.graph(), ids, self.tools.layout).values()) if ids else 0
        artifacts = sum(self.tools.store.exists(asset, key) for asset in self.tools.store.assets() for key in keys)
        return RemovalSummary(tuple(keys), counts, left, artifacts)

    def _known(self, key: str) -> Provenance | None:
        found = (self.tools.store.provenance(asset, key) for asset in self.tools.store.assets())
        return next((provenance for provenance in found if provenance is not None), None)

    def _keys_of(self, names: Sequence[str]) -> list[str]:
        stored = {key for asset in self.tools.store.assets() for key in self.tools.store.keys(asset)}
        by_uri = {p.uri: key for key in sorted(stored) if (p := self._known(key)) is not None}
        keys: list[str] = []
        for name in names:
            key = name if name in stored else by_uri.get(name)
            if key is None:
                raise UsageError("unknown-key", f"no document has the URI or key {name!r}.", "`graphrag-assets status --json` lists them.")
            keys.append(key)
        return sorted(set(keys))

    def reset(self) -> tuple[str, ...]:
        """Delete what was generated; stops the local server. Returns the names of what was deleted."""
        self.close()
        if self.settings.graph.uri is None:
            local_server.stop(server_options(self.tools.home))
        with self.tools.home.writing():
            return self.tools.home.reset()


class OfflineChat(StandIns):
    """What stands in for chat models without a key: rules that extract, and an answerer that only quotes."""

    def __init__(self, extractor: ChatModel, answerer: ChatModel) -> None:
        self._by_role: dict[ChatRole, ChatModel] = {"extract": extractor, "answer": answerer}
        self.names = (extractor.model, answerer.model)

    @override
    def chat(self, role: ChatRole) -> ChatModel:
        if role not in self._by_role:
            remedy = "Set profile: live and name a model in models.chat."
            raise UsageError("role-offline", f"the profile offline has no stand-in for the role {role!r}.", remedy)
        return self._by_role[role]


class GraphConnection:
    """Opens the graph of a home on first use: the server that is named, else a local one of its own."""

    def __init__(self, home: Home, settings: Settings, environ: Mapping[str, str]) -> None:
        self._home = home
        self._settings = settings.graph
        self._environ = environ
        self._database: GraphDatabase | None = None

    def open(self) -> GraphDatabase:
        """The database; the same one ever after."""
        if self._database is None:
            self._database = self._connect()
        return self._database

    def _connect(self) -> GraphDatabase:
        uri = self._environ.get("NEO4J_URI") or self._settings.uri
        if uri:
            user = self._environ.get("NEO4J_USERNAME", self._settings.user)
            return Neo4jDatabase.connect(uri, user, self._environ.get("NEO4J_PASSWORD", ""), self._settings.database)
        options = server_options(self._home, self._settings.heap_mb, self._settings.page_cache_mb)
        state = local_server.start(options)
        assert state.uri is not None
        return Neo4jDatabase.connect(state.uri, state.user, local_server.password(options), self._settings.database)

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._database is not None:
            self._database.close()
            self._database = None


def server_options(home: Home, heap_mb: int = 512, page_cache_mb: int = 128) -> ServerOptions:
    """The local server of a home."""
    return ServerOptions(folder=home.neo4j, heap_mb=heap_mb, page_cache_mb=page_cache_mb, start_timeout_seconds=START_SECONDS)
