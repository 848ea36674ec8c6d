"""What may be asked, and what a full-text index is asked for."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_assets.model.errors import UsageError
from graphrag_assets.retrieval.questions import MAX_FULL_TEXT_TERMS, checked_question, full_text_query, phrase_query

QUERIES: list[str] = json.loads(Path(__file__).parents[1].joinpath("cases", "b05_queries.json").read_text(encoding="utf-8"))
# A query of quoted terms: within the quotes nothing is syntax but a backslash before a backslash or a quotation mark.
ONLY_QUOTED_TERMS = re.compile(r'(?:"(?:[^"\\]|\\["\\])*"(?: |\Z))*')


@pytest.mark.parametrize("question", QUERIES, ids=map(repr, QUERIES))
def test_a_question_is_never_syntax(question: str) -> None:
    assert ONLY_QUOTED_TERMS.fullmatch(full_text_query(question).text)


@settings(deadline=None)
@given(st.text(max_size=200))
def test_no_text_at_all_is_ever_syntax(text: str) -> None:
    assert ONLY_QUOTED_TERMS.fullmatch(full_text_query(text).text)
    assert ONLY_QUOTED_TERMS.fullmatch(phrase_query(text))


@pytest.mark.parametrize("question", ["", "   ", "*", "?!", "\u2764\ufe0f?", '"\\"'])
def test_a_question_without_words_asks_the_index_nothing(question: str) -> None:
    assert full_text_query(question).text == ""


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("root causes/solutions", '"root" "causes" "solutions"'),
        ("Who owns the Harbour?", '"owns" "harbour"'),
        ("AND", '"and"'),
        ("Did INC-2041 stop?", '"inc-2041" "inc" "2041" "stop"'),
        ("Harbour's Harbour", '"harbour"'),
    ],
)
def test_words_are_searched_as_plain_words_each_once(question: str, query: str) -> None:
    assert full_text_query(question).text == query


def test_more_words_than_the_index_takes_are_cut_and_said() -> None:
    query = full_text_query(" ".join(f"x{n}" for n in range(MAX_FULL_TEXT_TERMS + 1)))
    assert len(query.text.split()) == MAX_FULL_TEXT_TERMS
    assert [(limit.name, limit.value) for limit in query.limits] == [("full-text-terms", MAX_FULL_TEXT_TERMS)]


@pytest.mark.parametrize("question", ["", " \n\t", "\u200b\u200b", "\x00\x07"])
def test_an_empty_question_is_refused(question: str) -> None:
    with pytest.raises(UsageError) as refused:
        checked_question(question)
    assert refused.value.code == "empty-question"


def test_a_question_of_2000_characters_is_the_longest() -> None:
    assert len(checked_question("x" * 2_000)) == 2_000
    with pytest.raises(UsageError) as refused:
        checked_question("x" * 2_001)
    assert refused.value.code == "question-too-long"


def test_control_characters_and_lone_surrogates_become_spaces() -> None:
    assert checked_question(" who\x00owns\ud800it\x1b? ") == "who owns it ?"


@pytest.mark.parametrize("question", [q for q in QUERIES if q.strip()], ids=map(repr, [q for q in QUERIES if q.strip()]))
def test_every_question_that_is_not_blank_may_be_asked(question: str) -> None:
    assert checked_question(question) == question.strip()
