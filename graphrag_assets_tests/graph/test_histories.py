"""The law of the graph: whatever happened before, once settled it is the graph of a clean build."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.graph.corpus import settle_corpus
from graphrag_assets.graph.document import DocumentContent
from graphrag_assets.graph.health import check_graph
from graphrag_assets.graph.layout import DEFAULT_LAYOUT
from graphrag_assets.graph.removal import remove_documents
from graphrag_assets.model.embedding_set import EmbeddingSet
from graphrag_assets_tests.builders.corpus import VOCABULARY, content, run_named, table, thing
from graphrag_assets_tests.builders.graphs import clean_digest, digest, wipe, write
from graphrag_assets_tests.builders.resolved import community, resolved

NAMES = ("a.md", "b.md", "c.md")
TEXTS = (
    "[Team:Foundry OWNS Service:Capstan]\n",
    "[Team:The_Foundry OWNS Service:CAPSTAN]\n[Service:Capstan DEPENDS_ON Service:Ballast]\n",
    '# Part\n[Service:Ballast DEPENDS_ON Service:Capstan] Person:Hedda SAYS "ours"\n\n[Person:Hedda MEMBER_OF Team:The_Foundry]\n',
    "[Person:Hedda MEMBER_OF Team:Foundry] [Team:Foundry OWNS Team:The_Foundry]\n",
    "Nothing to see.\n",
    "",
)
MERGED = {thing("Team", "The_Foundry"): thing("Team", "Foundry")}
STEP = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(NAMES), st.sampled_from(TEXTS)),
    st.tuples(st.just("extract anew"), st.sampled_from(("pattern/1", "pattern/2"))),
    st.tuples(st.just("remove"), st.sampled_from(NAMES)),
    st.tuples(st.just("settle")),
    st.tuples(st.just("merge")),
    st.tuples(st.just("undo")),
)


@dataclass
class _Home:
    """A graph and what its documents should be."""

    graph: GraphDatabase
    texts: dict[str, str] = field(default_factory=dict)
    canonical: Mapping[str, str] = field(default_factory=dict)
    extractor: str = "pattern/1"

    def contents(self) -> list[DocumentContent]:
        made = [content(name, text, extractor=self.extractor) for name, text in sorted(self.texts.items())]
        return [replace(one, canonical=self.canonical) for one in made]

    def do(self, step: tuple[str, ...]) -> None:
        match step:
            case ("write", name, text):
                self.texts[name] = text
                self.write_all()
            case ("extract anew", version):
                self.extractor = version
                self.write_all()
            case ("remove", name):
                own = content(name, "").document.document_id
                self.texts.pop(name, None)
                remove_documents(self.graph, [own], DEFAULT_LAYOUT, VOCABULARY, run_named("removal"))
            case ("settle",):
                self.settle(self.graph)
            case ("merge",):
                self.canonical = MERGED  # documents are written again later, or their things moved when settled
            case _:
                self.canonical = {}
                self.write_all()

    def write_all(self) -> None:
        for one in self.contents():
            write(self.graph, one, tiny="fake")

    def settle(self, graph: GraphDatabase) -> None:
        corpus = resolved(self.contents(), self.canonical)
        ids = [one.thing_id for one in corpus.things]
        top = community(1, ids)
        groups = (top, community(0, ids[:2], top.community_id)) if len(ids) > 2 else ()
        vectors = {"tiny": table("tiny", [(one.thing_id, f"{one.name} {one.description}") for one in corpus.things])}
        settle_corpus(graph, corpus, groups, vectors, run_named("settle"), DEFAULT_LAYOUT, VOCABULARY)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)
@given(steps=st.lists(STEP, min_size=1, max_size=9))
def test_any_history_ends_as_a_clean_build(graph: GraphDatabase, steps: list[tuple[str, ...]]) -> None:
    wipe(graph)
    home = _Home(graph)
    for step in steps:
        home.do(step)
    home.settle(graph)
    after = digest(graph)
    assert check_graph(graph, DEFAULT_LAYOUT, VOCABULARY, [EmbeddingSet(name="tiny", dimensions=4)]) == ()
    home.settle(graph)
    assert digest(graph) == after
    assert after == clean_digest(graph, home.contents(), home.settle, tiny="fake")
