from graphrag_assets.model.limits import Limit
from graphrag_assets_tests.plans.documents import WordCounter, plan_of, settings_of

TABLE = "| Model | Width |\n|---|---|\n" + "".join(f"| L{number} | {number} cm |\n" for number in range(20))


def contexts(text: str, max_bytes: int = 2_048, *, context_tokens: int = 512, max_tokens: int = 8_192) -> list[str]:
    plan = plan_of(text, settings_of(max_bytes, max_tokens=max_tokens, context_tokens=context_tokens), counter=WordCounter())
    return [chunk.context for chunk in plan.chunks]


def test_the_context_is_the_heading_path() -> None:
    assert contexts("intro\n\n# A\n\na\n\n## B *c*\n\nb\n") == ["", "A", "A > B c"]


def test_rows_of_a_cut_table_take_its_header_along() -> None:
    header = "| Model | Width |\n|---|---|"
    assert contexts("# Sizes\n\n" + TABLE, 150) == ["Sizes", *[f"Sizes\n{header}"] * 2]
    assert contexts(TABLE, 150) == ["", header, header]


def test_a_whole_table_needs_no_header() -> None:
    assert contexts(TABLE) == [""]


def test_text_after_a_cut_table_takes_no_header_along() -> None:
    assert contexts(TABLE + "\n" + "after " * 20, 150)[-1] == ""


def test_a_header_has_no_control_characters() -> None:
    assert contexts(TABLE.replace("Model", "Mo\x07d\u200bel").replace("\n", "\r\n"), 200)[-1] == "| Model | Width |\n|---|---|"


def test_outer_headings_go_first_when_the_path_is_too_long() -> None:
    text = "# one two\n## three four\n### five six\n"
    assert contexts(text, context_tokens=10)[-1] == "one two > three four > five six"
    assert contexts(text, context_tokens=9)[-1] == "three four > five six"
    assert contexts(text, context_tokens=6)[-1] == "five six"
    assert contexts(text, context_tokens=3)[-1] == ""


def test_a_header_is_worth_more_than_the_path_and_its_names_more_than_its_line() -> None:
    text = "# One two three\n\n" + TABLE
    assert contexts(text, 150, context_tokens=30)[-1] == "One two three\n| Model | Width |\n|---|---|"
    assert contexts(text, 150, context_tokens=18)[-1] == "| Model | Width |\n|---|---|"
    assert contexts(text, 150, context_tokens=10)[-1] == "One two three\n| Model | Width |"
    assert contexts(text, 150, context_tokens=7)[-1] == "| Model | Width |"
    assert contexts(text, 150, context_tokens=5)[-1] == "One two three"


def test_a_context_that_was_cut_is_said() -> None:
    text = "# one two\n## three four\n"
    whole, cut = (plan_of(text, settings_of(context_tokens=tokens), counter=WordCounter()) for tokens in (7, 6))
    assert whole.limits == ()
    assert cut.limits == (Limit("context-tokens", 6),)


def test_without_a_reserve_there_is_no_context() -> None:
    assert contexts("# A\n\na\n", context_tokens=0) == [""]


def test_a_context_has_no_more_bytes_than_a_chunk() -> None:
    assert contexts("# " + "a" * 200 + "\n", 64)[-1] == ""


def test_a_title_that_is_cut_is_said() -> None:
    assert plan_of("# " + "a" * 400 + "\n").limits == (Limit("title-characters", 300),)
