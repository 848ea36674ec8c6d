"""Words, names and stems of a question."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_assets.retrieval.words import content_stems, stem, words_of

FAMILIES = {
    "own": "owns owner owned ownership owning",
    "lead": "leads leader led leadership leading",
    "locate": "located location locates",
    "depend": "depends depended dependency dependent",
    "city": "cities",
    "plan": "planned planning plans",
    "write": "wrote written writes",
    "build": "built builder builds",
}


@pytest.mark.parametrize(("base", "forms"), FAMILIES.items())
def test_forms_of_one_word_meet_in_one_stem(base: str, forms: str) -> None:
    assert {stem(form) for form in forms.split()} == {stem(base)}


@pytest.mark.parametrize(("one", "other"), [("lead", "load"), ("count", "county"), ("class", "clan"), ("INC-2041", "INC-2042")])
def test_different_words_keep_different_stems(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def test_a_possessive_ending_is_no_part_of_a_word() -> None:
    assert stem("Harbour's") == stem("Harbour’s") == stem("harbour")


def test_words_keep_inner_hyphens_and_dots_and_stand_where_they_stand() -> None:
    text = "Did INC-2041 hit v3.2 of C++ (twice)?"
    assert [word.text for word in words_of(text)] == ["Did", "INC-2041", "hit", "v3.2", "of", "C++", "twice"]
    assert all(text[word.start : word.end] == word.text for word in words_of(text))


def test_words_without_meaning_have_no_stem_in_the_content() -> None:
    assert content_stems("Who owns the thing that owns it?") == (stem("own"), stem("thing"))


@settings(deadline=None)
@given(st.text(max_size=60))
def test_stems_are_the_same_each_time_and_never_empty(text: str) -> None:
    stems = content_stems(text)
    assert stems == content_stems(text)
    assert all(stems)
