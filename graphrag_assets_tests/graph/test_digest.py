"""The digest: blind to order and runs, and to nothing else."""

import pytest

from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.graph.digest import graph_digest
from graphrag_assets.graph.layout import DEFAULT_LAYOUT
from graphrag_assets_tests.builders.corpus import content
from graphrag_assets_tests.builders.graphs import clean_digest, digest, write

CONTENTS = [content(f"{n}.md", f"[Service:S{n} DEPENDS_ON Service:Hub]\n# Part\nPerson:P{n}\n") for n in range(4)]


def test_the_order_of_writing_does_not_show(graph: GraphDatabase) -> None:
    assert clean_digest(graph, CONTENTS, tiny="fake") == clean_digest(graph, CONTENTS[::-1], tiny="fake")


def test_runs_do_not_show(graph: GraphDatabase) -> None:
    clean = clean_digest(graph, CONTENTS[:1])
    clean_digest(graph, [])
    write(graph, CONTENTS[0], "another run")
    assert digest(graph) == clean


def test_an_empty_graph_has_a_digest_and_counts_nothing(graph: GraphDatabase) -> None:
    found = graph_digest(graph, DEFAULT_LAYOUT)
    assert (len(found.digest), found.nodes, found.relationships) == (64, 0, 0)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param("MATCH (c:Chunk) WITH c LIMIT 1 SET c.text = c.text + ' '", id="text"),
        pytest.param("MATCH (c:Chunk) WITH c LIMIT 1 SET c.start = toFloat(c.start)", id="type of a number"),
        pytest.param("MATCH (c:Chunk) WITH c LIMIT 1 REMOVE c.token_count", id="property removed"),
        pytest.param("MATCH (t:Thing) WITH t LIMIT 1 SET t:Extra", id="label"),
        pytest.param("MATCH (t:Thing) WITH t LIMIT 1 SET t.aliases = ['x']", id="list"),
        pytest.param("MATCH ()-[r:DEPENDS_ON]->() WITH r LIMIT 1 SET r.weight = 2.0", id="property of a relationship"),
        pytest.param("MATCH (:Chunk)-[r:NEXT_CHUNK]->() WITH r LIMIT 1 DELETE r", id="relationship removed"),
        pytest.param("MATCH (a:Chunk), (b:Person) WITH a, b LIMIT 1 CREATE (a)-[:NOTED]->(b)", id="relationship added"),
        pytest.param("CREATE (:Note {text: 'x'})", id="node of somebody else"),
        pytest.param("CREATE (:Chunk {text: 'x'})", id="node without id"),
        pytest.param("MATCH (c:Chunk) WITH c LIMIT 1 SET c.embedding_tiny = [1.0, 0.0, 0.0, 0.5]", id="vector"),
    ],
)
def test_any_change_shows(graph: GraphDatabase, change: str) -> None:
    before = clean_digest(graph, CONTENTS[:2], tiny="fake")
    graph.write(lambda tx: tx.run(change))
    assert digest(graph) != before


def test_more_nodes_than_a_page_are_all_counted(graph: GraphDatabase) -> None:
    graph.write(lambda tx: tx.run("UNWIND range(1, 2500) AS n CREATE (:Chunk {id: toString(n)})-[:IN_DOCUMENT]->(:Other {n: n})"))
    found = graph_digest(graph, DEFAULT_LAYOUT)
    assert (found.nodes, found.relationships) == (5_000, 2_500)
