"""Documents that other systems are known to cut wrongly."""

import time

import pytest

from graphrag_assets_tests.plans.documents import ByteTokenCounter, broken_rules, plan_of, settings_of, texts
from graphrag_assets_tests.sources.documents import CASES, load_case

BOM = b"\xef\xbb\xbf"


def test_a_byte_order_mark_hides_no_heading() -> None:
    text = load_case("b18_bom.md").text
    plan = plan_of(text)
    assert [(section.title, section.span.start) for section in plan.sections] == [("First heading", 0), ("Second", 28)]
    assert plan == plan_of((CASES / "b18_bom.md").read_bytes().removeprefix(BOM))
    assert not any("\ufeff" in chunk.text for chunk in plan.chunks)


def test_offsets_count_bytes_whatever_the_line_ends() -> None:
    text = load_case("b19_crlf.md").text
    plan = plan_of(text)
    assert text.index(b"Ende.") == 45
    assert [section.span.start for section in plan.sections] == [0, 36]
    assert broken_rules(plan, text, settings_of(), ByteTokenCounter()) == []


def test_a_comment_in_a_fence_is_no_section() -> None:
    plan = plan_of(load_case("b20_fence.md").text)
    assert [section.title for section in plan.sections] == ["Setup", "Usage"]
    for fence in ("```sh\n# comment, no heading\nmake all\n```\n", "~~~text\n## also no heading\n~~~\n"):
        assert sum(fence in text for text in texts(plan)) == 1


@pytest.mark.parametrize("overlap", [0, 1, 4])
@pytest.mark.parametrize("max_bytes", [64, 100, 2_048])
def test_repeated_text_keeps_its_own_spans(max_bytes: int, overlap: int) -> None:
    text = load_case("b21_repeat.txt").text
    settings = settings_of(max_bytes, overlap_paragraphs=overlap)
    assert broken_rules(plan_of(text, settings, "text/plain"), text, settings, ByteTokenCounter()) == []


@pytest.mark.parametrize("overlap", [0, 1, 4])
@pytest.mark.parametrize("max_bytes", [64, 65, 1_000, 3_014, 16_384])
def test_an_unbroken_run_ends_within_a_second(max_bytes: int, overlap: int) -> None:
    text = load_case("b22_unbroken.txt").text
    settings = settings_of(max_bytes, overlap_paragraphs=overlap)
    start = time.monotonic()
    plan = plan_of(text, settings, "text/plain")
    assert time.monotonic() - start < 1
    assert broken_rules(plan, text, settings, ByteTokenCounter()) == []


def test_a_table_is_cut_between_rows_and_its_header_goes_along() -> None:
    text = load_case("b23_table.md").text
    plan = plan_of(text, settings_of(300))
    header = "| Model | Width cm | Note |\n|---|---|---|"
    assert len(plan.chunks) == 3
    assert plan.chunks[0].text.startswith(f"# Sizes\n\nTable 1: loom sizes.\n\n{header}\n| L1 |")
    assert [chunk.context for chunk in plan.chunks] == ["Sizes", f"Sizes\n{header}", f"Sizes\n{header}"]
    for chunk in plan.chunks[1:]:
        assert chunk.text.startswith("| L")
        assert "Model" not in chunk.text
    rows = [line for chunk in plan.chunks for line in chunk.text.splitlines() if line.startswith("| L")]
    assert rows == [f"| L{n} | {40 + n} | row {n} `a\\|b` |" for n in range(1, 25)]


def test_headings_with_nothing_between_give_no_blank_chunk() -> None:
    plan = plan_of(load_case("b08_blank_sections.md").text)
    assert [section.title for section in plan.sections] == ["One", "Two", "Three"]
    assert not any(chunk.blank for chunk in plan.chunks)


def test_control_characters_move_no_offset() -> None:
    text = load_case("b17_control_chars.txt").text
    for max_bytes in (64, 2_048):
        settings = settings_of(max_bytes)
        assert broken_rules(plan_of(text, settings, "text/plain"), text, settings, ByteTokenCounter()) == []


@pytest.mark.parametrize(
    "text",
    [
        b"lorem ipsum dolor sit amet, " * 75_000,
        b"a" * 1_000_000,
        "\u6587\u5b57".encode() * 160_000,
        b"ab\n\n" * 100_000,
        b" " * 1_000_000 + b"a",
    ],
    ids=["a line of 2 MB", "a word of 1 MB", "CJK without a space", "100,000 paragraphs", "1 MB of spaces"],
)
def test_large_texts_of_one_shape_take_seconds(text: bytes) -> None:
    start = time.monotonic()
    plan = plan_of(text, settings_of(max_tokens=256, context_tokens=48), "text/plain")
    assert time.monotonic() - start < 20
    assert plan.chunks[-1].span.end == len(text)
    assert max(chunk.token_count for chunk in plan.chunks) <= 208


@pytest.mark.parametrize(
    "fragment", ["# a\n", "- a\n", "> ", "|a|b|\n|-|-|\n", "[a]: b\n", "[[[[ x\n", "- - - a\n", "<div>\n", "**a ", "a\r\r\n"]
)
def test_markup_repeated_without_end_takes_time_in_proportion(fragment: str) -> None:
    text = fragment * (60_000 // len(fragment))
    start = time.monotonic()
    plan = plan_of(text)
    assert time.monotonic() - start < 20
    assert plan.chunks[-1].span.end == len(text)
