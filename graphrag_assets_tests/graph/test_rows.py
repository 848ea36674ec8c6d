"""Rows: what the graph should hold of a document is a pure function of its parts."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_assets.graph.difference import fact_difference, part_difference
from graphrag_assets.graph.document import DocumentContent
from graphrag_assets.graph.layout import DEFAULT_LAYOUT
from graphrag_assets.graph.rows import DocumentRows, document_rows
from graphrag_assets.graph.stored import StoredDocuments, StoredEdge, StoredNode
from graphrag_assets.model.errors import FailedDocument, UsageError
from graphrag_assets_tests.builders.corpus import VOCABULARY, content, thing

TEXT = "# One\n[Team:Foundry OWNS Service:Capstan] Team:Foundry\n[Team:The_Foundry OWNS Service:Capstan]\n"
ALPHA = content("alpha.md", TEXT)


def rows(written: DocumentContent) -> DocumentRows:
    return document_rows(
        written.document,
        written.plan,
        written.extraction,
        fingerprint=written.fingerprint,
        canonical=written.canonical,
        layout=DEFAULT_LAYOUT,
        vocabulary=VOCABULARY,
    )


@given(st.randoms(use_true_random=False))
def test_the_order_of_things_facts_and_mentions_does_not_show(random) -> None:
    extraction = ALPHA.extraction
    shuffled = replace(
        extraction,
        **{
            name: tuple(random.sample(getattr(extraction, name), len(getattr(extraction, name))))
            for name in ("things", "facts", "mentions")
        },
    )
    assert rows(replace(ALPHA, extraction=shuffled)) == rows(ALPHA)


def test_facts_that_a_merge_makes_equal_are_one_with_the_chunks_of_both() -> None:
    merged = rows(replace(ALPHA, canonical={thing("Team", "The_Foundry"): thing("Team", "Foundry")}))
    (fact,) = merged.facts.values()
    assert fact.chunk_ids == tuple(sorted(chunk.chunk_id for chunk in ALPHA.plan.chunks[1:]))
    assert [row.properties["name"] for row in merged.things.values() if "Team" in row.labels] == ["Foundry"]


def test_parts_of_two_versions_are_not_written_together() -> None:
    other = content("alpha.md", "Team:Foundry\n")
    with pytest.raises(FailedDocument, match="not of one version"):
        rows(replace(ALPHA, plan=other.plan))


def stored(written: DocumentContent) -> tuple[StoredDocuments, tuple[StoredEdge, ...]]:
    """A graph that holds exactly these rows."""
    wanted = rows(written)
    document = StoredNode("document", wanted.document_id, "d", {**wanted.document, "run_id": "r"})
    nodes = {key: StoredNode("section", key, f"n{key}", {**held, "run_id": "r"}) for key, held in wanted.sections.items()}
    nodes |= {key: StoredNode("chunk", key, f"n{key}", {**held, "run_id": "r"}) for key, held in wanted.chunks.items()}
    edges = [
        StoredEdge(f"e{n}", edge.type, edge.source, edge.target, {**edge.properties, "run_id": "r"})
        for n, edge in enumerate(wanted.edges.values())
    ]
    facts = [
        StoredEdge(
            f"f{fact.fact_id}",
            fact.type,
            fact.source,
            fact.target,
            {**fact.payload, "id": fact.fact_id, "document_ids": [wanted.document_id], "chunk_ids": list(fact.chunk_ids), "run_id": "r"},
        )
        for fact in wanted.facts.values()
    ]
    return StoredDocuments({wanted.document_id: document}, nodes, tuple(edges)), tuple(facts)


def test_a_graph_that_holds_the_rows_differs_in_nothing() -> None:
    held, facts = stored(ALPHA)
    parts = part_difference(held, rows(ALPHA), "text")
    assert not any(getattr(parts, name) for name in parts.__dataclass_fields__)
    changes = fact_difference(facts, held, rows(ALPHA))
    assert (changes.created, changes.updated, changes.deleted) == ((), (), ())


def test_an_edge_that_stands_twice_loses_one() -> None:
    held, _ = stored(ALPHA)
    twice = replace(held, edges=(*held.edges, replace(held.edges[0], element="again")))
    assert [edge.element for edge in part_difference(twice, rows(ALPHA), "text").deleted_edges] == ["again"]


def test_a_node_that_no_run_wrote_is_not_deleted() -> None:
    held, _ = stored(ALPHA)
    key, node = next(iter(held.nodes.items()))
    foreign = replace(held, nodes={**held.nodes, key: replace(node, properties={"id": key})})
    with pytest.raises(UsageError) as raised:
        part_difference(foreign, None, "text")
    assert raised.value.code == "not-ours"
