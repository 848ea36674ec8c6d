"""Removing documents: everything that they alone brought goes, everything that others share stays."""

import pytest

from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.graph.layout import DEFAULT_LAYOUT
from graphrag_assets.graph.removal import BATCH_FACTS, RemovalReport, removal_batches, remove_documents, residue
from graphrag_assets.model.errors import UsageError
from graphrag_assets_tests.builders.cases import load_case
from graphrag_assets_tests.builders.corpus import VOCABULARY, content, run_named
from graphrag_assets_tests.builders.graphs import clean_digest, count, digest, names, write

ALPHA = '[Team:Foundry OWNS Service:Capstan]\n[Service:Capstan DEPENDS_ON Service:Ballast] Person:Hedda SAYS "ours"\n'
BETA = "# Beta\n[Service:Capstan DEPENDS_ON Service:Ballast]\n[Person:Graham MEMBER_OF Team:Ledger]\n"
GAMMA = "[Person:Graham MEMBER_OF Team:Ledger]\n"


def remove(graph: GraphDatabase, *ids: str, max_facts: int = BATCH_FACTS) -> RemovalReport:
    return remove_documents(graph, ids, DEFAULT_LAYOUT, VOCABULARY, run_named("removal"), max_facts=max_facts)


def test_a_removed_document_leaves_no_residue_and_the_graph_of_the_others(graph: GraphDatabase) -> None:
    alpha, beta, gamma = content("alpha.md", ALPHA), content("beta.md", BETA), content("gamma.md", GAMMA)
    for one in (alpha, beta, gamma):
        write(graph, one, tiny="fake")
    report = remove(graph, beta.document.document_id)
    assert (report.documents, report.sections, report.chunks, report.facts, report.facts_changed) == (1, 1, 3, 0, 2)
    assert set(residue(graph, [beta.document.document_id], DEFAULT_LAYOUT).values()) == {0}
    assert digest(graph) == clean_digest(graph, [alpha, gamma], tiny="fake")


def test_things_that_only_the_removed_document_named_go_with_it(graph: GraphDatabase) -> None:
    alpha, beta = content("alpha.md", ALPHA), content("beta.md", BETA)
    write(graph, alpha)
    write(graph, beta)
    report = remove(graph, alpha.document.document_id)
    assert names(graph, "(n:Thing)") == ["Ballast", "Capstan", "Graham", "Ledger"]
    assert (report.things, report.facts) == (2, 1)


def test_removing_everything_leaves_run_nodes_alone(graph: GraphDatabase) -> None:
    written = [content("alpha.md", ALPHA), content("beta.md", BETA)]
    for one in written:
        write(graph, one, tiny="fake")
    remove(graph, *(one.document.document_id for one in written))
    assert count(graph, "(n)") == count(graph, "(n:IngestionRun)") == 2


def test_ids_that_the_graph_does_not_have_are_reported(graph: GraphDatabase) -> None:
    alpha = content("alpha.md", ALPHA)
    write(graph, alpha)
    report = remove(graph, alpha.document.document_id, "f" * 64)
    assert (report.documents, report.missing) == (1, ("f" * 64,))
    again = remove(graph, alpha.document.document_id)
    assert (again.documents, again.batches, again.missing) == (0, 0, (alpha.document.document_id,))


def test_a_document_that_no_run_wrote_is_refused_and_stays(graph: GraphDatabase) -> None:
    graph.write(lambda tx: tx.run("CREATE (:Document {id: 'theirs', uri: 'docs:/theirs', bytes: 1})"))
    with pytest.raises(UsageError) as raised:
        remove(graph, "theirs")
    assert raised.value.code == "not-ours"
    assert count(graph, "(:Document)") == 1


def test_a_batch_with_too_many_facts_is_halved_down_to_the_document_that_has_them(graph: GraphDatabase) -> None:
    small = [content(f"{name}.md", f"[Team:{name} OWNS Service:{name}]\n") for name in ("Aa", "Bb", "Cc")]
    large = content("large.md", "[Team:X OWNS Service:X] [Team:Y OWNS Service:Y]\n")
    for one in (*small, large):
        write(graph, one)
    report = remove(graph, *(one.document.document_id for one in small), max_facts=1)
    assert (report.documents, report.facts) == (3, 3)
    assert report.batches > 1
    with pytest.raises(UsageError) as raised:
        remove(graph, large.document.document_id, max_facts=1)
    assert raised.value.code == "too-many-facts"
    assert count(graph, "()-[:OWNS]->()") == 2


def test_batches_are_bounded_by_number_and_bytes_and_a_large_document_goes_alone() -> None:
    assert removal_batches({"a": 1, "b": 1, "c": 1}, documents=2) == [["a", "b"], ["c"]]
    assert removal_batches({"a": 5, "b": 9, "c": 1, "d": 9}, size=10) == [["a"], ["b", "c"], ["d"]]
    assert removal_batches({"a": 50, "b": 1}, size=10) == [["a"], ["b"]]
    assert removal_batches({}) == []


def test_deletion_keeps_shared_things_and_facts_with_their_living_sources_only(graph: GraphDatabase) -> None:
    case = load_case("b31_corpus.json")
    written = {}
    for key, document in case["docs"].items():
        facts = "\n".join(f"[{_end(source)} {kind} {_end(target)}]" for source, kind, target in document["relations"])
        mentions = " ".join(_end(name) for name in document["entities"])
        written[key] = content(f"{key}.md", f"{mentions}\n{facts}\n")
        write(graph, written[key])
    remove(graph, *(written[key].document.document_id for key in case["delete"]))
    assert names(graph, "(n:Thing)") == case["want"]["entities"]
    rows = graph.read(
        "MATCH (s:Thing)-[r]->(t:Thing) RETURN s.name AS s, type(r) AS type, t.name AS t, r.document_ids AS ids ORDER BY s, t"
    )
    assert [[row["s"], row["type"], row["t"]] for row in rows] == case["want"]["relations"]
    sources = {f"{row['s']}|{row['type']}|{row['t']}": row["ids"] for row in rows}
    for fact, keys in case["want"]["relation_sources"].items():
        assert sources[fact] == [written[key].document.document_id for key in keys]


def _end(name: str) -> str:
    kind = {"Brae": "Place", "Orrin Mills": "Team"}.get(name, "Person")
    return f"{kind}:{name.replace(' ', '_')}"


def test_copies_of_one_text_are_documents_of_their_own(graph: GraphDatabase) -> None:
    case = load_case("b32_corpus.json")
    written = [
        content(row["path"], row["text"].replace("Mara Lind", "Person:Mara_Lind").replace("Tess Okoro", "Person:Tess_Okoro"))
        for row in case["docs"]
    ]
    for one in written:
        write(graph, one)
    assert count(graph, "(:Document)") == count(graph, "(:Chunk)") == 3
    north, south, copy = written
    remove(graph, north.document.document_id)
    assert names(graph, "(n:Person)") == ["Mara Lind", "Tess Okoro"]
    remove(graph, copy.document.document_id)
    assert names(graph, "(n:Person)") == ["Tess Okoro"]
    assert digest(graph) == clean_digest(graph, [south])
