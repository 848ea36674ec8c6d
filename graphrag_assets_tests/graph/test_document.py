"""Writing documents: whole, as a difference, and without a trace of what they said before."""

from dataclasses import replace

import pytest

from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.graph.document import write_document
from graphrag_assets.graph.layout import DEFAULT_LAYOUT
from graphrag_assets.model.documents import DocumentMetadata
from graphrag_assets.model.errors import FailedDocument, UsageError
from graphrag_assets.model.extraction import Fact
from graphrag_assets.model.ids import fact_id
from graphrag_assets_tests.builders.corpus import RUN, VOCABULARY, chunk_table, content, thing
from graphrag_assets_tests.builders.graphs import NOTHING, clean_digest, count, digest, write

ALPHA = """# Alpha
Service:Capstan is run by a team. [Team:Foundry OWNS Service:Capstan]
[Service:Capstan DEPENDS_ON Service:Ballast] Person:Hedda SAYS "we own it"

# Details
[Person:Hedda MEMBER_OF Team:Foundry]
"""
BETA = "[Service:Capstan DEPENDS_ON Service:Ballast]\n[Person:Graham MEMBER_OF Team:Ledger]\n"


def test_a_document_is_written_whole_in_one_transaction(graph: GraphDatabase) -> None:
    changes = write(graph, content("alpha.md", ALPHA), tiny="fake")
    assert changes.transactions == 1
    assert count(graph, "(:Document)") == 1
    assert count(graph, "(:Section)-[:SECTION_OF]->(:Document)") == 2
    assert count(graph, "(:Chunk)-[:IN_DOCUMENT]->(:Document)") == 6
    assert count(graph, "(:Chunk)-[:NEXT_CHUNK]->(:Chunk)") == 5
    assert count(graph, "(:Team:Thing)-[:OWNS]->(:Service:Thing)") == 1
    assert count(graph, "(:Person)-[:SAYS {words: 'we own it'}]->(:Chunk)") == 1
    assert count(graph, "(c:Chunk) WHERE c.embedding_tiny IS NOT NULL") == 5
    assert count(graph, "(:IngestionRun {id: 'run-1', status: 'running'})") == 1


def test_an_equal_document_changes_nothing(graph: GraphDatabase) -> None:
    write(graph, content("alpha.md", ALPHA), tiny="fake")
    before = digest(graph)
    assert write(graph, content("alpha.md", ALPHA), "run-2", tiny="fake") == NOTHING
    assert count(graph, "(:IngestionRun)") == 1
    assert digest(graph) == before


def test_an_edited_document_leaves_nothing_of_its_old_version(graph: GraphDatabase) -> None:
    write(graph, content("capstan.md", "[Team:Foundry OWNS Service:Capstan]\n"), tiny="fake")
    edited = content("capstan.md", "[Team:Ledger OWNS Service:Capstan]\n")
    write(graph, edited, "run-2", tiny="fake")
    assert [row["name"] for row in graph.read("MATCH (t:Team)-[:OWNS]->() RETURN t.name AS name")] == ["Ledger"]
    assert count(graph, "(t:Thing {name: 'Foundry'})") == 0
    assert digest(graph) == clean_digest(graph, [edited], tiny="fake")


def test_a_fact_that_two_documents_state_lists_both_and_loses_one_with_it(graph: GraphDatabase) -> None:
    alpha, beta = content("alpha.md", ALPHA), content("beta.md", BETA)
    write(graph, alpha)
    write(graph, beta)
    facts = "MATCH (:Thing {name: 'Capstan'})-[r:DEPENDS_ON]->() RETURN r.document_ids AS documents, r.chunk_ids AS chunks"
    row = graph.read(facts)[0]
    assert row["documents"] == sorted([alpha.document.document_id, beta.document.document_id])
    assert row["chunks"] == sorted([alpha.plan.chunks[2].chunk_id, beta.plan.chunks[0].chunk_id])
    write(graph, content("alpha.md", "Service:Capstan\n"))
    row = graph.read(facts)[0]
    assert row["documents"] == [beta.document.document_id]
    assert row["chunks"] == [beta.plan.chunks[0].chunk_id]


@pytest.mark.parametrize(
    "history",
    [
        pytest.param([("a", ALPHA), ("b", BETA)], id="in order"),
        pytest.param([("b", BETA), ("a", ALPHA)], id="the other order"),
        pytest.param([("a", BETA), ("b", ALPHA), ("a", ALPHA), ("b", BETA)], id="swapped and back"),
        pytest.param([("a", ALPHA), ("b", BETA), ("a", ""), ("a", ALPHA)], id="emptied and written again"),
        pytest.param([("b", BETA), ("a", ALPHA), ("b", ""), ("a", ALPHA), ("b", BETA)], id="the other one emptied"),
    ],
)
def test_no_history_shows_in_the_digest(graph: GraphDatabase, history: list[tuple[str, str]]) -> None:
    for number, (name, text) in enumerate(history):
        write(graph, content(name, text), f"run-{number}", tiny="fake")
    after = digest(graph)
    assert after == clean_digest(graph, [content("a", ALPHA), content("b", BETA)], tiny="fake")


