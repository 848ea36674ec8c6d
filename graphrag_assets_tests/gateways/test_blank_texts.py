import pytest

from graphrag_assets.gateways.blank_texts import is_blank, refuse_blank_texts
from graphrag_assets_tests.gateways.case_files import CASES


@pytest.mark.parametrize("text", ["", " ", "\r\n\t", "\u00a0\u3000", "\u200b\ufeff\u2060", "\x00\x1b"])
def test_a_text_that_shows_nothing_is_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", " . ", "\u200b漢", "🚢", "\u0301", "\ue000"])
def test_a_text_with_one_visible_sign_is_not(text: str) -> None:
    assert not is_blank(text)


def test_the_document_of_unseen_spaces_is_blank() -> None:
    assert is_blank((CASES / "b08_whitespace_only.md").read_text(encoding="utf-8"))


def test_the_first_blank_text_is_named_by_its_place() -> None:
    refuse_blank_texts(["a", "b"])
    with pytest.raises(ValueError, match="text 2 of 4"):
        refuse_blank_texts(["a", "b", " ", ""])
