"""Why a reply ended is looked at before its text; what cannot be read is named, and never mended."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_assets.extractions.replies import ReplyItems, Unreadable, outcome_of, read_items
from graphrag_assets_tests.extractions.mills import extracted, fact, names, reasons, reply, stated, thing
from graphrag_assets_tests.fakes.chat import chat_reply
from graphrag_assets_tests.gateways.case_files import json_case

TEXT = "Mara Lind works at Orrin Mills."
GOOD = reply([thing("Mara Lind"), thing("Orrin Mills", "Company")], [fact("Mara Lind", "WORKS_AT", "Orrin Mills")])
NOTHING = reply()


@pytest.mark.parametrize("case", json_case("b10_llm_responses.json"), ids=lambda case: case["case"])
def test_a_reply_cut_at_the_output_bound_is_truncated_whatever_its_text(case: dict[str, str]) -> None:
    assert outcome_of(chat_reply(case["content"] or "", "length"))[0] == "truncated"


def test_a_cut_reply_is_truncated_even_when_its_text_is_whole() -> None:
    assert outcome_of(chat_reply(GOOD, "length"))[0] == "truncated"


@pytest.mark.parametrize(
    ("text", "finish_reason", "outcome"),
    [
        ("cannot help with that", "refusal", "refused"),
        ("", "empty", "empty-reply"),
        ('{"things": [', "content-filter", "filtered"),
        ("", "content-filter", "filtered"),
        (" \n", "stop", "empty-reply"),
        (NOTHING, "stop", "read"),
    ],
    ids=["refusal", "no message", "filtered output", "filtered prompt", "blank text", "truly nothing found"],
)
def test_refused_filtered_and_empty_are_never_taken_for_nothing_found(text: str, finish_reason: str, outcome: str) -> None:
    assert outcome_of(chat_reply(text, finish_reason))[0] == outcome  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [f"```json\n{GOOD}\n```", f"Here is what I found:\n```json\n{GOOD}\n```", f"Here it is: {GOOD} I hope it helps."],
    ids=["a fence", "a fence after one sentence", "a sentence on both sides"],
)
def test_a_fence_and_a_friendly_sentence_are_taken_off(text: str) -> None:
    assert stated(extracted(TEXT, text)) == [("Mara Lind", "WORKS_AT", "Orrin Mills")]


def test_a_fence_inside_a_quoted_text_does_not_end_the_reply() -> None:
    answer = reply([thing("Mara Lind", description="uses ``` marks")])
    assert names(extracted(TEXT, f"```\n{answer}\n```")) == [("Person", "Mara Lind")]


def test_a_reply_cut_two_thirds_through_that_claims_to_be_whole_is_unreadable() -> None:
    assert outcome_of(chat_reply(GOOD[: len(GOOD) * 2 // 3]))[0] == "unreadable-reply"


@pytest.mark.parametrize("kind", ["IS_RESPONSIBLE_FOR", "WORKS_AT]->(x) DETACH DELETE x //"], ids=["outside the list", "a piece of Cypher"])
def test_a_type_that_the_ontology_lacks_never_gets_in(kind: str) -> None:
    answer = reply([thing("Mara Lind"), thing("Orrin Mills", "Company")], [fact("Mara Lind", kind, "Orrin Mills")])
    found = extracted(TEXT, answer)
    assert (stated(found), reasons(found)) == ([], [("fact[0]", "unknown-fact")])


def test_a_fact_about_a_thing_that_was_never_listed_is_dropped_and_counted() -> None:
    answer = reply([thing("Mara Lind")], [fact("Mara Lind", "WORKS_AT", "Brae Wool")])
    assert reasons(extracted(TEXT, answer)) == [("fact[0]", "end-not-kept")]


@pytest.mark.parametrize(
    "text",
    ["[]", "3", '{"things": []}', '{"things": {}, "facts": []}', '{"things": [NaN], "facts": []}', "[" * 100_000, '{"things": [' * 50_000],
    ids=["a list", "a number", "no facts", "things no list", "not a number", "deep lists", "deep objects"],
)
def test_json_of_another_shape_is_unreadable(text: str) -> None:
    assert isinstance(read_items(text), Unreadable)


def test_what_was_wrong_is_said_without_the_replys_own_words() -> None:
    _, problem = outcome_of(chat_reply('{"things": [secret]}'))
    assert problem
    assert "secret" not in problem


def test_lists_that_the_schema_lacks_are_left_out_and_counted() -> None:
    assert reasons(extracted(TEXT, reply(themes=["wool"], mood="dry"))) == [
        ("reply.unknown[0]", "not-storable"),
        ("reply.unknown[1]", "not-storable"),
    ]


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=[])),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "class", "source", "type", "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.lists(_JSON, max_size=4), st.lists(_JSON, max_size=4), st.lists(_JSON, max_size=2))
def test_any_json_in_the_lists_is_kept_or_pruned_and_never_an_error(
    things: list[object], facts: list[object], quotes: list[object]
) -> None:
    text = json.dumps({"things": [thing("Mara Lind"), *things], "facts": facts, "quotes": quotes})
    assert isinstance(read_items(text), ReplyItems)
    found = extracted(TEXT, text)
    assert names(found) == [("Person", "Mara Lind")]
    for pruned in found.pruned:
        pruned.item.encode("ascii")
