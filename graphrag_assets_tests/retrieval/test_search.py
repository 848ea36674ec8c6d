"""Searching a real graph: every route, its context, its bounds and its receipt."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from graphrag_assets.answers.answer import Answerer
from graphrag_assets.answers.extractive import ExtractiveChat
from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.gateways.hashing import HashingEmbedder
from graphrag_assets.graph.document import DocumentContent, write_document
from graphrag_assets.graph.layout import DEFAULT_LAYOUT
from graphrag_assets.model.documents import Page
from graphrag_assets.model.embedding_set import EmbeddingSet
from graphrag_assets.model.errors import UsageError
from graphrag_assets.model.evidence import Answered, Evidence, Refused
from graphrag_assets.model.extraction import Extraction, Fact, Mention, Thing
from graphrag_assets.model.ids import fact_id
from graphrag_assets.model.limits import Limit
from graphrag_assets.model.settings import AnswerSettings, RetrievalSettings
from graphrag_assets.model.spans import ByteSpan
from graphrag_assets.model.vectors import TextVector, VectorTable
from graphrag_assets.retrieval import walking
from graphrag_assets.retrieval.search import SEARCH_ROUTES, Retriever
from graphrag_assets_tests.builders.corpus import RUN, VOCABULARY, loaded, planned, thing
from graphrag_assets_tests.fakes.clock import FakeClock

QUERIES: list[str] = json.loads(Path(__file__).parents[1].joinpath("cases", "b05_queries.json").read_text(encoding="utf-8"))
SET = EmbeddingSet(name="words", model="hashing", dimensions=256)
EMBEDDER = HashingEmbedder(256)
PHRASES = {
    "DEPENDS_ON": "depends on",
    "LOCATED_IN": "is located in",
    "MEMBER_OF": "is a member of",
    "OWNS": "owns",
    "WORKS_AT": "works at",
}
CAPSTAN = """# Capstan
Capstan rents machines and depends on Ballast.
The Foundry team owns Capstan and nobody else does.
Releases go out on Mondays.
"""
CAPSTAN_FACTS = {1: ["Service:Capstan DEPENDS_ON Service:Ballast"], 2: ["Team:Foundry team OWNS Service:Capstan"]}
FOUNDRY = "# Foundry team\nHedda Lunde has been a member of the Foundry team since spring.\nThey meet in Calder.\n"
FOUNDRY_FACTS = {1: ["Person:Hedda Lunde MEMBER_OF Team:Foundry team"], 2: ["Team:Foundry team LOCATED_IN Place:Calder"]}
BALLAST = "Ballast keeps the scales even, all day long.\n"
CALDER = "Calder lies on the river. Calder, the courier, sends parcels.\n"
_FACT = re.compile(r"([A-Z][a-z]+):(.+) ([A-Z_]{4,}) ([A-Z][a-z]+):(.+)")


def story(name: str, text: str, facts: Mapping[int, Sequence[str]] = MappingProxyType({}), *named: tuple[str, str]) -> DocumentContent:
    """A document whose lines are chunks; ``facts`` are by line, ``named`` are things that the first line names without a fact."""
    document = loaded(name, text)
    plan = planned(document)
    things: dict[str, Thing] = {}
    stated: list[Fact] = []
    mentions: list[Mention] = []

    def mentioned(kind: str, called: str, line: int) -> str:
        key = thing(kind, called)
        things[key] = Thing(key, kind, called)
        chunk = plan.chunks[line]
        mentions.append(Mention(chunk.chunk_id, key, ByteSpan(chunk.span.start, chunk.span.start + 1), chunk.text[0]))
        return key

    for line, lines in facts.items():
        for found in map(_FACT.fullmatch, lines):
            assert found is not None
            source, target = mentioned(found[1], found[2], line), mentioned(found[4], found[5], line)
            stated.append(Fact(fact_id(source, found[3], target), found[3], source, target, (plan.chunks[line].chunk_id,)))
    for kind, called in named:
        mentioned(kind, called, 0)
    once = {(m.chunk_id, m.thing_id): m for m in mentions}
    extraction = Extraction(document.document_id, "o", "e", tuple(things.values()), tuple(stated), tuple(once.values()))
    return DocumentContent(document, plan, extraction, document.content_hash)


@pytest.fixture
def graph_sets() -> Sequence[EmbeddingSet]:
    return (SET,)


def written(graph: GraphDatabase, document: DocumentContent) -> DocumentContent:
    """Write a document with its vectors, and give its things theirs: of their names."""
    chunks = [chunk for chunk in document.plan.chunks if not chunk.blank]
    vectors = EMBEDDER.embed([chunk.text for chunk in chunks]).vectors
    table = VectorTable(
        "words", "hashing", "1", 256, tuple(TextVector(c.chunk_id, "h", tuple(v)) for c, v in zip(chunks, vectors, strict=True))
    )
    write_document(graph, document, {"words": table}, RUN, DEFAULT_LAYOUT, VOCABULARY)
    things = document.extraction.things
    names = EMBEDDER.embed([one.name for one in things]).vectors if things else ()
    rows = [{"id": one.thing_id, "vector": list(vector)} for one, vector in zip(things, names, strict=True)]
    statement = "UNWIND $rows AS r MATCH (t:Thing {id: r.id}) CALL db.create.setNodeVectorProperty(t, 'embedding_words', r.vector)"
    graph.write(lambda tx: tx.run(statement, {"rows": rows}))
    return document


@pytest.fixture
def corpus(graph: GraphDatabase) -> dict[str, DocumentContent]:
    stories = (
        story("capstan.md", CAPSTAN, CAPSTAN_FACTS),
        story("foundry.md", FOUNDRY, FOUNDRY_FACTS),
        story("ballast.md", BALLAST, {}, ("Service", "Ballast")),
        story("calder.md", CALDER, {}, ("Place", "Calder"), ("Service", "Calder")),
    )
    return {one.document.metadata.title or "": written(graph, one) for one in stories}


@pytest.fixture
def retriever(graph: GraphDatabase, corpus: dict[str, DocumentContent]) -> Retriever:
    return Retriever(graph, DEFAULT_LAYOUT, PHRASES, SET, EMBEDDER, RetrievalSettings(), FakeClock())


def texts(evidence: Evidence) -> list[str]:
    return [item.text for item in evidence.items]


def context(evidence: Evidence, reason: str) -> list[str]:
    return [one.text for one in evidence.context if one.reason == reason]


@pytest.mark.parametrize("route", ["vector", "full-text", "hybrid"])
def test_the_chunk_that_holds_the_words_comes_first(retriever: Retriever, route: str) -> None:
    assert retriever.search("When do releases go out, on Mondays?", route=route).items[0].text == "Releases go out on Mondays.\n"


@pytest.mark.parametrize("route", SEARCH_ROUTES)
def test_the_text_of_an_item_is_exactly_the_documents_bytes(retriever: Retriever, corpus: dict[str, DocumentContent], route: str) -> None:
    by_id = {one.document.document_id: one.document for one in corpus.values()}
    items = retriever.search("Who owns Capstan?", route=route).items
    assert items
    for item in items:
        document = by_id[item.document_id]
        assert document.text[item.start : item.end].decode() == item.text
        assert (item.uri, item.title) == (document.uri, document.metadata.title)


def test_an_item_of_two_routes_says_its_place_on_both(retriever: Retriever) -> None:
    best = retriever.search("Releases go out on Mondays").items[0]
    assert [(place.route, place.rank) for place in best.routes] == [("full-text", 1), ("vector", 1)]
    assert best.why == "full-text rank 1, vector rank 1"
    assert best.heading_path == "Capstan"


def test_the_graph_route_follows_facts_from_document_to_document(retriever: Retriever) -> None:
    evidence = retriever.search("Which person is a member of the team that owns Capstan?", route="graph")
    assert context(evidence, "graph-path")[0] == (
        "Foundry team (Team) owns Capstan (Service); Hedda Lunde (Person) is a member of Foundry team (Team)"
    )
    assert texts(evidence)[:2] == [
        "The Foundry team owns Capstan and nobody else does.\n",
        "Hedda Lunde has been a member of the Foundry team since spring.\n",
    ]
    assert evidence.items[0].why == "Foundry team owns Capstan"
    assert evidence.items[0].routes[0].route == "graph"


def test_a_question_that_names_nothing_has_no_evidence_by_the_graph_and_says_so(retriever: Retriever) -> None:
    evidence = retriever.search("How do they do it?", route="graph")
    assert (evidence.items, evidence.context) == ((), ())
    assert evidence.receipt.details["outcome"] == "no-thing-linked"


def test_of_a_thing_without_facts_the_chunks_that_name_it_come_and_it_is_said(retriever: Retriever, graph: GraphDatabase) -> None:
    written(graph, story("lone.md", "Lonely stands alone.\n", {}, ("Service", "Lonely")))
    evidence = retriever.search("What is Lonely?", route="graph")
    assert evidence.receipt.details["outcome"] == "no-path"
    assert [(item.text, item.why) for item in evidence.items] == [("Lonely stands alone.\n", "names Lonely")]
    assert context(evidence, "graph-path") == []


def test_things_of_one_name_are_all_linked(retriever: Retriever) -> None:
    assert retriever.search("Where is Calder?", route="graph").receipt.details["things_linked"] == 2


def test_a_thing_is_linked_by_an_alias(graph: GraphDatabase, retriever: Retriever) -> None:
    graph.write(lambda tx: tx.run("MATCH (t:Service {name: 'Capstan'}) SET t.aliases = ['The Winch']"))
    details = retriever.search("Who owns the winch?", route="graph").receipt.details
    assert (details["linked_by_name"], details["things_linked"]) == (1, 1)


def test_a_thing_is_linked_by_nearness_when_no_name_is_equal(retriever: Retriever) -> None:
    near = replace(retriever, settings=RetrievalSettings(link_threshold=0.5))
    details = near.search("Who owns Capstans?", route="graph").receipt.details
    assert (details["linked_by_name"], details["things_linked"]) == (0, 1)
    assert retriever.search("Who owns Capstans?", route="graph").receipt.details["outcome"] == "no-thing-linked"


def test_a_placeholder_is_never_linked_and_never_walked(graph: GraphDatabase, retriever: Retriever) -> None:
    document = story("vague.md", "Somebodies own Capstan.\n", {0: ["Team:Somebodies OWNS Service:Capstan"]})
    vague = tuple(replace(one, is_placeholder=one.name == "Somebodies") for one in document.extraction.things)
    written(graph, replace(document, extraction=replace(document.extraction, things=vague)))
    assert retriever.search("What do Somebodies own?", route="graph").receipt.details["outcome"] == "no-thing-linked"
    assert "Somebodies" not in " ".join(context(retriever.search("Who owns Capstan?", route="graph"), "graph-path"))


def test_hybrid_adds_the_facts_that_its_chunks_state(retriever: Retriever) -> None:
    evidence = retriever.search("Foundry owns Capstan and nobody else does", max_items=1)
    assert texts(evidence) == ["The Foundry team owns Capstan and nobody else does.\n"]
    assert context(evidence, "graph-fact") == ["Foundry team (Team) owns Capstan (Service)"]
    assert context(retriever.search("Who owns Capstan?", route="vector"), "graph-fact") == []


def test_neighbours_are_labelled_context_each_once_and_never_items(retriever: Retriever) -> None:
    evidence = retriever.search("Who owns Capstan, Foundry team?", route="full-text", max_items=1)
    assert context(evidence, "neighbour-before") == ["Capstan rents machines and depends on Ballast.\n"]
    assert context(evidence, "neighbour-after") == ["Releases go out on Mondays.\n"]
    wide = replace(retriever, settings=RetrievalSettings(neighbour_chunks=4))
    every = wide.search("Who owns Capstan, Foundry team?", route="full-text")
    ids = [one.chunk_id for one in every.context if one.reason.startswith("neighbour")]
    assert len(set(ids)) == len(ids)
    assert not set(ids) & {item.chunk_id for item in every.items}
    none = replace(retriever, settings=RetrievalSettings(neighbour_chunks=0))
    assert none.search("Who owns Capstan?", route="full-text").context == ()


@pytest.mark.parametrize("question", [query for query in QUERIES if query.strip()], ids=repr)
def test_a_question_is_never_a_syntax_error_and_vector_results_still_come(retriever: Retriever, question: str) -> None:
    assert retriever.search(question).items
    retriever.search(question, route="full-text")
    retriever.search(question, route="graph")


@pytest.mark.parametrize("question", [query for query in QUERIES if not query.strip()], ids=repr)
def test_a_blank_question_is_refused_before_any_work(retriever: Retriever, question: str) -> None:
    with pytest.raises(UsageError) as refused:
        retriever.search(question)
    assert refused.value.code == "empty-question"


def test_all_bounds_are_said(retriever: Retriever) -> None:
    tight = replace(retriever, settings=RetrievalSettings(candidates_per_route=2, max_items=2, max_utf8_bytes=64))
    evidence = tight.search("Who owns Capstan, Foundry team?")
    assert {limit.name for limit in evidence.limits} == {"candidates-per-route", "evidence-bytes"}
    assert evidence.receipt.utf8_bytes == sum(len(item.text.encode()) for item in evidence.items) <= 64
    few = retriever.search("Who owns Capstan, Foundry team?", max_items=1)
    assert (len(few.items), Limit("max-items", 1) in few.limits) == (1, True)
    assert few.omitted > 0


def test_more_paths_than_the_bound_are_said(retriever: Retriever) -> None:
    tight = replace(retriever, settings=RetrievalSettings(paths_per_seed=1))
    assert Limit("paths-per-seed", 1) in tight.search("Who owns Capstan?", route="graph").limits


def test_more_facts_of_a_thing_than_the_bound_are_said(retriever: Retriever, graph: GraphDatabase) -> None:
    spokes = [f"Service:Hub DEPENDS_ON Service:Spoke{n}" for n in range(walking.FACTS_PER_THING + 1)]
    written(graph, story("hub.md", "Hub depends on everything.\n", {0: spokes}))
    evidence = retriever.search("What does Hub depend on?", route="graph")
    assert Limit("facts-per-thing", walking.FACTS_PER_THING) in evidence.limits
    assert evidence.receipt.details["facts_read"] == walking.FACTS_PER_THING


def test_an_item_is_on_the_pages_it_touches(graph: GraphDatabase, retriever: Retriever) -> None:
    document = story("paged.md", "Zinnias on page one.\nMore zinnias over two.\n")
    pages = (Page(1, ByteSpan(0, 25)), Page(2, ByteSpan(25, len(document.document.text))))
    written(graph, replace(document, document=replace(document.document, pages=pages)))
    found = {item.text: (item.pages, item.page_starts) for item in retriever.search("zinnias", route="full-text").items}
    assert found == {"Zinnias on page one.\n": ((1,), ((1, 0),)), "More zinnias over two.\n": ((1, 2), ((1, 0), (2, 25)))}


RECEIPTS = {
    "vector": (("graphrag_chunk_embedding_words",), 1, ("hashing",)),
    "full-text": (("graphrag_chunk_text",), 0, ()),
    "hybrid": (("graphrag_chunk_embedding_words", "graphrag_chunk_text"), 1, ("hashing",)),
    "graph": (("graphrag_thing_names", "graphrag_thing_embedding_words"), 2, ("hashing",)),
}


@pytest.mark.parametrize("route", SEARCH_ROUTES)
def test_the_receipt_says_what_a_search_used(retriever: Retriever, graph: GraphDatabase, route: str) -> None:
    receipt = retriever.search("Which person owns Capstan?", route=route).receipt
    assert (receipt.indexes, receipt.embedding_calls, receipt.stand_ins) == RECEIPTS[route]
    assert (receipt.route, receipt.server_version, receipt.embedding_set) == (route, graph.version(), "words")


@pytest.mark.parametrize("route", SEARCH_ROUTES)
def test_the_same_search_gives_the_same_evidence(retriever: Retriever, route: str) -> None:
    assert retriever.search("Who owns Capstan?", route=route) == retriever.search("Who owns Capstan?", route=route)


def test_an_embedder_of_another_size_is_named_before_any_search(retriever: Retriever) -> None:
    other = replace(retriever, embedder=HashingEmbedder(128))
    for route in ("vector", "hybrid", "graph"):
        with pytest.raises(UsageError) as refused:
            other.search("Who owns Capstan?", route=route)
        assert refused.value.code == "embedding-set-differs"
        assert "256" in refused.value.message
        assert "128" in refused.value.message
    assert other.search("Who owns Capstan?", route="full-text").items


def test_a_route_that_fails_fails_the_search(retriever: Retriever) -> None:
    lost = replace(retriever, layout=replace(DEFAULT_LAYOUT, chunk_text_index_name="nowhere"))
    assert lost.search("Who owns Capstan?", route="vector").items
    with pytest.raises(UsageError):
        lost.search("Who owns Capstan?")


@pytest.mark.parametrize(("route", "count", "code"), [("sideways", 8, "route-unknown"), ("vector", 0, "max-items-out-of-bounds")])
def test_what_cannot_be_asked_is_refused(retriever: Retriever, route: str, count: int, code: str) -> None:
    with pytest.raises(UsageError) as refused:
        retriever.search("Who owns Capstan?", route=route, max_items=count)
    assert refused.value.code == code


def test_a_chunk_without_a_vector_is_still_found_by_its_words(retriever: Retriever, graph: GraphDatabase) -> None:
    write_document(graph, story("late.md", "Latecomer has no vector yet.\n"), {}, RUN, DEFAULT_LAYOUT, VOCABULARY)
    assert "Latecomer" in retriever.search("latecomer", route="full-text").items[0].text


def test_a_removed_document_leaves_no_evidence(retriever: Retriever, graph: GraphDatabase) -> None:
    write_document(graph, story("capstan.md", "Capstan is gone.\n", {}, ("Service", "Capstan")), {}, RUN, DEFAULT_LAYOUT, VOCABULARY)
    assert "Mondays" not in " ".join(texts(retriever.search("When do releases go out, on Mondays?")))
    assert context(retriever.search("Who owns Capstan?", route="graph"), "graph-path") == []


def test_an_answer_from_the_graph_is_cited_from_the_documents(retriever: Retriever, corpus: dict[str, DocumentContent]) -> None:
    answerer = Answerer(retriever, ExtractiveChat(), AnswerSettings(), FakeClock())
    outcome = answerer.ask("Which person is a member of the team that owns Capstan?", route="graph")
    assert isinstance(outcome, Answered)
    by_id = {one.document.document_id: one.document for one in corpus.values()}
    assert {by_id[cited.document_id].metadata.title for cited in outcome.citations} == {"capstan.md", "foundry.md"}
    for cited in outcome.citations:
        assert by_id[cited.document_id].text[cited.start : cited.end].decode() == cited.quote


def test_without_evidence_the_answer_is_refused(retriever: Retriever) -> None:
    outcome = Answerer(retriever, ExtractiveChat(), AnswerSettings(), FakeClock()).ask("How do they do it?", route="graph")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "no-evidence"


def test_things_are_told_apart_by_id_not_by_name(corpus: dict[str, DocumentContent]) -> None:
    calder: tuple[Thing, ...] = corpus["calder.md"].extraction.things
    assert {one.thing_id for one in calder} == {thing("Place", "Calder"), thing("Service", "Calder")}
