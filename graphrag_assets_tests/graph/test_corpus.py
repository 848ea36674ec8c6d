"""Settling what no single document decides: whatever the order of documents, and nothing the second time."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.graph.corpus import settle_corpus
from graphrag_assets.graph.document import DocumentContent
from graphrag_assets.graph.layout import DEFAULT_LAYOUT
from graphrag_assets.graph.removal import remove_documents
from graphrag_assets.model.corpus import Community, ResolvedCorpus
from graphrag_assets.model.outcomes import GraphChanges
from graphrag_assets.model.vectors import VectorTable
from graphrag_assets_tests.builders.corpus import VOCABULARY, content, run_named, table, thing
from graphrag_assets_tests.builders.graphs import clean_digest, count, digest, names, write
from graphrag_assets_tests.builders.resolved import community, resolved

ALPHA = "[Team:Foundry OWNS Service:Capstan]\n[Service:Capstan DEPENDS_ON Service:Ballast]\n"
BETA = "[Service:CAPSTAN DEPENDS_ON Service:Ballast]\n[Person:Graham MEMBER_OF Team:The_Foundry] Team:The_Foundry\n"
FOUNDRY, THE_FOUNDRY = thing("Team", "Foundry"), thing("Team", "The_Foundry")
CAPSTAN, BALLAST = thing("Service", "Capstan"), thing("Service", "Ballast")


def settle(
    graph: GraphDatabase,
    contents: Sequence[DocumentContent],
    communities: tuple[Community, ...] = (),
    vectors: Mapping[str, VectorTable] | None = None,
    canonical: Mapping[str, str] | None = None,
    run: str = "settle",
) -> GraphChanges:
    corpus = resolved(contents, canonical)
    return settle_corpus(graph, corpus, communities, vectors or {}, run_named(run), DEFAULT_LAYOUT, VOCABULARY)


def test_the_order_of_documents_does_not_show_once_the_corpus_is_settled(graph: GraphDatabase) -> None:
    alpha, beta = content("alpha.md", ALPHA), content("beta.md", BETA)
    write(graph, beta)
    write(graph, alpha)
    unsettled = digest(graph)
    settle(graph, [alpha, beta])
    after = digest(graph)
    row = graph.read("MATCH (n:Service {id: $id}) RETURN n.name AS name, n.aliases AS aliases, n.rank AS rank", {"id": CAPSTAN})[0]
    assert dict(row) == {"name": "CAPSTAN", "aliases": ["Capstan"], "rank": 0.666666666667}
    assert after == clean_digest(graph, [alpha, beta], lambda g: settle(g, [alpha, beta]))
    assert unsettled not in {after, clean_digest(graph, [alpha, beta])}


def test_settling_twice_changes_nothing(graph: GraphDatabase) -> None:
    written = [content("alpha.md", ALPHA), content("beta.md", BETA)]
    for one in written:
        write(graph, one)
    groups = (community(0, [CAPSTAN, BALLAST, FOUNDRY]),)
    vectors = {"tiny": table("tiny", [(CAPSTAN, "Capstan"), (BALLAST, "Ballast")])}
    assert settle(graph, written, groups, vectors).properties_set > 0
    before = digest(graph)
    assert settle(graph, written, groups, vectors, run="again") == GraphChanges()
    assert digest(graph) == before
    assert count(graph, "(:IngestionRun {id: 'again'})") == 0


def test_an_equal_document_stays_equal_after_settling(graph: GraphDatabase) -> None:
    written = content("alpha.md", ALPHA)
    write(graph, written)
    settle(graph, [written])
    assert write(graph, written, "run-2") == GraphChanges(transactions=1)


def test_a_removal_and_a_new_settlement_give_the_clean_graph(graph: GraphDatabase) -> None:
    alpha, beta = content("alpha.md", ALPHA), content("beta.md", BETA)
    for one in (alpha, beta):
        write(graph, one, tiny="fake")
    settle(graph, [alpha, beta], (community(0, [CAPSTAN, BALLAST]), community(0, [FOUNDRY, THE_FOUNDRY])))
    remove_documents(graph, [beta.document.document_id], DEFAULT_LAYOUT, VOCABULARY, run_named("removal"))
    assert count(graph, "(c:Community {stale: true})") == 1
    group = (community(0, [CAPSTAN, BALLAST]),)
    settle(graph, [alpha], group)
    assert digest(graph) == clean_digest(graph, [alpha], lambda g: settle(g, [alpha], group), tiny="fake")


def test_a_merge_moves_what_is_left_and_matches_documents_written_with_it(graph: GraphDatabase) -> None:
    written = [content("alpha.md", ALPHA), content("beta.md", BETA)]
    for one in written:
        write(graph, one)
    merged = {THE_FOUNDRY: FOUNDRY}
    settle(graph, written, canonical=merged)
    assert names(graph, "(n:Team)") == ["Foundry"]
    assert count(graph, "(:Person)-[:MEMBER_OF]->(:Team {name: 'Foundry'})") == 1
    after = digest(graph)
    again = [replace(one, canonical=merged) for one in written]
    assert [write(graph, one, "run-2") for one in again] == [GraphChanges(transactions=1)] * 2
    assert after == clean_digest(graph, again, lambda g: settle(g, written, canonical=merged))


def test_a_merge_into_a_thing_that_no_written_document_names_makes_it(graph: GraphDatabase) -> None:
    beta = content("beta.md", BETA)
    write(graph, beta)
    merged = {THE_FOUNDRY: FOUNDRY}
    settle(graph, [beta], canonical=merged)
    after = digest(graph)
    assert after == clean_digest(graph, [replace(beta, canonical=merged)], lambda g: settle(g, [beta], canonical=merged))


def test_facts_that_fall_together_in_a_merge_unite_their_lists_and_self_facts_go(graph: GraphDatabase) -> None:
    one = content("one.md", "[Person:Hedda MEMBER_OF Team:Foundry] [Team:The_Foundry OWNS Team:Foundry]\n")
    two = content("two.md", "[Person:Hedda MEMBER_OF Team:The_Foundry]\n")
    write(graph, one)
    write(graph, two)
    settle(graph, [one, two], canonical={THE_FOUNDRY: FOUNDRY})
    rows = graph.read("MATCH (s:Thing)-[r]->(t:Thing) RETURN type(r) AS type, r.document_ids AS documents")
    assert [dict(row) for row in rows] == [{"type": "MEMBER_OF", "documents": sorted([one.document.document_id, two.document.document_id])}]


def test_communities_are_nodes_with_members_and_parents_and_old_ones_go(graph: GraphDatabase) -> None:
    alpha = content("alpha.md", ALPHA)
    write(graph, alpha)
    parent = community(1, [CAPSTAN, BALLAST, FOUNDRY])
    child = community(0, [CAPSTAN, BALLAST], parent.community_id)
    settle(graph, [alpha], (parent, child))
    assert count(graph, "(:Community {level: 0, members: 2})-[:PARENT_COMMUNITY]->(:Community {level: 1, members: 3})") == 1
    assert count(graph, "(:Thing)-[:IN_COMMUNITY]->(:Community)") == 5
    alone = community(0, [CAPSTAN, BALLAST])
    settle(graph, [alpha], (alone,))
    assert count(graph, "(:Community)") == 1
    assert count(graph, "(:Community)-[:PARENT_COMMUNITY]->()") == 0
    assert digest(graph) == clean_digest(graph, [alpha], lambda g: settle(g, [alpha], (alone,)))


def test_vectors_of_things_are_written_by_text_and_go_with_their_owner(graph: GraphDatabase) -> None:
    alpha = content("alpha.md", ALPHA)
    write(graph, alpha)
    both = {"tiny": table("tiny", [(CAPSTAN, "Capstan"), (BALLAST, "Ballast")])}
    settle(graph, [alpha], vectors=both)
    found = graph.read(
        "CALL db.index.vector.queryNodes('graphrag_thing_embedding_tiny', 10, [1.0, 1.0, 1.0, 1.0]) YIELD node RETURN node.id AS id"
    )
    assert {row["id"] for row in found} == {CAPSTAN, BALLAST}
    changed = {"tiny": table("tiny", [(CAPSTAN, "Capstan, a service")])}
    assert settle(graph, [alpha], vectors=changed).transactions == 1
    assert count(graph, "(n:Thing) WHERE n.embedding_tiny IS NOT NULL") == 1
    assert digest(graph) == clean_digest(graph, [alpha], lambda g: settle(g, [alpha], vectors=changed))


@pytest.mark.parametrize("groups", [pytest.param((), id="no communities"), pytest.param((community(0, ["a", "b"]),), id="unknown members")])
def test_an_empty_corpus_settles(graph: GraphDatabase, groups: tuple[Community, ...]) -> None:
    settle_corpus(graph, ResolvedCorpus((), ()), groups, {}, run_named("settle"), DEFAULT_LAYOUT, VOCABULARY)
    assert count(graph, "(:Thing)") == 0
