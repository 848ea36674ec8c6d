import pytest

from graphrag_assets.model.limits import Limit
from graphrag_assets_tests.plans.documents import (
    PLAIN,
    LetterCounter,
    WastefulCounter,
    WordCounter,
    broken_rules,
    plan_of,
    settings_of,
    texts,
)


def paragraph(letter: str, size: int) -> str:
    """A paragraph of one line that takes ``size`` bytes with the blank line after it."""
    return letter * (size - 2) + "\n\n"


def test_whole_paragraphs_are_packed_until_one_more_would_not_fit() -> None:
    parts = [paragraph(letter, 40) for letter in "abcde"]
    assert texts(plan_of("".join(parts), settings_of(100))) == [parts[0] + parts[1], parts[2] + parts[3], parts[4]]


def test_a_text_that_just_fits_is_one_chunk() -> None:
    assert len(plan_of("a" * 99 + "\n", settings_of(100)).chunks) == 1
    assert len(plan_of("a" * 99 + "\n\n", settings_of(100)).chunks) == 2


def test_a_chunk_never_crosses_a_heading() -> None:
    plan = plan_of("intro\n\n# A\n\na\n\n## B\n\nb\n\n# C\n")
    assert texts(plan) == ["intro\n\n", "# A\n\na\n\n", "## B\n\nb\n\n", "# C\n"]
    assert [chunk.section_order for chunk in plan.chunks] == [None, 0, 1, 2]


@pytest.mark.parametrize("paragraphs", [1, 2, 3])
def test_whole_paragraphs_are_repeated(paragraphs: int) -> None:
    parts = [paragraph(letter, 20) for letter in "abcdefgh"]
    plan = plan_of("".join(parts), settings_of(80, overlap_paragraphs=paragraphs))
    assert plan.chunks[0].text == "".join(parts[:4])
    assert plan.chunks[1].text == "".join(parts[4 - paragraphs : 8 - paragraphs])
    assert plan.chunks[1].overlap_bytes == 20 * paragraphs


def test_overlap_is_given_up_paragraph_by_paragraph_when_nothing_new_would_fit() -> None:
    parts = [paragraph("a", 30), paragraph("b", 30), paragraph("c", 30), paragraph("d", 60)]
    plan = plan_of("".join(parts), settings_of(100, overlap_paragraphs=2))
    assert texts(plan) == [parts[0] + parts[1] + parts[2], parts[2] + parts[3]]
    large = plan_of(paragraph("a", 50) + paragraph("b", 45) + paragraph("c", 90), settings_of(100, overlap_paragraphs=2))
    assert [chunk.overlap_bytes for chunk in large.chunks] == [0, 0]


def test_overlap_stays_within_its_section() -> None:
    plan = plan_of("# A\n\n" + paragraph("a", 40) + paragraph("b", 40) + "# B\n\nb\n", settings_of(100, overlap_paragraphs=4))
    assert [chunk.overlap_bytes for chunk in plan.chunks] == [0, 0]


def test_only_paragraphs_are_repeated() -> None:
    for block in ("```\ncode\n```\n\n", "- item\n\n", "| a |\n|---|\n\n"):
        plan = plan_of(paragraph("a", 40) + block + paragraph("b", 80), settings_of(100, overlap_paragraphs=1))
        assert [chunk.overlap_bytes for chunk in plan.chunks] == [0, 0]


def test_a_part_of_a_long_paragraph_is_not_repeated() -> None:
    text = "word " * 30 + "\n\n" + paragraph("b", 60)
    plan = plan_of(text, settings_of(100, overlap_paragraphs=1))
    assert [chunk.overlap_bytes for chunk in plan.chunks if chunk.text.startswith("b")] == [0]


def test_a_long_paragraph_is_cut_at_lines() -> None:
    lines = [f"line {number} " + "x" * 30 + "\n" for number in range(6)]
    assert texts(plan_of("".join(lines), settings_of(100))) == [lines[0] + lines[1], lines[2] + lines[3], lines[4] + lines[5]]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_is_a_place_to_cut(end: str) -> None:
    assert texts(plan_of(("x" * 40 + end) * 3, settings_of(64), PLAIN)) == ["x" * 40 + end] * 3


def test_a_long_line_is_cut_between_words() -> None:
    plan = plan_of("seven77 " * 40, settings_of(100), PLAIN)
    assert {chunk.text for chunk in plan.chunks} == {"seven77 " * 12, "seven77 " * 4}


def test_no_break_spaces_are_not_between_words() -> None:
    text = ("a" * 30 + "\u00a0" + "b" * 20 + " ") * 4
    assert all(chunk.text.startswith("a") and chunk.text.endswith(" ") for chunk in plan_of(text, settings_of(64), PLAIN).chunks)


