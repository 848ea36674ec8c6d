"""The table of assets: names, levels, upstreams, descriptions. Each embedding set adds its own."""

from collections.abc import Sequence

from graphrag_assets.model.pipeline import AssetRow

CATALOG = "source_catalog"
SCHEMA = "graph_schema"
DECISIONS = "merge_decisions"
DOCUMENTS = "documents"
PLANS = "chunk_plans"
REPLIES = "extraction_replies"
EXTRACTIONS = "extractions"
GRAPH = "document_graph"
ENTITIES = "entities"
COMMUNITIES = "communities"
CORPUS_GRAPH = "corpus_graph"


def chunk_vectors(set_name: str) -> str:
    """Asset of a set's chunk vectors."""
    return f"chunk_vectors/{set_name}"


def graph_vectors(set_name: str) -> str:
    """Asset of a set's vectors in the graph."""
    return f"graph_vectors/{set_name}"


def corpus_vectors(set_name: str) -> str:
    """Asset of a set's vectors of things."""
    return f"corpus_vectors/{set_name}"


def asset_rows(set_names: Sequence[str], versions: dict[str, str]) -> tuple[AssetRow, ...]:
    """All assets in the order in which they are made.

    Args:
        set_names: Declared embedding sets.
        versions: Code version by asset name without its set.
    """
    rows = [*_inputs(versions), *_documents(set_names, versions), *_corpus(set_names, versions)]
    return tuple(rows)


def _inputs(versions: dict[str, str]) -> list[AssetRow]:
    return [
        AssetRow(
            CATALOG,
            "input",
            (),
            "sources",
            ("file",),
            "What documents the sources hold, what changed since the last look, and what is stale for which cause. "
            "Materialize it to discover documents: new ones become partitions.",
            versions[CATALOG],
            constant_version=True,
        ),
        AssetRow(
            SCHEMA,
            "input",
            (),
            "graph",
            ("neo4j",),
            "Constraints, vector indexes and full-text indexes of the graph. Creates what is missing, reports what differs, drops nothing.",
            versions[SCHEMA],
        ),
        AssetRow(
            DECISIONS,
            "input",
            (),
            "resolution",
            ("json",),
            "Accepted and rejected merges of things: reviewed, versioned, undoable.",
            versions[DECISIONS],
            constant_version=True,
        ),
    ]


def _documents(set_names: Sequence[str], versions: dict[str, str]) -> list[AssetRow]:
    def row(name: str, upstream: tuple[str, ...], group: str, kinds: tuple[str, ...], description: str) -> AssetRow:
        return AssetRow(name, "document", upstream, group, kinds, description, versions[name.split("/")[0]])

    rows = [
        row(DOCUMENTS, (CATALOG,), "sources", ("parquet",), "The loaded text of a document with its page map, or the code of its refusal."),
        row(PLANS, (DOCUMENTS,), "plans", ("parquet",), "Sections and chunk spans of a document; every byte lies in at least one chunk."),
    ]
    rows += [
        row(chunk_vectors(name), (PLANS,), "vectors", ("parquet",), f"One vector a chunk under the embedding set `{name}`.")
        for name in set_names
    ]
    rows += [
        row(REPLIES, (PLANS,), "extractions", ("parquet", "llm"), "The paid part: what the model replied for each chunk, as it came."),
        row(
            EXTRACTIONS,
            (PLANS, REPLIES),
            "extractions",
            ("parquet",),
            "The free part: things, facts and mentions that were found in the document's bytes, and what was pruned, with reasons.",
        ),
        row(
            GRAPH,
            (DOCUMENTS, PLANS, EXTRACTIONS, SCHEMA, DECISIONS),
            "graph",
            ("neo4j",),
            "This document in Neo4j, written in one transaction.",
        ),
    ]
    rows += [
        row(
            graph_vectors(name),
            (GRAPH, chunk_vectors(name)),
            "graph",
            ("neo4j",),
            f"The vectors of the embedding set `{name}` on this document's chunks in Neo4j.",
        )
        for name in set_names
    ]
    return rows


def _corpus(set_names: Sequence[str], versions: dict[str, str]) -> list[AssetRow]:
    def row(name: str, upstream: tuple[str, ...], group: str, kinds: tuple[str, ...], description: str) -> AssetRow:
        return AssetRow(name, "corpus", upstream, group, kinds, description, versions[name.split("/")[0]])

    vectors = tuple(corpus_vectors(name) for name in set_names)
    return [
        row(
            ENTITIES,
            (EXTRACTIONS, DECISIONS),
            "resolution",
            ("parquet",),
            "Things and facts over all documents, with the documents and chunks that state them, and PageRank.",
        ),
        row(COMMUNITIES, (ENTITIES,), "communities", ("parquet",), "Hierarchical Leiden communities of the things."),
        *(
            row(name, (ENTITIES,), "vectors", ("parquet",), f"Vectors of things under the embedding set `{name.split('/')[1]}`.")
            for name in vectors
        ),
        row(
            CORPUS_GRAPH,
            (GRAPH, ENTITIES, COMMUNITIES, *vectors),
            "graph",
            ("neo4j",),
            "Names, descriptions, aliases, ranks, communities and vectors of things in Neo4j, written as a difference.",
        ),
    ]
