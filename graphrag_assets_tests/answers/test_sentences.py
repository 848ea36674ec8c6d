"""Sentences of a passage."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_assets.answers.sentences import sentences_of

PASSAGE = """# Harbour

Harbour books cabins for Dr. Lind. It calls "Berth." Version 3.2 runs
on Capstan!

## Running it
- Releases on Mondays. Never on Fridays.
- Alarms at night

| system | owner |
|--------|-------|
| Berth  | Watch |

```
deploy --now
```
"""


def test_a_passage_falls_into_sentences_list_items_and_rows() -> None:
    assert [sentence.text for sentence in sentences_of(0, PASSAGE, "")] == [
        "Harbour books cabins for Dr. Lind.",
        'It calls "Berth."',
        "Version 3.2 runs\non Capstan!",
        "Releases on Mondays.",
        "Never on Fridays.",
        "Alarms at night",
        "| system | owner |",
        "| Berth  | Watch |",
        "deploy --now",
    ]


def test_headings_are_no_sentences_but_stand_over_them() -> None:
    found = {sentence.text: sentence.headings for sentence in sentences_of(0, PASSAGE, "Services")}
    assert found["Alarms at night"] == ("Services", "Running it")
    assert found['It calls "Berth."'] == ("Services", "Harbour")


def test_a_sentence_knows_the_one_before_it_in_its_paragraph() -> None:
    found = {sentence.text: sentence.before for sentence in sentences_of(0, PASSAGE, "")}
    assert found['It calls "Berth."'] == "Harbour books cabins for Dr. Lind."
    assert found["Releases on Mondays."] == ""


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("aB1 .!?\n#-|`\"'“”…é😀"), max_size=80))
def test_every_sentence_is_an_unbroken_stretch_of_the_passage_in_order(text: str) -> None:
    at = 0
    for sentence in sentences_of(0, text, ""):
        found = text.find(sentence.text, at)
        assert found >= at
        at = found + len(sentence.text)


@pytest.mark.parametrize("text", ["", "\n\n", "# Only a heading", "---", "***"])
def test_a_passage_without_words_has_no_sentences(text: str) -> None:
    assert sentences_of(0, text, "Heading") == ()
