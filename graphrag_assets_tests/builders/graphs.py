"""Short ways to write documents into a graph, to look at it, and to build it anew for comparison."""

from collections.abc import Callable, Sequence

from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.graph.digest import graph_digest
from graphrag_assets.graph.document import DocumentContent, write_document
from graphrag_assets.graph.layout import DEFAULT_LAYOUT
from graphrag_assets.model.outcomes import GraphChanges
from graphrag_assets_tests.builders.corpus import VOCABULARY, chunk_table, run_named

NOTHING = GraphChanges(transactions=1)


def write(graph: GraphDatabase, written: DocumentContent, run: str = "run-1", **models: str) -> GraphChanges:
    """Write a document, with vectors of the sets named, made by the models named."""
    tables = {name: chunk_table(written, name, model=model) for name, model in models.items()}
    return write_document(graph, written, tables, run_named(run), DEFAULT_LAYOUT, VOCABULARY)


def digest(graph: GraphDatabase) -> str:
    """The graph's digest."""
    return graph_digest(graph, DEFAULT_LAYOUT).digest


def count(graph: GraphDatabase, pattern: str) -> int:
    """How often a pattern occurs."""
    return int(str(graph.read(f"MATCH {pattern} RETURN count(*) AS n")[0]["n"]))


def names(graph: GraphDatabase, pattern: str) -> list[str]:
    """The sorted names of the nodes ``n`` of a pattern."""
    return [str(row["name"]) for row in graph.read(f"MATCH {pattern} RETURN n.name AS name ORDER BY name")]


def wipe(graph: GraphDatabase) -> None:
    """Delete all nodes; the schema stays."""
    graph.write(lambda tx: tx.run("MATCH (n) DETACH DELETE n"))


def clean_digest(
    graph: GraphDatabase, contents: Sequence[DocumentContent], settle: Callable[[GraphDatabase], object] | None = None, **models: str
) -> str:
    """The digest of a graph in which nothing but these documents was ever written; wipes what is there."""
    wipe(graph)
    for one in contents:
        write(graph, one, "clean", **models)
    if settle:
        settle(graph)
    return digest(graph)
