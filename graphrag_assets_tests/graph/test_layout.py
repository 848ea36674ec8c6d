"""Names: only checked identifiers reach a statement, and no name stands for two things."""

import pytest

from graphrag_assets.graph.layout import DEFAULT_LAYOUT, GraphVocabulary, Layout, quoted
from graphrag_assets.model.errors import UsageError


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("Person", "MENTIONED_IN_PERSON"),
        ("LineItem", "MENTIONED_IN_LINE_ITEM"),
        ("HTTPService", "MENTIONED_IN_HTTP_SERVICE"),
        ("API", "MENTIONED_IN_API"),
        ("Tier2Team", "MENTIONED_IN_TIER2_TEAM"),
    ],
)
def test_a_mention_type_is_made_of_the_words_of_a_class(kind: str, wanted: str) -> None:
    assert DEFAULT_LAYOUT.mention_type(kind) == wanted


def test_a_label_prefix_shows_in_labels_and_mention_types() -> None:
    layout = Layout(label_prefix="Rag")
    assert layout.thing_labels("Person") == ("Thing", "RagPerson")
    assert layout.mention_type("Person") == "MENTIONED_IN_RAG_PERSON"


def test_a_layout_may_share_one_mention_type_and_add_labels() -> None:
    layout = Layout(shared_mention_type="FROM_CHUNK", extra_thing_labels=("__Entity__", "__KGBuilder__"))
    vocabulary = GraphVocabulary(("Person", "Team"))
    layout.check(vocabulary)
    assert layout.mention_types(vocabulary) == ("FROM_CHUNK",)
    assert layout.thing_labels("Person") == ("Thing", "Person", "__Entity__", "__KGBuilder__")
    with pytest.raises(UsageError, match="FROM_CHUNK"):
        layout.check(GraphVocabulary(("Person",), facts=("FROM_CHUNK",)))


@pytest.mark.parametrize("name", ["", "1st", "Per son", "Per`son", "Person)-[", "Ünit", "x" * 64, "a-b"])
def test_a_name_that_is_no_identifier_is_refused(name: str) -> None:
    with pytest.raises(UsageError) as raised:
        quoted(name)
    assert raised.value.code == "layout-invalid"
    with pytest.raises(UsageError, match="cannot be used"):
        Layout(chunk_label=name)


@pytest.mark.parametrize(
    "vocabulary",
    [
        pytest.param(GraphVocabulary(("Document",)), id="class and document"),
        pytest.param(GraphVocabulary(("Thing",)), id="class and shared label"),
        pytest.param(GraphVocabulary(("Person", "PERSON")), id="classes that differ in case"),
        pytest.param(GraphVocabulary(("LineItem", "Line_Item")), id="classes with one mention type"),
        pytest.param(GraphVocabulary(("Person",), facts=("IN_SECTION",)), id="fact and lexical edge"),
        pytest.param(GraphVocabulary(("Person",), facts=("SAYS",), quotes=("SAYS",)), id="fact and quote"),
        pytest.param(GraphVocabulary(("Person",), facts=("MENTIONED_IN_PERSON",)), id="fact and mention"),
    ],
)
def test_one_name_for_two_things_is_refused_and_named(vocabulary: GraphVocabulary) -> None:
    with pytest.raises(UsageError) as raised:
        DEFAULT_LAYOUT.check(vocabulary)
    assert raised.value.code == "layout-collision"


def test_a_prefix_mends_a_class_that_collides() -> None:
    Layout(label_prefix="Rag").check(GraphVocabulary(("Document", "Thing")))


def test_two_labels_of_a_layout_may_not_be_equal() -> None:
    with pytest.raises(UsageError, match="'Chunk'"):
        Layout(section_label="Chunk")


def test_the_name_of_a_set_is_checked_before_it_names_a_property() -> None:
    assert DEFAULT_LAYOUT.embedding_property("minilm") == "embedding_minilm"
    assert DEFAULT_LAYOUT.chunk_vector_index("minilm") == "graphrag_chunk_embedding_minilm"
    with pytest.raises(UsageError, match="no name of an embedding set"):
        DEFAULT_LAYOUT.embedding_property("x`] = 1")