def test_a_long_word_is_cut_between_code_points() -> None:
    text = "\u00e9\U0001f600" * 100
    plan = plan_of(text, settings_of(64), PLAIN)
    assert "".join(texts(plan)) == text
    assert {len(chunk.span) for chunk in plan.chunks[:-1]} <= {62, 64}


def test_what_is_left_of_a_long_block_is_packed_with_what_follows() -> None:
    plan = plan_of("x" * 60 + "\n" + "y" * 60 + "\n\nshort\n", settings_of(100), PLAIN)
    assert texts(plan) == ["x" * 60 + "\n", "y" * 60 + "\n\nshort\n"]


def test_a_heading_stays_with_the_beginning_of_a_long_paragraph() -> None:
    plan = plan_of("# Title\n\n" + "word " * 60, settings_of(100))
    assert plan.chunks[0].text.startswith("# Title\n\nword word")


def test_a_long_paragraph_does_not_begin_in_a_chunk_that_is_more_than_half_full() -> None:
    plan = plan_of(paragraph("a", 60) + "word " * 60, settings_of(100))
    assert plan.chunks[0].text == paragraph("a", 60)


def test_a_fence_that_fits_stays_whole() -> None:
    fence = "```\n" + "code\n" * 15 + "```\n"
    plan = plan_of(paragraph("a", 40) + fence + "\nafter\n", settings_of(100))
    assert texts(plan) == [paragraph("a", 40), fence + "\nafter\n"]


def test_a_long_fence_is_cut_at_lines() -> None:
    plan = plan_of("```\n" + "a line of code\n" * 20 + "```\n", settings_of(100))
    assert all(chunk.text.endswith("\n") for chunk in plan.chunks)
    assert texts(plan)[0] == "```\n" + "a line of code\n" * 6


def test_a_list_is_cut_between_items() -> None:
    items = [f"- item {number}\n  goes on here\n" for number in range(8)]
    plan = plan_of("".join(items), settings_of(100))
    assert texts(plan) == ["".join(items[:4]), "".join(items[4:])]


def test_a_long_item_is_cut_at_lines() -> None:
    text = "- first\n- second\n" + "  goes on here\n" * 10 + "- third\n"
    plan = plan_of(text, settings_of(100))
    assert plan.chunks[0].text == "- first\n"
    assert plan.chunks[-1].text.endswith("- third\n")
    assert all(chunk.text.endswith("\n") for chunk in plan.chunks)


def test_tokens_bound_a_chunk_where_bytes_do_not() -> None:
    plan = plan_of("one two three four five six seven\n" * 10, settings_of(max_tokens=32, context_tokens=8), counter=WordCounter())
    assert [chunk.token_count for chunk in plan.chunks] == [23, 23, 23, 9]


def test_a_counter_that_sinks_with_length_still_gives_chunks_that_fit() -> None:
    text = "aaaaaaaaaa " * 20 + "b" * 500 + " cc" * 50
    settings, counter = settings_of(200, max_tokens=32, context_tokens=0), LetterCounter()
    assert broken_rules(plan_of(text, settings, PLAIN, counter), text.encode(), settings, counter) == []


def test_one_code_point_over_the_token_bound_is_a_chunk_and_said() -> None:
    plan = plan_of("ab", settings_of(max_tokens=16, context_tokens=0), PLAIN, WastefulCounter())
    assert texts(plan) == ["a", "b"]
    assert plan.limits == (Limit("chunk-tokens", 16),)


def test_blank_lines_go_with_the_text_before_and_the_first_with_the_text_after() -> None:
    assert texts(plan_of("\n\n# A\n\n\n\n# B\n\n\n")) == ["\n\n# A\n\n\n\n", "# B\n\n\n"]


def test_blank_text_goes_with_what_follows_where_it_fits() -> None:
    plan = plan_of("x" * 97 + "\n\n\u200b\n\n" + "y" * 50, settings_of(100), PLAIN)
    assert [chunk.blank for chunk in plan.chunks] == [False, False]


def test_a_chunk_of_nothing_but_blanks_is_marked() -> None:
    plan = plan_of("a" + " " * 300 + "b", settings_of(100), PLAIN)
    assert [chunk.blank for chunk in plan.chunks] == [False, True, True, False]
    assert [chunk.blank for chunk in plan_of("\u200b\n\n# A\n").chunks] == [True, False]


def test_an_edit_moves_no_text_of_another_section() -> None:
    rest = "# B\n\n" + "".join(paragraph(letter, 40) for letter in "abcdef") + "word " * 100
    before, after = (plan_of(first + rest, settings_of(100)) for first in ("# A\n\nold\n\n", "# A\n\nmuch longer than before\n\n"))
    assert texts(before)[1:] == texts(after)[1:]