def test_new_extraction_settings_over_the_same_text_keep_chunks_and_their_vectors(graph: GraphDatabase) -> None:
    write(graph, content("alpha.md", ALPHA), tiny="fake")
    again = content("alpha.md", ALPHA, extractor="pattern/2")
    changes = write(graph, again, "run-2")
    assert (changes.nodes_created, changes.nodes_deleted) == (1, 0)
    assert (changes.relationships_created, changes.relationships_deleted) == (0, 0)
    assert count(graph, "(c:Chunk) WHERE c.embedding_tiny IS NOT NULL") == 5
    assert count(graph, "(d:Document) WHERE d.vectors_tiny IS NOT NULL") == 1
    assert digest(graph) == clean_digest(graph, [again], tiny="fake")


def test_new_chunks_without_vectors_end_the_marker_of_the_set(graph: GraphDatabase) -> None:
    write(graph, content("alpha.md", ALPHA), tiny="fake")
    write(graph, content("alpha.md", ALPHA, chunker="lines/2"))
    assert count(graph, "(d:Document) WHERE d.vectors_tiny IS NOT NULL") == 0
    assert count(graph, "(c:Chunk) WHERE c.embedding_tiny IS NOT NULL") == 0


def test_a_killed_transaction_leaves_the_document_as_it_was(graph: GraphDatabase) -> None:
    write(graph, content("alpha.md", ALPHA), tiny="fake")
    before = digest(graph)
    broken = content("alpha.md", BETA)
    table = chunk_table(broken)
    short = replace(table, vectors=(replace(table.vectors[0], vector=(1.0, 2.0)), *table.vectors[1:]))
    with pytest.raises(FailedDocument, match="has 2 numbers"):
        write_document(graph, broken, {"tiny": short}, RUN, DEFAULT_LAYOUT, VOCABULARY)
    lone = replace(broken, document=replace(broken.document, metadata=DocumentMetadata(title="\ud83d")))
    with pytest.raises(FailedDocument, match="cannot be stored"):
        write_document(graph, lone, {}, RUN, DEFAULT_LAYOUT, VOCABULARY)
    assert digest(graph) == before


def test_merged_things_are_written_under_one_id_and_their_self_facts_are_dropped(graph: GraphDatabase) -> None:
    text = "[Person:Hedda WORKS_AT Team:Foundry] [Team:The_Foundry OWNS Team:Foundry] Team:The_Foundry\n"
    kept, merged = thing("Team", "Foundry"), thing("Team", "The_Foundry")
    write(graph, replace(content("alpha.md", text), canonical={merged: kept}))
    assert [row["id"] for row in graph.read("MATCH (t:Team) RETURN t.id AS id")] == [kept]
    assert count(graph, "()-[:OWNS]->()") == 0
    assert count(graph, "(:Team)-[:MENTIONED_IN_TEAM]->(:Chunk)") == 4


def test_taking_a_merge_back_gives_the_graph_it_never_touched(graph: GraphDatabase) -> None:
    text = "[Person:Hedda WORKS_AT Team:Foundry] [Team:The_Foundry OWNS Service:Capstan]\n"
    plain = content("alpha.md", text)
    write(graph, replace(plain, canonical={thing("Team", "The_Foundry"): thing("Team", "Foundry")}))
    write(graph, plain, "run-2")
    assert digest(graph) == clean_digest(graph, [plain])


def test_a_fact_whose_end_no_chunk_names_is_refused(graph: GraphDatabase) -> None:
    written = content("alpha.md", "[Team:Foundry OWNS Service:Capstan]\n")
    hidden = replace(written.extraction, mentions=written.extraction.mentions[:1])
    with pytest.raises(FailedDocument, match="named in no chunk"):
        write(graph, replace(written, extraction=hidden))


def test_a_name_outside_the_vocabulary_never_reaches_the_server(graph: GraphDatabase) -> None:
    with pytest.raises(FailedDocument, match="no class 'Vendor'"):
        write(graph, content("alpha.md", "Vendor:Oakmere\n"))


def test_a_relationship_of_somebody_else_on_a_chunk_stops_its_deletion(graph: GraphDatabase) -> None:
    write(graph, content("alpha.md", "Service:Capstan\n"))
    graph.write(lambda tx: tx.run("MATCH (c:Chunk) CREATE (:Note {text: 'mine'})-[:ABOUT]->(c)"))
    with pytest.raises(UsageError, match="ABOUT") as raised:
        write(graph, content("alpha.md", "Service:Ballast\n"))
    assert raised.value.code == "not-ours"


def test_a_document_may_be_an_end_of_a_fact(graph: GraphDatabase) -> None:
    written = content("alpha.md", "Person:Hedda\n")
    person, chunk = thing("Person", "Hedda"), written.plan.chunks[0].chunk_id
    own = written.document.document_id
    fact = Fact(fact_id(own, "OWNS", person), "OWNS", own, person, (chunk,), source_is_document=True)
    write(graph, replace(written, extraction=replace(written.extraction, facts=(fact,))))
    assert count(graph, "(:Document)-[:OWNS]->(:Person)") == 1
    write(graph, written, "run-2")
    assert count(graph, "(:Document)-[:OWNS]->(:Person)") == 0
    assert digest(graph) == clean_digest(graph, [written])


def test_writing_is_refused_before_the_constraints_exist(bare_graph: GraphDatabase) -> None:
    with pytest.raises(UsageError) as raised:
        write(bare_graph, content("alpha.md", ALPHA))
    assert raised.value.code == "schema-missing"
    assert count(bare_graph, "(n)") == 0
