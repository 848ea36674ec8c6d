"""The driver's edges: which errors come out as what, and what a transaction says that it changed."""

from collections.abc import Callable

import pytest

from graphrag_assets.gateways.graph_database import GraphDatabase, GraphTransaction
from graphrag_assets.gateways.neo4j_database import Neo4jDatabase
from graphrag_assets.model.errors import FailedDocument, UsageError
from graphrag_assets.model.outcomes import GraphChanges
from graphrag_assets_tests.builders.cases import load_case


def test_a_server_that_is_not_there_is_named() -> None:
    with pytest.raises(UsageError, match="does not answer") as raised:
        Neo4jDatabase.connect("bolt://127.0.0.1:1", "neo4j", "password")
    assert raised.value.code == "graph-unreachable"


@pytest.mark.parametrize("uri", ["http://127.0.0.1:7474", "nonsense", ""])
def test_an_address_of_another_kind_is_named(uri: str) -> None:
    with pytest.raises(UsageError) as raised:
        Neo4jDatabase.connect(uri, "neo4j", "password")
    assert raised.value.code == "graph-unreachable"


def test_a_wrong_password_is_refused_and_not_shown(neo4j_server: Callable[[], Neo4jDatabase]) -> None:
    database = neo4j_server()
    uri = database.uri
    database.close()
    with pytest.raises(UsageError) as raised:
        Neo4jDatabase.connect(uri, "neo4j", "wrong password")
    assert raised.value.code == "graph-unauthorised"
    assert "wrong password" not in str(raised.value)


def test_the_version_is_known(graph: GraphDatabase) -> None:
    assert int(graph.version().split(".")[0]) >= 5


def test_reading_may_not_write(graph: GraphDatabase) -> None:
    with pytest.raises(UsageError) as raised:
        graph.read("CREATE (:Chunk {id: 'x'})")
    assert raised.value.code == "graph-query-failed"
    assert graph.read("MATCH (n) RETURN count(n) AS n")[0]["n"] == 0


def test_a_statement_that_is_none_is_refused_with_the_servers_words(graph: GraphDatabase) -> None:
    with pytest.raises(UsageError, match="SyntaxError"):
        graph.read("MACTH (n) RETURN n")


def test_a_read_that_takes_too_long_ends(graph: GraphDatabase) -> None:
    with pytest.raises(UsageError) as raised:
        graph.read("UNWIND range(1, 100000000) AS a UNWIND range(1, 100000) AS b RETURN count(*) AS n", timeout_seconds=0.2)
    assert raised.value.code == "graph-timeout"


def test_a_transaction_counts_what_it_changed(graph: GraphDatabase) -> None:
    found, changes = graph.write(
        lambda tx: tx.run("CREATE (a:Chunk {id: 'a'})-[:NEXT_CHUNK]->(b:Chunk {id: 'b'}) RETURN a.id AS id")[0]["id"]
    )
    assert found == "a"
    assert changes == GraphChanges(transactions=1, nodes_created=2, relationships_created=1, properties_set=2)
    _, changes = graph.write(lambda tx: tx.run("MATCH (a)-[r]->(b) DELETE r, a, b"))
    assert changes == GraphChanges(transactions=1, nodes_deleted=2, relationships_deleted=1)


def test_a_failing_transaction_leaves_nothing(graph: GraphDatabase) -> None:
    def work(tx: GraphTransaction) -> None:
        tx.run("CREATE (:Chunk {id: 'a'})")
        raise UsageError("stopped", "stopped")

    with pytest.raises(UsageError):
        graph.write(work)
    assert graph.read("MATCH (n) RETURN count(n) AS n")[0]["n"] == 0


def test_a_broken_rule_of_the_server_is_a_failed_write(graph: GraphDatabase) -> None:
    with pytest.raises(FailedDocument, match="already exists") as raised:
        graph.write(lambda tx: tx.run("CREATE (:Chunk {id: 'a'}), (:Chunk {id: 'a'})"))
    assert raised.value.code == "write-failed"


def test_values_that_cannot_be_stored_fail_the_write_by_name(graph: GraphDatabase) -> None:
    attributes = load_case("b09_llm_response.json")["entities"][0]["attributes"]
    outcomes = {}
    for name, value in attributes.items():
        try:
            graph.write(lambda tx, name=name, value=value: tx.run("CREATE (n:Note) SET n[$name] = $value", {"name": name, "value": value}))
            outcomes[name] = "stored"
        except FailedDocument as error:
            outcomes[name] = error.code
    assert outcomes == {
        "founded": "stored",
        "staff": "write-failed",
        "tags": "write-failed",
        "sites": "write-failed",
        "big": "write-failed",
    }
    assert graph.read("MATCH (n:Note) RETURN count(n) AS n")[0]["n"] == 1


def test_rows_are_plain_values(graph: GraphDatabase) -> None:
    graph.write(lambda tx: tx.run("CREATE (:Chunk {id: 'a', pages: [1, 2]})-[:NEXT_CHUNK {run_id: 'r'}]->(:Chunk {id: 'b'})"))
    row = graph.read("MATCH p = (a)-[r]->(b) RETURN a, r, p, [a, 1] AS mixed, {node: b} AS map, null AS nothing")[0]
    assert dict(row) == {
        "a": {"id": "a", "pages": [1, 2]},
        "r": {"run_id": "r"},
        "p": [{"id": "a", "pages": [1, 2]}, {"id": "b"}],
        "mixed": [{"id": "a", "pages": [1, 2]}, 1],
        "map": {"node": {"id": "b"}},
        "nothing": None,
    }


def test_closing_twice_is_safe(neo4j_server: Callable[[], Neo4jDatabase]) -> None:
    database = neo4j_server()
    assert database.read("RETURN 1 AS one")[0]["one"] == 1
    database.close()
    database.close()
