"""Health: nothing to say of a good graph, and one finding with a remedy for each thing that is wrong."""

import pytest

from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.graph.health import HealthFinding, check_graph
from graphrag_assets.graph.layout import DEFAULT_LAYOUT
from graphrag_assets.model.embedding_set import EmbeddingSet
from graphrag_assets_tests.builders.corpus import VOCABULARY, content
from graphrag_assets_tests.builders.graphs import write

TINY = EmbeddingSet(name="tiny", dimensions=4)
ALPHA = content("alpha.md", "[Team:Foundry OWNS Service:Capstan]\n\nPerson:Hedda\n")
BETA = content("beta.md", "[Service:Capstan DEPENDS_ON Service:Ballast]\n")


def findings(graph: GraphDatabase, *sets: EmbeddingSet) -> list[tuple[str, str, int]]:
    return [(f.code, f.subject, f.count) for f in check_graph(graph, DEFAULT_LAYOUT, VOCABULARY, sets or (TINY,))]


def test_a_good_graph_has_no_findings(graph: GraphDatabase) -> None:
    assert findings(graph) == []
    write(graph, ALPHA, tiny="fake")
    write(graph, BETA, tiny="fake")
    assert findings(graph) == []


@pytest.mark.parametrize(
    ("damage", "wanted"),
    [
        pytest.param("MATCH (:Person)-[r]->(:Chunk) DELETE r", ("orphan-things", "", 1), id="mention deleted"),
        pytest.param("MATCH ()-[r:OWNS]->() SET r.document_ids = ['gone']", ("stale-facts", "", 1), id="fact of an absent document"),
        pytest.param("MATCH ()-[r:OWNS]->() SET r.chunk_ids = ['gone']", ("stale-facts", "", 1), id="fact of an absent chunk"),
        pytest.param("CREATE (:Community {id: 'c', stale: true})", ("stale-communities", "", 1), id="community that lost a member"),
        pytest.param("MERGE (:Document {id: 'd', bytes: 3, vectors_tiny: 'x'})", ("documents-without-chunks", "", 1), id="no chunks"),
        pytest.param("MATCH (c:Chunk) SET c.embedding_tiny = [0.0, 0.0, 0.0, 0.0]", ("vectors-not-indexed", "tiny", 4), id="zero"),
        pytest.param("MATCH (c:Chunk) SET c.embedding_tiny = [1.0, 0.0]", ("vectors-not-indexed", "tiny", 4), id="short"),
        pytest.param("MATCH (c:Chunk) SET c.embedding_tiny = [0.0/0.0, 0.0, 1.0, 0.0]", ("vectors-not-indexed", "tiny", 4), id="NaN"),
        pytest.param("MATCH (c:Chunk) REMOVE c.embedding_tiny", ("vectors-missing", "tiny", 3), id="missing"),
        pytest.param("MATCH (c:Chunk) SET c.embedding_old = [1.0]", ("mixed-embedding-sets", "old", 4), id="undeclared set"),
    ],
)
def test_each_damage_is_found(graph: GraphDatabase, damage: str, wanted: tuple[str, str, int]) -> None:
    write(graph, ALPHA, tiny="fake")
    write(graph, BETA, tiny="fake")
    graph.write(lambda tx: tx.run(damage))
    assert findings(graph) == [wanted]


def test_a_set_that_some_documents_hold_and_others_do_not_is_mixed(graph: GraphDatabase) -> None:
    write(graph, ALPHA, tiny="fake")
    write(graph, BETA)
    assert findings(graph) == [("vectors-missing", "tiny", 1), ("mixed-embedding-sets", "tiny", 1)]


def test_schema_that_is_missing_or_different_is_found(graph: GraphDatabase) -> None:
    graph.schema("DROP INDEX graphrag_chunk_text")
    found = check_graph(graph, DEFAULT_LAYOUT, VOCABULARY, [EmbeddingSet(name="tiny", dimensions=8)])
    assert [(f.code, f.subject) for f in found] == [
        ("schema-missing", "graphrag_chunk_text"),
        ("schema-different", "graphrag_chunk_embedding_tiny"),
        ("schema-different", "graphrag_thing_embedding_tiny"),
    ]


def test_an_equal_index_under_another_name_is_found(graph: GraphDatabase) -> None:
    graph.schema("DROP INDEX graphrag_chunk_text")
    graph.schema("CREATE FULLTEXT INDEX theirs FOR (n:Chunk) ON EACH [n.text]")
    assert findings(graph) == [
        ("schema-review", "The server has equal indexes under other names: 'graphrag_chunk_text' exists as 'theirs'.", 1)
    ]


def test_a_finding_names_at_most_five_and_what_to_do(graph: GraphDatabase) -> None:
    graph.write(lambda tx: tx.run("UNWIND range(1, 9) AS n CREATE (:Thing {id: 't' + n})"))
    finding = check_graph(graph, DEFAULT_LAYOUT, VOCABULARY, [TINY])[0]
    assert finding == HealthFinding("orphan-things", "", 9, ("t1", "t2", "t3", "t4", "t5"), finding.remedy)
    assert finding.remedy
    assert finding.to_json()["sample"] == ["t1", "t2", "t3", "t4", "t5"]
