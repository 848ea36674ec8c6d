"""A quote is found when the words stand there, whatever their typography, and what is found is the stored bytes."""

import json
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graphrag_assets.model.quotes import locate_quote
from graphrag_assets.model.spans import ByteSpan

CASE = json.loads((Path(__file__).parents[1] / "cases" / "b25_quotes.json").read_bytes())


def located(text: str, quote: str) -> str | None:
    span = locate_quote(text, quote)
    return None if span is None else span.text(text.encode())


@pytest.mark.parametrize("quote", CASE["quotes"], ids=[quote["text"][:30] for quote in CASE["quotes"]])
def test_true_quotes_are_found_and_paraphrases_are_not(quote: dict[str, str]) -> None:
    found = located(CASE["source"], quote["text"])
    assert ("rejected" if found is None else "verified") == quote["want"]
    assert found is None or found in CASE["source"]


def test_what_is_found_is_the_stored_typography() -> None:
    assert located(CASE["source"], '"no loom may run - day or night"') == "no loom may run – day or night"
    assert located(CASE["source"], 'said "no loom') == "said “no loom"
    assert located(CASE["source"], "«no loom may run»") == "no loom may run"


FORGIVEN = {
    "curly apostrophe": ("It’s the quay", "It's the quay"),
    "guillemets": ("He said «stop» twice", 'said "stop" twice'),
    "dashes": ("day – or — night", "day - or - night"),
    "runs of whitespace": ("one\n   two\tthree", "one two three"),
    "no-break space": ("one\u00a0two", "one two"),
    "emphasis in the text": ("a **bold** and _soft_ word", "bold and soft"),
    "emphasis in the quote": ("a bold word", "a **bold** word"),
    "soft hyphen": ("har\u00adbour", "harbour"),
    "zero-width space": ("har\u200bbour", "harbour"),
    "marks around the words": ("the tide turns", '"tide turns"'),
}
REFUSED = {
    "other words": ("the tide turns", "the tide turned"),
    "other order": ("the tide turns", "turns the tide"),
    "other case": ("The tide turns", "the tide turns"),
    "a missing word": ("the high tide turns", "the tide turns"),
    "accents": ("café", "cafe"),
    "marks alone": ('she said "" and left', '""'),
    "punctuation alone": ("wait - what?", " - "),
    "an elision alone": ("wait ... what?", "..."),
    "nothing": ("text", ""),
    "white space": ("two words", " \n"),
}


@pytest.mark.parametrize(("text", "quote"), FORGIVEN.values(), ids=FORGIVEN.keys())
def test_typography_is_forgiven(text: str, quote: str) -> None:
    assert locate_quote(text, quote) is not None


@pytest.mark.parametrize(("text", "quote"), REFUSED.values(), ids=REFUSED.keys())
def test_words_are_not_forgiven(text: str, quote: str) -> None:
    assert locate_quote(text, quote) is None


@pytest.mark.parametrize("elision", ["...", "…", " [...] ", " […] "])
def test_an_elision_spans_what_it_leaves_out(elision: str) -> None:
    assert located("the high tide slowly turns at noon", f"high tide{elision}at noon") == "high tide slowly turns at noon"


def test_elided_pieces_keep_their_order_and_are_three_at_most() -> None:
    text = "one two three four five six seven"
    assert located(text, "one ... three ... seven") == text
    assert locate_quote(text, "three ... one") is None
    assert locate_quote(text, "one ... two ... three ... four") is None


def test_the_first_place_is_taken() -> None:
    assert locate_quote("tide. tide. tide.", "tide") == ByteSpan(0, 4)


def test_offsets_count_bytes() -> None:
    assert locate_quote("é民 quay", "quay") == ByteSpan(6, 10)


# Everything the rules treat specially, beside plain letters; no dots, which a quote uses for elisions.
texts = st.text(alphabet=st.sampled_from("abcXYZ019 \n\t\u00a0\u200b\u00ad_*“”\"'’«»–-—é民🐟,;"), max_size=60)


@st.composite
def texts_and_substrings(draw: st.DrawFn) -> tuple[str, str]:
    text = draw(texts)
    start = draw(st.integers(0, len(text)))
    return text, text[start : draw(st.integers(start, len(text)))]


@given(texts_and_substrings())
def test_every_stretch_of_a_text_with_a_word_in_it_is_found(drawn: tuple[str, str]) -> None:
    text, stretch = drawn
    assume(any(character.isalnum() for character in stretch))
    found = located(text, stretch)
    assert found is not None
    assert [c for c in found if c.isalnum()] == [c for c in stretch if c.isalnum()]


@given(texts_and_substrings())
def test_what_was_found_is_found_again_at_the_same_place(drawn: tuple[str, str]) -> None:
    text, stretch = drawn
    span = locate_quote(text, stretch)
    assume(span is not None)
    assert span is not None
    assert locate_quote(text, span.text(text.encode())) == span


@given(texts, texts, texts)
def test_a_quote_with_one_elision_is_found_and_found_again(first: str, between: str, last: str) -> None:
    assume(any(c.isalnum() for c in first) and any(c.isalnum() for c in last))
    text = first + between + last
    span = locate_quote(text, f"{first}...{last}")
    assert span is not None
    assert locate_quote(text, span.text(text.encode())) == span


@given(texts, texts)
def test_a_stretch_without_a_word_is_never_found(text: str, quote: str) -> None:
    assume(not any(character.isalnum() for character in quote))
    assert locate_quote(text, quote) is None
