"""From a reply to a verified answer or a refusal."""

import json
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_assets.answers.verify import Rejected, Verified, located, verify_reply
from graphrag_assets.gateways.chat import ChatReply, FinishReason
from graphrag_assets.model.evidence import EvidenceItem, RefusalReason
from graphrag_assets_tests.fakes.chat import chat_reply
from graphrag_assets_tests.retrieval.evidence_items import item

CASES = Path(__file__).parents[1] / "cases"
ITEM = item("c1", "The Kiln team runs Sumac. Sumac is hosted at Hollowell.", start=40)
OTHER = item("c2", "Per Holt is in charge of the Kiln team.")


def reply(*statements: tuple[str, list[tuple[str, str]]], insufficient: bool = False) -> ChatReply:
    body = {
        "insufficient": insufficient,
        "statements": [{"text": text, "citations": [{"chunk_id": c, "quote": q} for c, q in cited]} for text, cited in statements],
    }
    return chat_reply(json.dumps(body))


GOOD = ("The Kiln team runs it.", [("c1", "The Kiln team runs Sumac")])
GOOD_TOO = ("Per Holt leads it.", [("c2", "Per Holt is in charge")])
UNKNOWN = ("Made up.", [("c9", "The Kiln team runs Sumac")])
UNFOUND = ("Not there.", [("c1", "The Hedge team runs Sumac")])
UNCITED = ("By itself.", [])


def test_a_citation_records_the_stored_bytes_and_their_place() -> None:
    outcome = verify_reply(reply(GOOD), [ITEM, OTHER], "refuse")
    assert isinstance(outcome, Verified)
    assert outcome.answer == "The Kiln team runs it. [1]"
    cited = outcome.citations[0]
    assert (cited.chunk_id, cited.document_id, cited.uri) == ("c1", ITEM.document_id, ITEM.uri)
    assert (cited.start, cited.end, cited.quote) == (40, 64, "The Kiln team runs Sumac")


def test_statements_point_to_their_citations_by_number_and_equal_ones_share_it() -> None:
    outcome = verify_reply(reply(GOOD, GOOD_TOO, ("Again.", [*GOOD_TOO[1], *GOOD[1]])), [ITEM, OTHER], "refuse")
    assert isinstance(outcome, Verified)
    assert outcome.answer.splitlines() == ["The Kiln team runs it. [1]", "Per Holt leads it. [2]", "Again. [2][1]"]
    assert len(outcome.citations) == 2


BAD: dict[RefusalReason, tuple[str, list[tuple[str, str]]]] = {"unknown-chunk": UNKNOWN, "quote-not-found": UNFOUND, "no-citation": UNCITED}


@pytest.mark.parametrize(("reason", "statement"), BAD.items())
def test_one_bad_citation_refuses_the_whole_answer(reason: RefusalReason, statement: tuple[str, list[tuple[str, str]]]) -> None:
    assert verify_reply(reply(GOOD, statement), [ITEM], "refuse") == Rejected(reason)


@pytest.mark.parametrize(("reason", "statement"), BAD.items())
def test_or_takes_its_statement_away_and_counts_it(reason: RefusalReason, statement: tuple[str, list[tuple[str, str]]]) -> None:
    outcome = verify_reply(reply(statement, GOOD), [ITEM], "withdraw")
    assert isinstance(outcome, Verified)
    assert (outcome.answer, outcome.withdrawn) == ("The Kiln team runs it. [1]", 1)
    assert verify_reply(reply(statement), [ITEM], "withdraw") == Rejected(reason, 1)


def test_a_statement_falls_with_one_of_its_citations() -> None:
    mixed = ("Half of it holds.", [*GOOD[1], *UNFOUND[1]])
    outcome = verify_reply(reply(mixed, GOOD_TOO), [ITEM, OTHER], "withdraw")
    assert isinstance(outcome, Verified)
    assert [cited.chunk_id for cited in outcome.citations] == ["c2"]


def test_a_reply_that_says_insufficient_is_a_refusal_whatever_else_it_says() -> None:
    assert verify_reply(reply(GOOD, insufficient=True), [ITEM], "refuse") == Rejected("insufficient")


def test_an_answer_without_statements_cites_nothing() -> None:
    assert verify_reply(reply(), [ITEM], "refuse") == Rejected("no-citation")


@pytest.mark.parametrize("finish", ["length", "refusal", "content-filter", "empty"])
def test_the_finish_reason_is_looked_at_first(finish: FinishReason) -> None:
    whole = chat_reply(reply(GOOD).text, finish)
    assert verify_reply(whole, [ITEM], "refuse") == Rejected("unreadable-reply")


