import pytest

from graphrag_assets.plans.headings import heading_path
from graphrag_assets_tests.plans.documents import plan_of


def sections_of(text: str) -> list[tuple[int, str, int | None, str]]:
    return [(s.level, s.title, s.parent_order, s.span.text(text.encode())) for s in plan_of(text).sections]


def test_a_section_runs_to_the_next_heading_of_its_level_or_above() -> None:
    text = "intro\n\n# A\na\n## B\nb\n### C\nc\n## D\nd\n# E\n"
    assert sections_of(text) == [
        (1, "A", None, "# A\na\n## B\nb\n### C\nc\n## D\nd\n"),
        (2, "B", 0, "## B\nb\n### C\nc\n"),
        (3, "C", 1, "### C\nc\n"),
        (2, "D", 0, "## D\nd\n"),
        (1, "E", None, "# E\n"),
    ]


def test_levels_may_skip_and_come_back() -> None:
    assert [(title, parent) for _, title, parent, _ in sections_of("### A\n# B\n#### C\n## D\n")] == [
        ("A", None),
        ("B", None),
        ("C", 1),
        ("D", 1),
    ]


@pytest.mark.parametrize("text", ["- # a\n", "> # a\n", "```\n# a\n```\n", "    # a\n", "<pre>\n# a\n</pre>\n", "\\# a\n", "#a\n", "a\n"])
def test_a_heading_inside_something_else_starts_no_section(text: str) -> None:
    assert sections_of(text) == []


def test_plain_text_and_pdf_text_have_no_sections() -> None:
    for media_type in ("text/plain", "application/pdf"):
        assert plan_of("# a\n\nb\n", media_type=media_type).sections == ()


def test_a_path_leaves_out_empty_titles() -> None:
    plan = plan_of("# A\n##\n### C\n")
    assert heading_path(plan.sections, 2) == ("A", "C")
    assert heading_path(plan.sections, None) == ()


def test_sections_of_one_text_differ_by_order_and_repeat_by_run() -> None:
    first, again = plan_of("# A\n# A\n"), plan_of("# A\n# A\n")
    assert first.sections == again.sections
    assert len({section.section_id for section in first.sections}) == 2
