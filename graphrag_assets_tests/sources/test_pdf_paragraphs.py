from graphrag_assets.sources.pdf_lines import PdfLine
from graphrag_assets.sources.pdf_paragraphs import known_words, page_text

WIDTH = 5.0
EDGE = 60
FULL = "x" * 25 + " " + "y" * 33 + "."


def line(text: str, row: float, *, left: float = 0.0, height: float = 10.0, font: str = "", broken_word: bool = False) -> PdfLine:
    """A line of a page in a type whose letters are all 5 points wide; rows are 12 points apart, counted from the top."""
    first_word = text.split(" ")[0]
    return PdfLine(text, left, left + WIDTH * len(text), 700 - 12 * row, height, WIDTH * len(first_word), font, broken_word)


def text_of(*lines: PdfLine) -> str:
    return page_text(lines, known_words([lines]))


def filled(text: str, *, left: float = 0.0) -> str:
    """The text of a line from ``left`` with its last word stretched to the right edge."""
    return text + "z" * (EDGE - int(left / WIDTH) - len(text))


def test_full_lines_are_joined_by_a_space() -> None:
    assert text_of(line(filled("one "), 0), line(filled("two "), 1), line("three.", 2)) == f"{filled('one ')} {filled('two ')} three."


def test_a_wider_gap_starts_a_paragraph() -> None:
    assert text_of(line(filled("a "), 0), line(filled("b "), 1), line(filled("c "), 3), line(filled("d "), 4)) == (
        f"{filled('a ')} {filled('b ')}\n\n{filled('c ')} {filled('d ')}"
    )


def test_a_double_spaced_page_is_read_like_any_other() -> None:
    assert text_of(*(line(filled("a "), 2 * row) for row in range(4))) == " ".join([filled("a ")] * 4)


def test_an_indented_line_starts_a_paragraph() -> None:
    assert text_of(line(filled("a "), 0), line(filled("b "), 1), line(filled("C ", left=15), 2, left=15), line(filled("d "), 3)) == (
        f"{filled('a ')} {filled('b ')}\n\n{filled('C ', left=15)} {filled('d ')}"
    )


def test_a_hanging_indentation_starts_none() -> None:
    lines = [line(filled("Ref "), 0), line(filled("more ", left=15), 1, left=15), line("end", 2, left=15)]
    assert text_of(*lines) == f"{filled('Ref ')} {filled('more ', left=15)} end"


def test_a_short_line_that_ends_a_sentence_ends_the_paragraph() -> None:
    assert text_of(line(filled("a "), 0), line("It ended.", 1), line(filled("New "), 2)) == f"{filled('a ')} It ended.\n\n{filled('New ')}"


def test_short_lines_without_an_end_stay_lines() -> None:
    assert text_of(line("Roses", 0), line("Violets", 1), line(filled("a "), 2)) == f"Roses\nViolets\n{filled('a ')}"


def test_items_of_a_list_stay_lines_and_wrap_within() -> None:
    one, two = filled("\u2022 one "), filled("\u2022 two ")
    lines = [line(one, 0), line("rest", 1, left=10), line(two, 2), line("2. three", 3)]
    assert text_of(*lines) == f"{one} rest\n{two}\n2. three"


def test_another_size_of_type_starts_a_paragraph() -> None:
    assert text_of(line("Heading", 0, height=14), line(filled("a "), 1)) == f"Heading\n\n{filled('a ')}"


def test_a_short_line_in_another_font_is_a_heading() -> None:
    lines = [line("Heading", 0, font="Bold"), line(filled("A "), 1, font="Roman"), line(filled("b "), 2, font="Roman")]
    assert text_of(*lines) == f"Heading\n\n{filled('A ')} {filled('b ')}"


def test_a_centred_title_on_two_lines_is_one_paragraph() -> None:
    assert text_of(line("A title that takes two lines of this", 0), line("narrow page", 1, left=62.5)) == (
        "A title that takes two lines of this narrow page"
    )


def test_text_goes_on_in_the_next_column_in_the_middle_of_a_sentence() -> None:
    columns = [line(filled("a "), 0), line(filled("b "), 1), line(filled("c "), 0, left=400), line("d.", 1, left=400)]
    assert text_of(*columns) == f"{filled('a ')} {filled('b ')} {filled('c ')} d."


def test_a_new_sentence_at_the_top_of_a_column_starts_a_paragraph() -> None:
    columns = [line(filled("a "), 0), line(FULL, 1), line(filled("New "), 0, left=400)]
    assert text_of(*columns) == f"{filled('a ')} {FULL}\n\n{filled('New ')}"


def test_pieces_on_one_line_are_one_line() -> None:
    assert text_of(line("Eich", 0), line(", Mike", 0.1, left=20), line("Shaver", 0, left=56)) == "Eich, Mike Shaver"


def test_a_hyphen_goes_only_when_the_whole_word_stands_elsewhere() -> None:
    lines = [line(filled("a dangerous "), 0), line("it is dan", 1, broken_word=True), line(filled("gerous and pop-"), 2)]
    assert "it is dangerous and pop-" in text_of(*lines)
    assert text_of(line(filled("x ")[:-4] + "pop-", 0), line("ular since", 1)).endswith("pop-ular since")


def test_a_word_written_with_a_hyphen_keeps_it() -> None:
    lines = [
        line(filled("wellknown and well-known names "), 0),
        line(filled("b ")[:-5] + " well", 1, broken_word=True),
        line("known as", 2),
    ]
    assert text_of(*lines).endswith("well-known as")


def test_a_soft_hyphen_at_a_lines_end_goes() -> None:
    assert text_of(line(filled("a ")[:-4] + " dan\u00ad", 0), line("gerous", 1)).endswith(" dangerous")


def test_a_dash_at_a_lines_end_is_no_broken_word() -> None:
    assert text_of(line(filled("a ")[:-2] + " -", 0), line("then more", 1)).endswith(" - then more")


def test_a_broken_word_before_a_capital_keeps_hyphen_and_space() -> None:
    assert text_of(line(filled("a ")[:-5] + " Anglo", 0, broken_word=True), line("Saxon", 1)).endswith("Anglo- Saxon")


def test_an_empty_page_has_no_text() -> None:
    assert text_of() == ""
