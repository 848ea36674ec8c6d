"""JSON is read wherever it stands in a reply, whole or not at all; what was wrong is said."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_assets.extractions.replies import ReplyItems, Unreadable, outcome_of, read_items
from graphrag_assets_tests.extractions.passages import facts, named, names, prune, reasons, reply_text, stated
from graphrag_assets_tests.fakes.chat import chat_reply

TEXT = "The Spinners team owns Loom. Loom depends on Warp."
THINGS = [named("Loom"), named("Warp"), named("Spinners team", "Team")]
FACTS = [stated("Loom", "DEPENDS_ON", "Warp"), stated("Loom", "OWNED_BY", "Spinners team")]
WHOLE = reply_text(THINGS, FACTS)
FENCED = f"```json\n{WHOLE}\n```"
CYPHER = "OWNED_BY]->(x) DETACH DELETE x //"


def read(text: str) -> ReplyItems:
    items = read_items(text)
    assert isinstance(items, ReplyItems)
    return items


@pytest.mark.parametrize(
    "text",
    [
        f"\n  {WHOLE}\r\n",
        FENCED,
        f"```\n{WHOLE}\n```",
        f"```JSON\n{WHOLE}\n```",
        f"```json\n{WHOLE}",
        f"Here is what the passage states:\n\n{FENCED}",
        f"Here is what the passage states: {WHOLE}",
        f"{FENCED}\n\nTell me if you need more.",
        json.dumps(json.loads(WHOLE), indent=2),
    ],
    ids=["spaces", "fence", "bare-fence", "capital-fence", "open-fence", "sentence-fence", "sentence", "fence-sentence", "indented"],
)
def test_json_is_read_plain_in_a_fence_and_beside_sentences(text: str) -> None:
    assert read(text) == read(WHOLE)
    assert len(read(text).things) == 3
    assert outcome_of(chat_reply(text)) == ("read", "")


@pytest.mark.parametrize("start", ["", "```json\n", "Here it is: "], ids=["plain", "fence", "sentence"])
@pytest.mark.parametrize("text", [WHOLE, json.dumps(json.loads(WHOLE), indent=2)], ids=["compact", "indented"])
def test_json_that_is_cut_off_anywhere_is_unreadable(start: str, text: str) -> None:
    readable = [end for end in range(len(text)) if not isinstance(read_items(start + text[:end]), Unreadable)]
    assert readable == []


def test_closing_the_brackets_of_a_cut_reply_is_left_to_nobody() -> None:
    cut = WHOLE[: len(WHOLE) * 2 // 3]
    assert outcome_of(chat_reply(cut))[0] == "unreadable-reply"
    assert outcome_of(chat_reply(cut + "]}"))[0] == "unreadable-reply"


def test_a_type_outside_the_list_is_pruned_and_the_rest_stands() -> None:
    kept = prune(TEXT, THINGS, [stated("Loom", "IS_RESPONSIBLE_FOR", "Warp"), *FACTS])
    assert reasons(kept) == {"fact[0]": "unknown-fact"}
    assert len(kept.facts) == 2


@pytest.mark.parametrize(
    ("things", "pruned", "item"),
    [
        ([*THINGS], {"fact[0]": "unknown-fact"}, stated("Loom", CYPHER, "Spinners team")),
        ([named("Loom", CYPHER)], {"thing[0]": "unknown-kind"}, None),
    ],
    ids=["fact", "class"],
)
def test_a_fragment_of_cypher_is_no_type_and_is_nowhere_in_what_stands(things: list[object], pruned: dict[str, str], item: object) -> None:
    kept = prune(f"{TEXT} {CYPHER}", things, [item] if item else [])
    assert reasons(kept) == pruned
    assert "DETACH" not in repr(kept)


def test_a_fact_about_a_thing_that_is_not_listed_is_pruned_and_the_rest_stands() -> None:
    kept = prune(f"{TEXT} Weft is new.", THINGS, [*FACTS, stated("Loom", "DEPENDS_ON", "Weft")])
    assert reasons(kept) == {"fact[2]": "end-not-kept"}
    assert facts(kept) == [("Loom", "DEPENDS_ON", "Warp"), ("Loom", "OWNED_BY", "Spinners team")]
    assert ("Weft", "System") not in names(kept)


def test_six_endings_are_six_outcomes_and_one_alone_found_nothing() -> None:
    replies = [
        chat_reply("", "refusal"),
        chat_reply("", "empty"),
        chat_reply('{"entities": [', "content-filter"),
        chat_reply(WHOLE, "length"),
        chat_reply('{"entities": ['),
        chat_reply('{"things": [], "facts": []}'),
    ]
    found = [outcome_of(reply)[0] for reply in replies]
    assert found == ["refused", "empty-reply", "filtered", "truncated", "unreadable-reply", "read"]
    assert read(replies[-1].text) == ReplyItems()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("I found nothing.", "it is not JSON"),
        ("[]", "it is no JSON object"),
        ("null", "it is no JSON object"),
        ('"things"', "it is no JSON object"),
        ("{}", "'things'"),
        ('{"entities": [], "relations": []}', "'things'"),
        ('{"things": []}', "'facts'"),
        ('{"things": [], "facts": null}', "'facts'"),
        ('{"things": {"name": "Loom"}, "facts": []}', "'things'"),
        ('{"things": [], "facts": [Infinity]}', "it is not JSON"),
        ("{'things': [], 'facts': []}", "it is not JSON"),
        ('{"things": [' + "9" * 5_000 + '], "facts": []}', "it is not JSON"),
    ],
    ids=str,
)
def test_what_was_wrong_is_said(text: str, problem: str) -> None:
    outcome, said = outcome_of(chat_reply(text))
    assert outcome == "unreadable-reply"
    assert problem in said


@pytest.mark.parametrize("quotes", [None, "none", {}])
def test_quotes_may_be_missing(quotes: object) -> None:
    items = read(json.dumps({"things": [], "facts": [], "quotes": quotes}))
    assert (items.things, items.facts, items.quotes) == ((), (), ())


@settings(deadline=None)
@given(st.text())
def test_no_text_stops_the_reading(text: str) -> None:
    assert outcome_of(chat_reply(text))[0] in ("read", "empty-reply", "unreadable-reply")
