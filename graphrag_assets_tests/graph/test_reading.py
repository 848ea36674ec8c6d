"""Reads for later stages: what was written, with where it stands."""

from dataclasses import replace

from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.graph.layout import DEFAULT_LAYOUT
from graphrag_assets.graph.reading import (
    StoredDocument,
    list_documents,
    read_chunks,
    read_neighbours,
    read_page_maps,
    stored_fingerprints,
)
from graphrag_assets.graph.run import complete_run
from graphrag_assets.graph.vectors import vector_marker
from graphrag_assets.model.documents import Page
from graphrag_assets.model.plans import Section
from graphrag_assets.model.spans import ByteSpan
from graphrag_assets_tests.builders.corpus import RUN, chunk_table, content
from graphrag_assets_tests.builders.graphs import NOTHING, count, write

ALPHA = content("alpha.md", "zero\n# One\ntwo\nthree\n# Four\nfive\n")
IDS = [chunk.chunk_id for chunk in ALPHA.plan.chunks]


def test_fingerprints_and_markers_come_back_in_one_query_and_unknown_ids_are_left_out(graph: GraphDatabase) -> None:
    write(graph, ALPHA, tiny="fake")
    own = ALPHA.document.document_id
    marker = vector_marker(chunk_table(ALPHA))
    found = stored_fingerprints(graph, [own, "unknown"], DEFAULT_LAYOUT)
    assert found == {own: StoredDocument(ALPHA.fingerprint, {"tiny": marker})}


def test_chunks_come_in_the_order_asked_for_with_document_and_heading(graph: GraphDatabase) -> None:
    write(graph, ALPHA)
    found = read_chunks(graph, [IDS[3], "unknown", IDS[0]], DEFAULT_LAYOUT)
    assert list(found) == [IDS[3], IDS[0]]
    three = found[IDS[3]]
    assert (three.text, three.order, three.uri, three.title) == ("three\n", 3, "docs:/alpha.md", "alpha.md")
    assert three.span.cut(ALPHA.document.text) == b"three\n"
    assert (three.heading_path, found[IDS[0]].heading_path) == (("One",), ())
    assert (three.text_origin, three.grounding) == ("source", "source")


def test_a_heading_path_names_all_sections_from_the_outermost(graph: GraphDatabase) -> None:
    outer, inner = ALPHA.plan.sections
    nested: tuple[Section, ...] = (outer, replace(inner, level=2, parent_order=0))
    write(graph, replace(ALPHA, plan=replace(ALPHA.plan, sections=nested)))
    assert read_chunks(graph, [IDS[5]], DEFAULT_LAYOUT)[IDS[5]].heading_path == ("One", "Four")
    assert count(graph, "(:Section)-[:SUBSECTION_OF]->(:Section)") == 1
    write(graph, ALPHA)
    assert count(graph, "(:Section)-[:SUBSECTION_OF]->(:Section)") == 0


def test_neighbours_are_those_of_the_chain_in_order_and_no_further_than_the_window(graph: GraphDatabase) -> None:
    write(graph, ALPHA)
    found = read_neighbours(graph, [IDS[2], IDS[0]], DEFAULT_LAYOUT, window=2)
    assert (found[IDS[2]].before, found[IDS[2]].after) == ((IDS[0], IDS[1]), (IDS[3], IDS[4]))
    assert (found[IDS[0]].before, found[IDS[0]].after) == ((), (IDS[1], IDS[2]))


def test_pages_of_a_document_and_of_a_chunk_are_those_of_its_page_map(graph: GraphDatabase) -> None:
    pages = (Page(1, ByteSpan(0, 12)), Page(3, ByteSpan(12, len(ALPHA.document.text))))
    write(graph, replace(ALPHA, document=replace(ALPHA.document, pages=pages, pages_without_text=(2,))))
    assert read_page_maps(graph, [ALPHA.document.document_id], DEFAULT_LAYOUT) == {ALPHA.document.document_id: pages}
    assert [view.pages for view in read_chunks(graph, IDS, DEFAULT_LAYOUT).values()] == [(1,), (1,), (1, 3), (3,), (3,), (3,)]
    write(graph, ALPHA)
    assert read_page_maps(graph, [ALPHA.document.document_id], DEFAULT_LAYOUT) == {}


def test_documents_are_listed_by_uri_with_their_number_of_chunks(graph: GraphDatabase) -> None:
    write(graph, ALPHA)
    write(graph, content("aaa.md", "Service:X\n"))
    assert [(d.uri, d.key, d.chunks) for d in list_documents(graph, DEFAULT_LAYOUT)] == [
        ("docs:/aaa.md", content("aaa.md", "").document.key, 1),
        ("docs:/alpha.md", ALPHA.document.key, 6),
    ]


def test_a_run_is_completed_on_the_node_of_its_first_change_and_has_none_without(graph: GraphDatabase) -> None:
    end = {"status": "completed", "completed": "2026-01-01T00:01:00.000Z", "documents": {"written": 1, "failed": 0}}
    assert complete_run(graph, RUN, DEFAULT_LAYOUT, **end) == NOTHING
    assert count(graph, "(n)") == 0
    write(graph, ALPHA)
    complete_run(graph, RUN, DEFAULT_LAYOUT, **end)
    node = graph.read("MATCH (r:IngestionRun) RETURN r {.*} AS run")[0]["run"]
    assert node == {
        "id": "run-1",
        "runner": "api",
        "started": RUN.started,
        "status": "completed",
        "completed": "2026-01-01T00:01:00.000Z",
        "documents_written": 1,
        "documents_failed": 0,
    }