UNREADABLE = {
    "prose": "The Kiln team runs it.",
    "a sentence before the object": f"Here it is: {reply(GOOD).text}",
    "cut off": reply(GOOD).text[:-20],
    "a list": "[]",
    "a missing key": '{"statements": []}',
    "a blank statement": reply((" \n", GOOD[1])).text,
    "a number for a text": '{"insufficient": false, "statements": [{"text": 1, "citations": []}]}',
    "nothing": "",
}


@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_what_is_not_the_object_asked_for_is_unreadable(text: str) -> None:
    assert verify_reply(chat_reply(text), [ITEM], "withdraw") == Rejected("unreadable-reply")


@pytest.mark.parametrize("mark", ["```", "```json"])
def test_a_fence_around_the_object_is_forgiven(mark: str) -> None:
    assert isinstance(verify_reply(chat_reply(f"{mark}\n{reply(GOOD).text}\n```\n"), [ITEM], "refuse"), Verified)


def test_only_an_exact_id_of_this_questions_items_counts() -> None:
    case = json.loads(CASES.joinpath("b27_answer.json").read_text(encoding="utf-8"))
    items = [item(chunk_id, f"what {chunk_id} says") for chunk_id in case["retrieved"]]
    statements = [(f"S{n}", [(cited["id"], "what k3f9-00")]) for n, cited in enumerate(case["citations"])]
    outcome = verify_reply(reply(*statements), items, "withdraw")
    wanted = [cited["id"] for cited in case["citations"] if cited["want"] == "keep"]
    assert isinstance(outcome, Verified)
    assert [cited.chunk_id for cited in outcome.citations] == wanted
    assert outcome.withdrawn == len(case["citations"]) - len(wanted)
    assert verify_reply(reply(*statements), items, "refuse") == Rejected("unknown-chunk")


QUOTES = json.loads(CASES.joinpath("b25_quotes.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("quote", QUOTES["quotes"], ids=[quote["text"] for quote in QUOTES["quotes"]])
def test_typography_is_forgiven_and_paraphrase_is_not(quote: dict[str, str]) -> None:
    source = item("c1", QUOTES["source"], start=11)
    cited = located(source, quote["text"])
    assert (cited is not None) == (quote["want"] == "verified")
    if cited is not None:
        assert QUOTES["source"].encode()[cited.start - 11 : cited.end - 11].decode() == cited.quote


def test_a_quote_beyond_the_cut_of_an_item_is_not_found() -> None:
    cut = item("c1", "The Kiln team runs")
    assert located(cut, "The Kiln team runs Sumac") is None


def test_a_citation_is_on_the_pages_of_its_own_bytes() -> None:
    paged = item("c1", "On page three. On page four.", start=100, page_starts=[(3, 90), (4, 115)])
    cited = [located(paged, quote) for quote in ("page three", "page four", "three. On")]
    assert [one.pages for one in cited if one is not None] == [(3,), (4,), (3, 4)]


def test_the_origin_and_grounding_of_an_item_are_those_of_its_citations() -> None:
    converted = EvidenceItem("c1", "d", "u", 0, 4, "text", 1.0, (), text_origin="converted", grounding="chunk")
    cited = located(converted, "text")
    assert cited is not None
    assert (cited.text_origin, cited.grounding) == ("converted", "chunk")


TEXTS = st.text(alphabet=st.sampled_from("ab é€😀\u00a0\n-–_*'’\"“.…"), min_size=1, max_size=30)


@settings(deadline=None)
@given(TEXTS, st.integers(0, 50), st.data())
def test_every_verified_quote_is_exactly_the_bytes_at_its_place(text: str, start: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(text) - 1))
    quote = text[first : data.draw(st.integers(first + 1, len(text)))]
    source = item("c1", text, start=start)
    outcome = verify_reply(reply(("S", [("c1", quote)])), [source], "refuse")
    if isinstance(outcome, Verified):
        for cited in outcome.citations:
            assert source.start <= cited.start < cited.end <= source.end
            assert cited.quote.encode() == (b"\0" * start + text.encode())[cited.start : cited.end]
    else:
        assert not any(c.isalnum() for c in quote)


@settings(deadline=None)
@given(st.text(max_size=300), st.sampled_from(["refuse", "withdraw"]))
def test_no_reply_at_all_makes_an_answer_without_a_citation(text: str, mode: Literal["refuse", "withdraw"]) -> None:
    outcome = verify_reply(chat_reply(text), [ITEM], mode)
    assert isinstance(outcome, Rejected)
