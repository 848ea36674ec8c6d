"""Transactions side by side: none fails, none loses what another wrote, whatever things they share."""

from concurrent.futures import ThreadPoolExecutor

from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.graph.layout import DEFAULT_LAYOUT
from graphrag_assets.graph.removal import remove_documents, residue
from graphrag_assets_tests.builders.corpus import VOCABULARY, content, run_named
from graphrag_assets_tests.builders.graphs import clean_digest, count, digest, write

WORKERS = 8
TIMES = 50


def test_opposite_facts_loaded_fifty_times_by_eight_workers_never_deadlock(graph: GraphDatabase) -> None:
    contents = [
        content("one.md", "[Service:P DEPENDS_ON Service:Q]\n"),
        content("two.md", "[Service:Q DEPENDS_ON Service:P]\n"),
    ]
    retries = getattr(graph, "retries", 0)
    with ThreadPoolExecutor(WORKERS) as pool:
        changes = list(pool.map(lambda n: write(graph, contents[n % 2], f"run-{n % 2}"), range(2 * TIMES)))
    assert sum(one.nodes_created for one in changes) == 2 + 2 + 2 + 2  # documents, chunks, things, runs
    assert (count(graph, "(:Service)"), count(graph, "()-[:DEPENDS_ON]->()")) == (2, 2)
    assert getattr(graph, "retries", 0) == retries
    assert digest(graph) == clean_digest(graph, contents)


def test_documents_that_appear_and_vanish_side_by_side_leave_the_graph_of_those_that_stay(graph: GraphDatabase) -> None:
    staying = [content(f"stay-{n}.md", f"[Service:Hub DEPENDS_ON Service:S{n}]\n[Service:S{n} DEPENDS_ON Service:Hub]\n") for n in range(6)]
    passing = [content(f"pass-{n}.md", f"[Service:S{n} DEPENDS_ON Service:Hub] [Team:T{n % 2} OWNS Service:S{n}]\n") for n in range(12)]

    def come_and_go(number: int) -> None:
        if number % 3 == 0:
            write(graph, staying[number // 3 % 6], f"run-{number}")
            return
        one = passing[number % 12]
        write(graph, one, f"run-{number}")
        remove_documents(graph, [one.document.document_id], DEFAULT_LAYOUT, VOCABULARY, run_named(f"run-{number}"))

    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(come_and_go, range(72)))
    gone = [one.document.document_id for one in passing]
    remove_documents(graph, gone, DEFAULT_LAYOUT, VOCABULARY, run_named("last"))
    assert set(residue(graph, gone, DEFAULT_LAYOUT).values()) == {0}
    assert digest(graph) == clean_digest(graph, staying)


def test_two_runs_that_write_one_document_at_once_leave_it_whole(graph: GraphDatabase) -> None:
    versions = [content("one.md", f"[Team:T{n} OWNS Service:Capstan]\nLine {n}\n") for n in range(4)]
    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(lambda n: write(graph, versions[n % 4], f"run-{n}"), range(32)))
    after = digest(graph)
    assert after in {clean_digest(graph, [one]) for one in versions}
