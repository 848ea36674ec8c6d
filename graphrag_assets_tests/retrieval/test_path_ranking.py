"""Which paths are kept: those that speak the question, each chain once."""

from collections.abc import Sequence

import pytest

from graphrag_assets.gateways.hashing import HashingEmbedder
from graphrag_assets.retrieval.graph_route import cosine
from graphrag_assets.retrieval.linking import link_names, question_spans
from graphrag_assets.retrieval.path_ranking import (
    KeptPaths,
    RankedPath,
    Spoken,
    chunks_of_facts,
    first_by_words,
    keep_paths,
    question_words,
    rank_paths,
)
from graphrag_assets.retrieval.paths import FactPath, StatedFact, distinct_paths, path_sentence, simple_paths
from graphrag_assets.retrieval.wording import Wording
from graphrag_assets_tests.retrieval.small_world import CUES, NAMED_THINGS, PHRASES, WORLD, fact, thing

WORDING = Wording(PHRASES, CUES)


def ranked(question: str, wording: Wording = WORDING) -> tuple[RankedPath, ...]:
    """The paths of a question in rank order, compared by an embedder that knows words only."""
    links = link_names(question_spans(question).spans, NAMED_THINGS)
    walks = [simple_paths(link.thing.thing_id, WORLD, max_hops=3, limit=1_000).paths for link in links]
    measured = first_by_words(distinct_paths(p for walk in walks for p in walk), question_words(question, links), wording, 64)
    sentences = [path_sentence(path, wording.phrases) for path, _ in measured]
    first, *others = HashingEmbedder().embed([question, *sentences]).vectors
    return rank_paths(measured, [cosine(first, other) for other in others])


def kept(question: str, count: int = 6) -> KeptPaths:
    return keep_paths(ranked(question), count)


def path(*lines: str, seed: str) -> FactPath:
    """A path of facts of the small world."""
    at, facts, things = thing(seed), [], []
    for line in lines:
        facts.append(fact(line))
        at = facts[-1].other_end(at.thing_id)
        things.append(at)
    return FactPath(thing(seed).thing_id, tuple(facts), tuple(things))


def as_ranked(*paths: FactPath) -> tuple[RankedPath, ...]:
    return tuple(RankedPath(one, 1.0, 1.0, Spoken(0, 0, 0, len(one.facts))) for one in paths)


CHAINS = {
    "Who leads the team that owns Thyme?": {"Thyme OWNED_BY Meadow team", "Meadow team LED_BY Tom Okeke"},
    "Who does the head of the team owning Thyme report to?": {
        "Thyme OWNED_BY Meadow team",
        "Meadow team LED_BY Tom Okeke",
        "Tom Okeke REPORTS_TO Mo Grand",
    },
    "Where is the company based that hosts Basil?": {"Basil HOSTED_ON Greystone", "Greystone LOCATED_IN Varna"},
    "Who leads the teams that own what Basil depends on?": {
        "Basil DEPENDS_ON Thyme",
        "Basil DEPENDS_ON Anise",
        "Thyme OWNED_BY Meadow team",
        "Anise OWNED_BY Hedge team",
        "Meadow team LED_BY Tom Okeke",
        "Hedge team LED_BY Lia Fonda",
    },
    "Which team looks after the system that OUT-17 affected?": {"OUT-17 AFFECTED Thyme", "Thyme OWNED_BY Meadow team"},
}


@pytest.mark.parametrize(("question", "chain"), CHAINS.items())
def test_the_chain_that_answers_is_among_the_first_facts(question: str, chain: set[str]) -> None:
    facts = [one.fact_id for one in kept(question).facts]
    assert chain <= set(facts[:8])


def test_a_path_between_two_named_things_comes_first() -> None:
    best = ranked("What do Clove and Thyme share?")[0]
    assert best.spoken.untouched == 0
    assert {"id of Clove", "id of Thyme"} <= {best.path.seed_id, *(one.thing_id for one in best.path.things)}


def test_words_of_the_ontology_count_as_its_phrases_do() -> None:
    question = "Who heads the Meadow team?"
    plain, cued = ranked(question, Wording(PHRASES)), ranked(question)
    led = "Meadow team LED_BY Tom Okeke"
    assert next(r.spoken.unspoken for r in plain if r.path.fact_ids == {led}) == 1
    assert next(r.spoken.unspoken for r in cued if r.path.fact_ids == {led}) == 0


def test_a_fact_that_says_nothing_of_the_question_is_idle() -> None:
    told = {r.path.fact_ids: r.spoken for r in ranked("Which team owns Thyme?")}
    assert told[frozenset({"Thyme OWNED_BY Meadow team"})].idle_facts == 0
    assert told[frozenset({"OUT-17 AFFECTED Thyme"})].idle_facts == 1


def test_ranking_is_the_same_each_time() -> None:
    assert ranked("Who leads the team that owns Thyme?") == ranked("Who leads the team that owns Thyme?")


def test_only_the_paths_that_speak_best_are_compared_by_vector() -> None:
    paths = simple_paths("id of Thyme", WORLD, max_hops=3, limit=1_000).paths
    links = link_names(question_spans("Which team owns Thyme?").spans, NAMED_THINGS)
    first = first_by_words(paths, question_words("Which team owns Thyme?", links), WORDING, 1)
    assert [one.fact_ids for one, _ in first] == [{"Thyme OWNED_BY Meadow team"}]


SHORT = path("Thyme OWNED_BY Meadow team", seed="Thyme")
LONG = path("Thyme OWNED_BY Meadow team", "Meadow team LED_BY Tom Okeke", seed="Thyme")
OTHER = path("Thyme DEPENDS_ON Sumac", seed="Thyme")
THIRD = path("OUT-17 AFFECTED Thyme", seed="Thyme")


@pytest.mark.parametrize("order", [(SHORT, LONG), (LONG, SHORT)], ids=["short first", "long first"])
def test_a_path_within_another_takes_no_place_of_its_own(order: Sequence[FactPath]) -> None:
    found = keep_paths(as_ranked(*order, OTHER), 2)
    assert [one.path for one in found.paths] == [LONG, OTHER]


def test_a_continuation_keeps_the_place_of_what_it_continues_but_not_for_its_new_facts() -> None:
    found = keep_paths(as_ranked(SHORT, OTHER, LONG), 2)
    assert [one.path for one in found.paths] == [LONG, OTHER]
    assert [one.fact_id for one in found.facts] == ["Thyme OWNED_BY Meadow team", "Thyme DEPENDS_ON Sumac", "Meadow team LED_BY Tom Okeke"]


def test_no_more_paths_are_kept_than_wanted() -> None:
    found = keep_paths(as_ranked(SHORT, OTHER, THIRD), 2)
    assert [one.path for one in found.paths] == [SHORT, OTHER]
    assert len(found.facts) == 2


def stated(fact_id: str, *chunks: str) -> StatedFact:
    return StatedFact(fact_id, "OWNED_BY", thing("Thyme"), thing("Meadow team"), chunks, len(chunks))


def test_each_fact_gets_one_chunk_before_any_gets_a_second() -> None:
    chunks = chunks_of_facts([stated("f1", "a", "b", "c"), stated("f2", "d")])
    assert [chunk for chunk, _ in chunks] == ["a", "d", "b", "c"]


def test_the_chunk_that_states_most_of_the_facts_is_taken_first() -> None:
    chunks = chunks_of_facts([stated("f1", "a", "z"), stated("f2", "b", "z")])
    assert [(chunk, [one.fact_id for one in facts]) for chunk, facts in chunks] == [("z", ["f1", "f2"]), ("a", ["f1"]), ("b", ["f2"])]
