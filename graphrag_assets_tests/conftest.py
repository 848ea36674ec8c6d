"""Fixtures that several stages share: one real Neo4j server for the whole test run, and an empty graph for each test."""

import os
from collections.abc import Callable, Iterator, Sequence

import pytest

from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.gateways.neo4j_database import Neo4jDatabase
from graphrag_assets.graph.layout import DEFAULT_LAYOUT, GraphVocabulary
from graphrag_assets.graph.local_server import ServerOptions, password, start, stop
from graphrag_assets.graph.schema import SHOW_INDEXES, apply_schema, plan_schema, schema_definitions
from graphrag_assets.model.embedding_set import EmbeddingSet
from graphrag_assets_tests.builders.corpus import VOCABULARY

_MAY_WIPE = "GRAPHRAG_ASSETS_TESTS_MAY_WIPE"


@pytest.fixture(scope="session")
def neo4j_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Neo4jDatabase]]:
    """Connects to one server: that of ``NEO4J_URI`` and ``NEO4J_PASSWORD``, else one of this test run's own.

    A given server must be empty, since tests wipe it, unless ``GRAPHRAG_ASSETS_TESTS_MAY_WIPE`` is set.
    """
    given = os.environ.get("NEO4J_URI")
    if given:
        user, secret = os.environ.get("NEO4J_USERNAME", "neo4j"), os.environ["NEO4J_PASSWORD"]
        _claim(given, user, secret)
        yield lambda: Neo4jDatabase.connect(given, user, secret)
        return
    options = ServerOptions(folder=tmp_path_factory.mktemp("neo4j") / "server", start_timeout_seconds=180)
    state = start(options)
    uri = state.uri or ""
    try:
        yield lambda: Neo4jDatabase.connect(uri, state.user, password(options))
    finally:
        stop(options)


def _claim(uri: str, user: str, secret: str) -> None:
    database = Neo4jDatabase.connect(uri, user, secret)
    nodes = database.read("MATCH (n) RETURN count(n) AS nodes")[0]["nodes"]
    database.close()
    if nodes and not os.environ.get(_MAY_WIPE):
        pytest.fail(f"NEO4J_URI names a graph of {nodes} nodes, and these tests wipe it. Unset it, or set {_MAY_WIPE}=1.")


@pytest.fixture(scope="session")
def graph_connection(neo4j_server: Callable[[], Neo4jDatabase]) -> Iterator[Neo4jDatabase]:
    """The connection that `graph` wipes with."""
    database = neo4j_server()
    yield database
    _wipe(database)
    database.close()


@pytest.fixture
def graph_vocabulary() -> GraphVocabulary:
    """The vocabulary whose schema `graph` has; a module with another one overrides this fixture."""
    return VOCABULARY


@pytest.fixture
def graph_sets() -> Sequence[EmbeddingSet]:
    """The embedding sets whose indexes `graph` has; a module with other ones overrides this fixture."""
    return (EmbeddingSet(name="tiny", dimensions=4),)


@pytest.fixture
def graph(graph_connection: Neo4jDatabase, graph_vocabulary: GraphVocabulary, graph_sets: Sequence[EmbeddingSet]) -> GraphDatabase:
    """An empty graph with exactly the schema of `graph_vocabulary` and `graph_sets`."""
    _wipe(graph_connection)
    _keep_schema(graph_connection, {item.name for item in schema_definitions(DEFAULT_LAYOUT, graph_vocabulary, graph_sets)})
    plan = plan_schema(graph_connection, DEFAULT_LAYOUT, graph_vocabulary, graph_sets)
    if plan.different:
        _keep_schema(graph_connection, {item.name for item in plan.present})
        plan = plan_schema(graph_connection, DEFAULT_LAYOUT, graph_vocabulary, graph_sets)
    if plan.missing:
        apply_schema(graph_connection, plan)
    return graph_connection


@pytest.fixture
def bare_graph(graph_connection: Neo4jDatabase, neo4j_server: Callable[[], Neo4jDatabase]) -> Iterator[GraphDatabase]:
    """An empty graph without any constraint or index, on a connection of its own."""
    _wipe(graph_connection)
    _keep_schema(graph_connection, set())
    database = neo4j_server()
    yield database
    database.close()


def _wipe(database: GraphDatabase) -> None:
    database.schema("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS")


def _keep_schema(database: GraphDatabase, names: set[str]) -> None:
    """Drop every constraint and index but those of the names given."""
    for row in database.read(SHOW_INDEXES):
        if row["type"] != "LOOKUP" and row["name"] not in names:
            database.schema(f"DROP {'CONSTRAINT' if row['unique'] else 'INDEX'} `{row['name']}`")
