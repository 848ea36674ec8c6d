"""Vectors by key: a set at a time, whole or marked as not done, and never a bad one."""

from dataclasses import replace

import pytest

from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.graph.layout import DEFAULT_LAYOUT
from graphrag_assets.graph.vectors import check_table, vector_marker, write_vectors
from graphrag_assets.model.errors import FailedDocument
from graphrag_assets.model.outcomes import GraphChanges
from graphrag_assets.model.vectors import TextVector, VectorTable
from graphrag_assets_tests.builders.cases import load_case
from graphrag_assets_tests.builders.corpus import RUN, chunk_table, content
from graphrag_assets_tests.builders.graphs import NOTHING, clean_digest, count, digest, write

ALPHA = content("alpha.md", "# Alpha\n" + "".join(f"Service:S{n} is line {n}\n" for n in range(12)))


def put(graph: GraphDatabase, table: VectorTable, batch_rows: int = 500) -> GraphChanges:
    marker = vector_marker(table)
    return write_vectors(graph, ALPHA.document.document_id, table, marker=marker, run=RUN, layout=DEFAULT_LAYOUT, batch_rows=batch_rows)


def test_vectors_written_afterwards_give_the_graph_of_vectors_written_with_the_document(graph: GraphDatabase) -> None:
    write(graph, ALPHA)
    assert put(graph, chunk_table(ALPHA)).transactions == 1
    assert digest(graph) == clean_digest(graph, [ALPHA], tiny="fake")


def test_pages_give_the_same_graph_and_the_marker_comes_with_the_last(graph: GraphDatabase) -> None:
    write(graph, ALPHA)
    assert put(graph, chunk_table(ALPHA), batch_rows=5).transactions == 3
    assert digest(graph) == clean_digest(graph, [ALPHA], tiny="fake")


def test_a_document_that_has_the_vectors_is_left_alone(graph: GraphDatabase) -> None:
    write(graph, ALPHA, tiny="fake")
    assert put(graph, chunk_table(ALPHA)) == NOTHING


def test_another_model_replaces_the_vectors_of_its_set_and_no_other(graph: GraphDatabase) -> None:
    write(graph, ALPHA, tiny="fake", second="fake")
    put(graph, chunk_table(ALPHA, model="better"))
    assert digest(graph) == clean_digest(graph, [ALPHA], tiny="better", second="fake")


def test_chunks_that_have_no_vector_any_more_lose_theirs(graph: GraphDatabase) -> None:
    write(graph, ALPHA, tiny="fake")
    table = chunk_table(ALPHA)
    put(graph, replace(table, vectors=table.vectors[:3]))
    assert count(graph, "(c:Chunk) WHERE c.embedding_tiny IS NOT NULL") == 3


def test_new_vectors_are_found_by_the_index(graph: GraphDatabase) -> None:
    write(graph, ALPHA)
    put(graph, chunk_table(ALPHA))
    query = "CALL db.index.vector.queryNodes('graphrag_chunk_embedding_tiny', 1, $v) YIELD node, score RETURN node.id AS id, score"
    wanted = chunk_table(ALPHA).vectors[4]
    found = graph.read(query, {"v": list(wanted.vector)})[0]
    assert (found["id"], round(float(str(found["score"])), 5)) == (wanted.owner_id, 1.0)


def test_vectors_of_a_document_that_is_not_in_the_graph_are_refused(graph: GraphDatabase) -> None:
    with pytest.raises(FailedDocument, match="not in the graph"):
        put(graph, chunk_table(ALPHA))


def test_a_chunk_that_is_not_in_the_graph_stops_the_page(graph: GraphDatabase) -> None:
    write(graph, ALPHA)
    table = chunk_table(ALPHA)
    strange = replace(table, vectors=(*table.vectors, replace(table.vectors[0], owner_id="strange")))
    with pytest.raises(FailedDocument, match="'strange'"):
        put(graph, strange)
    assert count(graph, "(c:Chunk) WHERE c.embedding_tiny IS NOT NULL") == 0


def test_only_whole_vectors_of_the_set_may_be_stored() -> None:
    case = load_case("b07_embedding_responses.json")
    for name, numbers in zip(case["inputs"], case["vectors"], strict=True):
        vector = tuple(float(n) for n in numbers or ())
        table = VectorTable("tiny", "fake", "1", case["dimension"], (TextVector(name, "hash", vector),))
        if name in case["may_be_stored"]:
            check_table(table)
            continue
        with pytest.raises(FailedDocument, match=name) as raised:
            check_table(table)
        assert raised.value.code in ("embedding-dimensions", "invalid-embedding")
