"""Names are one when they look alike: in composed, decomposed and compatibility form, in any case and spacing."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_assets.model.ids import thing_id
from graphrag_assets.model.names import clean_name, compared_name

CASES = Path(__file__).parents[1] / "cases"


def test_three_byte_forms_of_one_name_are_one_thing() -> None:
    texts = [(CASES / f"b26_{form}.md").read_bytes().decode() for form in ("nfc", "nfd", "radical")]
    assert len(set(texts)) == 3
    assert len({thing_id("Person", compared_name(text)) for text in texts}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("Straße", "STRASSE"), ("İzmir", "i̇zmir"), ("Σίσυφος", "ΣΊΣΥΦΟΣ"), ("ﬁsh", "FISH"), (" the\u00a0 Quay\n", "The quay"), ("Ａ１", "a1")],
)
def test_case_width_ligatures_and_spacing_do_not_tell_names_apart(one: str, other: str) -> None:
    assert compared_name(one) == compared_name(other)


@pytest.mark.parametrize(("one", "other"), [("cafe", "café"), ("The Quay", "Quay"), ("Quay 1", "Quay 2"), ("Harbour", "Harbor")])
def test_accents_articles_numbers_and_spelling_do(one: str, other: str) -> None:
    assert compared_name(one) != compared_name(other)


@given(st.text())
def test_comparing_is_settled_after_one_step(name: str) -> None:
    assert compared_name(compared_name(name)) == compared_name(name)


@given(st.text())
def test_spacing_around_and_case_folding_change_nothing(name: str) -> None:
    assert compared_name(f" {name}\n") == compared_name(name)
    assert compared_name(name.casefold()) == compared_name(name)


def test_a_stored_name_has_no_invisible_characters() -> None:
    assert clean_name("\ufeffThe\u200b  Quay\x00\n of\tAnsel ") == "The Quay of Ansel"
    assert clean_name(" \u200b\n") == ""


@given(st.text())
def test_cleaning_is_settled_after_one_step_and_keeps_every_visible_character(name: str) -> None:
    cleaned = clean_name(name)
    assert clean_name(cleaned) == cleaned
    assert [c for c in cleaned if c.isalnum()] == [c for c in name if c.isalnum()]
