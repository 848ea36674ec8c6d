"""Which things a question names."""

from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_assets.model.limits import Limit
from graphrag_assets.retrieval.linking import (
    MAX_SPAN_WORDS,
    MAX_SPANS,
    Link,
    NamedThing,
    NearThing,
    QuestionSpan,
    class_words,
    link_names,
    link_nearest,
    open_spans,
    question_spans,
)

ROUTES = NamedThing("1", "Team", "Routes team", ("The Navigators",))
PLACE = NamedThing("2", "Place", "Calder")
VENDOR = NamedThing("3", "Vendor", "Calder")
JUNO = NamedThing("4", "System", "Juno")
ADAIR = NamedThing("5", "Person", "Juno Adair")
HAGUE = NamedThing("6", "Place", "The Hague")
THINGS = (ROUTES, PLACE, VENDOR, JUNO, ADAIR, HAGUE)


def spans(question: str) -> list[str]:
    return [span.text for span in question_spans(question).spans]


def named(question: str) -> list[tuple[str, str]]:
    return [(link.span.text, link.thing.thing_id) for link in link_names(question_spans(question).spans, THINGS)]


def near(question: str, **cosines: float) -> tuple[Link, ...]:
    by_text = {"team": NearThing(ROUTES, cosines.get("team", 0.0)), "pilots": NearThing(ROUTES, cosines.get("pilots", 0.0))}
    found = {span: (by_text[span.text],) for span in question_spans(question).spans if span.text in by_text}
    return link_nearest(found, 0.8)


def test_a_stretch_neither_starts_nor_ends_in_a_word_without_meaning() -> None:
    assert spans("Who leads the Routes team?") == ["leads", "leads the Routes", "leads the Routes team", "Routes", "Routes team", "team"]


def test_a_stretch_does_not_run_across_a_comma() -> None:
    assert spans("Juno, Berth and Tally") == ["Juno", "Berth", "Berth and Tally", "Tally"]


def test_a_small_word_with_a_capital_letter_may_begin_a_name() -> None:
    assert "The Hague" in spans("Who works in The Hague?")
    assert "The Hague" not in spans("The Hague is where?")
    assert named("The Hague is where?") == [("Hague", "6")]


def test_a_possessive_ending_is_no_part_of_a_stretch() -> None:
    assert spans("Juno's owner")[0] == "Juno"


@settings(deadline=None)
@given(st.text(max_size=80))
def test_stretches_are_of_one_to_four_words_and_inside_the_question(question: str) -> None:
    for span in question_spans(question).spans:
        assert 0 <= span.last - span.first < MAX_SPAN_WORDS
        assert span.text in question


def test_more_stretches_than_the_bound_are_cut_and_said() -> None:
    found = question_spans(" ".join(f"word{n}" for n in range(100)))
    assert len(found.spans) == MAX_SPANS
    assert found.limits == (Limit("question-spans", MAX_SPANS),)


def test_names_and_aliases_are_compared_without_case_spacing_or_article() -> None:
    assert named("who runs the ROUTES  TEAM") == [("ROUTES  TEAM", "1")]
    assert named("what do the navigators own") == [("navigators", "1")]


def test_all_things_of_one_name_are_linked() -> None:
    assert named("Where is Calder?") == [("Calder", "2"), ("Calder", "3")]


def test_the_longest_name_wins_its_words() -> None:
    assert named("Who is Juno Adair?") == [("Juno Adair", "5")]
    assert named("Is Juno owned by Juno Adair?") == [("Juno Adair", "5"), ("Juno", "4")]


def test_words_of_a_linked_stretch_are_not_offered_again() -> None:
    question = question_spans("Who leads the Routes team today?").spans
    left = open_spans(question, link_names(question, THINGS))
    assert [span.text for span in left] == ["leads", "today"]


def test_the_nearest_thing_is_linked_from_the_threshold_up() -> None:
    assert [(link.thing, link.score, link.by) for link in near("Which pilots?", pilots=0.8)] == [(ROUTES, 0.8, "vector")]
    assert near("Which pilots?", pilots=0.79) == ()


def test_a_stretch_that_only_says_a_class_is_no_name() -> None:
    assert near("Which team?", team=0.95) == ()
    assert class_words("DataCentre") == ("data", "centre")


def test_the_best_stretch_is_kept_for_each_thing() -> None:
    one, other = QuestionSpan("pilot", 0, 0), QuestionSpan("pilot crew", 0, 1)
    links = link_nearest({one: (NearThing(ROUTES, 0.82),), other: (NearThing(ROUTES, 0.9),)}, 0.8)
    assert [(link.span, link.score) for link in links] == [(other, 0.9)]


def test_things_of_one_name_are_linked_together_by_nearness_too() -> None:
    span = QuestionSpan("Calder company", 0, 1)
    links = link_nearest({span: (NearThing(PLACE, 0.9), NearThing(VENDOR, 0.9), NearThing(ROUTES, 0.85))}, 0.8)
    assert [link.thing for link in links] == [PLACE, VENDOR]
