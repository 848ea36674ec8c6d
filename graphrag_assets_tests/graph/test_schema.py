"""The schema: the same definitions every time, nothing dropped, nothing taken for what it is not."""

import pytest

from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.graph.layout import DEFAULT_LAYOUT, GraphVocabulary, Layout
from graphrag_assets.graph.schema import (
    SHOW_INDEXES,
    apply_schema,
    plan_schema,
    require_schema,
    schema_definitions,
    schema_fingerprint,
)
from graphrag_assets.model.embedding_set import EmbeddingSet
from graphrag_assets.model.errors import UsageError
from graphrag_assets_tests.builders.corpus import VOCABULARY, content
from graphrag_assets_tests.builders.graphs import clean_digest, digest, write

TINY = EmbeddingSet(name="tiny", dimensions=4)
ODD = GraphVocabulary(("Match", "Order", "Where_1"), facts=("CREATE", "RETURN", "_X"), quotes=("UNION",))


def test_definitions_are_the_same_whatever_order_sets_and_names_come_in() -> None:
    sets = (EmbeddingSet(name="a", dimensions=8), EmbeddingSet(name="b", dimensions=16, similarity="euclidean"))
    turned = GraphVocabulary(VOCABULARY.kinds[::-1], VOCABULARY.facts[::-1], VOCABULARY.quotes)
    assert schema_definitions(DEFAULT_LAYOUT, VOCABULARY, sets) == schema_definitions(DEFAULT_LAYOUT, turned, sets[::-1])


def test_every_name_is_used_once_and_every_key_is_unique() -> None:
    items = schema_definitions(DEFAULT_LAYOUT, VOCABULARY, [TINY])
    assert len({item.name for item in items}) == len(items)
    keyed = {item.target for item in items if item.kind == "node-uniqueness"}
    assert keyed >= {"Document", "Section", "Chunk", "IngestionRun", "GraphRagLease", "Thing", "Community", *VOCABULARY.kinds}
    spoken = {item.target for item in items if item.kind == "relationship-uniqueness"}
    assert spoken == {*DEFAULT_LAYOUT.mention_types(VOCABULARY), *VOCABULARY.facts, *VOCABULARY.quotes}


def test_one_more_embedding_set_leaves_the_fingerprint_and_one_more_class_changes_it() -> None:
    before = schema_fingerprint(DEFAULT_LAYOUT, VOCABULARY)
    assert before == schema_fingerprint(DEFAULT_LAYOUT, VOCABULARY)
    assert before != schema_fingerprint(DEFAULT_LAYOUT, GraphVocabulary((*VOCABULARY.kinds, "Vendor"), VOCABULARY.facts))
    assert before != schema_fingerprint(Layout(label_prefix="Rag"), VOCABULARY)


def test_what_is_missing_is_created_and_online_and_then_nothing_is_missing(bare_graph: GraphDatabase) -> None:
    plan = plan_schema(bare_graph, DEFAULT_LAYOUT, VOCABULARY, [TINY])
    assert plan.missing == schema_definitions(DEFAULT_LAYOUT, VOCABULARY, [TINY])
    apply_schema(bare_graph, plan)
    assert {row["state"] for row in bare_graph.read(SHOW_INDEXES)} == {"ONLINE"}
    again = plan_schema(bare_graph, DEFAULT_LAYOUT, VOCABULARY, [TINY])
    assert (again.missing, again.different, again.present) == ((), (), plan.missing)
    apply_schema(bare_graph, again)


def test_vector_indexes_are_not_quantised(graph: GraphDatabase) -> None:
    rows = graph.read("SHOW INDEXES YIELD type, options WHERE type = 'VECTOR' RETURN options.indexConfig AS config")
    for row in rows:
        config = dict(row["config"])
        assert config.get("vector.quantization.type") == "NONE" or config["vector.quantization.enabled"] is False


def test_an_index_of_other_dimensions_under_our_name_is_reported_and_stays(graph: GraphDatabase) -> None:
    other = EmbeddingSet(name="tiny", dimensions=8)
    plan = plan_schema(graph, DEFAULT_LAYOUT, VOCABULARY, [other])
    assert [(d.item.name, d.found) for d in plan.different] == [
        ("graphrag_chunk_embedding_tiny", "vector.dimensions 4"),
        ("graphrag_thing_embedding_tiny", "vector.dimensions 4"),
    ]
    apply_schema(graph, plan)
    assert plan_schema(graph, DEFAULT_LAYOUT, VOCABULARY, [TINY]).different == ()


def test_another_kind_of_index_under_our_name_is_reported(bare_graph: GraphDatabase) -> None:
    bare_graph.schema("CREATE INDEX graphrag_chunk_text FOR (n:Chunk) ON (n.title)")
    plan = plan_schema(bare_graph, DEFAULT_LAYOUT, VOCABULARY)
    assert [(d.item.name, d.found) for d in plan.different] == [("graphrag_chunk_text", "RANGE over Chunk (title)")]


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("CREATE CONSTRAINT theirs FOR (n:Document) REQUIRE n.id IS UNIQUE", id="constraint"),
        pytest.param("CREATE INDEX theirs FOR (n:Chunk) ON (n.id)", id="index where a constraint has to be"),
        pytest.param("CREATE FULLTEXT INDEX theirs FOR (n:Chunk) ON EACH [n.text]", id="full text"),
        pytest.param(
            "CREATE VECTOR INDEX theirs FOR (n:Chunk) ON (n.embedding_tiny) OPTIONS {indexConfig: {`vector.dimensions`: 4}}", id="vector"
        ),
    ],
)
def test_an_equal_index_under_another_name_stops_for_review(bare_graph: GraphDatabase, statement: str) -> None:
    bare_graph.schema(statement)
    with pytest.raises(UsageError, match="theirs") as raised:
        plan_schema(bare_graph, DEFAULT_LAYOUT, VOCABULARY, [TINY])
    assert raised.value.code == "schema-review"


def test_a_layout_may_take_the_names_of_indexes_that_are_there(bare_graph: GraphDatabase) -> None:
    bare_graph.schema(
        "CREATE FULLTEXT INDEX theirs FOR (n:Chunk) ON EACH [n.text] OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}}"
    )
    plan = plan_schema(bare_graph, Layout(chunk_text_index_name="theirs"), VOCABULARY)
    assert [item.name for item in plan.present] == ["theirs"]


def test_one_missing_constraint_is_named_before_anything_is_written(bare_graph: GraphDatabase) -> None:
    plan = plan_schema(bare_graph, DEFAULT_LAYOUT, VOCABULARY)
    for item in plan.missing:
        if item.name != "graphrag_team_id":
            bare_graph.schema(item.statement)
    with pytest.raises(UsageError, match="graphrag_team_id") as raised:
        require_schema(bare_graph, DEFAULT_LAYOUT, VOCABULARY)
    assert raised.value.code == "schema-missing"
    apply_schema(bare_graph, plan_schema(bare_graph, DEFAULT_LAYOUT, VOCABULARY))
    require_schema(bare_graph, DEFAULT_LAYOUT, VOCABULARY)


def test_names_that_are_words_of_the_query_language_work_everywhere(bare_graph: GraphDatabase) -> None:
    apply_schema(bare_graph, plan_schema(bare_graph, DEFAULT_LAYOUT, ODD))
    require_schema(bare_graph, DEFAULT_LAYOUT, ODD)
    assert plan_schema(bare_graph, DEFAULT_LAYOUT, ODD).missing == ()


def test_texts_may_hold_anything_that_a_query_would_mind(graph: GraphDatabase) -> None:
    text = "Service:Capstan `}) DETACH DELETE n // ' \" \\ $id %(chunk)s %s {0} \u2028 \U0001f6a2 Bobby'); MATCH (n)\n"
    written = content("odd `name` ' %s.md", text)
    write(graph, written, tiny="fake")
    assert graph.read("MATCH (c:Chunk) RETURN c.text AS text")[0]["text"] == text
    assert digest(graph) == clean_digest(graph, [written], tiny="fake")
