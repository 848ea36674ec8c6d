import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_assets.plans.blocks import Block, line_starts, read_blocks

MARKDOWN, PLAIN = "text/markdown", "text/plain"


def kinds_of(text: str, media_type: str = MARKDOWN) -> list[tuple[str, str]]:
    content = text.encode()
    return [(block.kind, block.span.text(content)) for block in read_blocks(content, media_type)]


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("# A\n\ntext\n", [("heading", "# A\n\n"), ("paragraph", "text\n")]),
        ("A\nB\n---\ntext", [("heading", "A\nB\n---\n"), ("paragraph", "text")]),
        ("a\n\n\n\nb\n \n", [("paragraph", "a\n\n\n\n"), ("paragraph", "b\n \n")]),
        ("\n \n\na\n", [("paragraph", "\n \n\na\n")]),
        ("```sh\n# no\n\n```\nb\n", [("fence", "```sh\n# no\n\n```\n"), ("paragraph", "b\n")]),
        ("~~~~\n~~~\n# no\n~~~~\n", [("fence", "~~~~\n~~~\n# no\n~~~~\n")]),
        ("```\n# never closed\n", [("fence", "```\n# never closed\n")]),
        ("    code\n\n    # more\n\na", [("code", "    code\n\n    # more\n\n"), ("paragraph", "a")]),
        ("|a|b|\n|-|-|\n|1|2|\n\nx", [("table", "|a|b|\n|-|-|\n|1|2|\n\n"), ("paragraph", "x")]),
        ("- a\n- # b\n\n1. c\n", [("list", "- a\n- # b\n\n"), ("list", "1. c\n")]),
        ("> a\nlazy\n> # b\n\nc", [("quote", "> a\nlazy\n> # b\n\n"), ("paragraph", "c")]),
        ("<div>\n# no\n</div>\n\na", [("html", "<div>\n# no\n</div>\n\n"), ("paragraph", "a")]),
        ("a\n\n***\nb", [("paragraph", "a\n\n"), ("rule", "***\n"), ("paragraph", "b")]),
        ("[x]: http://x\n\na [x]", [("reference", "[x]: http://x\n\n"), ("paragraph", "a [x]")]),
        ("a\n\n[x]: http://x", [("paragraph", "a\n\n"), ("reference", "[x]: http://x")]),
        ("[x]: http://x\n", [("reference", "[x]: http://x\n")]),
        ("---\nt: a\n---\n# B\n", [("front-matter", "---\nt: a\n---\n"), ("heading", "# B\n")]),
        ("---\nt: a\n...\n\n\nb", [("front-matter", "---\nt: a\n...\n\n\n"), ("paragraph", "b")]),
        ("---\nt: a\n---\n", [("front-matter", "---\nt: a\n---\n")]),
        ("---\n\nb\n", [("rule", "---\n\n"), ("paragraph", "b\n")]),
        ("a\r\rb\r\n\r\nc", [("paragraph", "a\r\r"), ("paragraph", "b\r\n\r\n"), ("paragraph", "c")]),
        ("a\x00\n\n# \x00b\n", [("paragraph", "a\x00\n\n"), ("heading", "# \x00b\n")]),
        ("a\u2028# no\n\u0085# no", [("paragraph", "a\u2028# no\n\u0085# no")]),
        ("#no\n\n####### no", [("paragraph", "#no\n\n"), ("paragraph", "####### no")]),
    ],
)
def test_markdown_blocks_cover_every_byte_once(text: str, blocks: list[tuple[str, str]]) -> None:
    assert kinds_of(text) == blocks


@pytest.mark.parametrize(
    ("text", "paragraphs"),
    [
        ("# no heading\n\nb\n", ["# no heading\n\n", "b\n"]),
        ("a\r\n \t\r\nb\r\rc", ["a\r\n \t\r\n", "b\r\r", "c"]),
        ("a\n\u00a0\u3000\nb", ["a\n\u00a0\u3000\n", "b"]),
        ("\n\na\nb", ["\n\na\nb"]),
        (" \n", [" \n"]),
        ("a\fb\u2029c", ["a\fb\u2029c"]),
    ],
)
def test_plain_text_is_paragraphs_between_blank_lines(text: str, paragraphs: list[str]) -> None:
    for media_type in (PLAIN, "application/pdf"):
        assert kinds_of(text, media_type) == [("paragraph", paragraph) for paragraph in paragraphs]


def test_no_bytes_have_no_blocks() -> None:
    assert read_blocks(b"", MARKDOWN) == read_blocks(b"", PLAIN) == ()


def only_block(text: str) -> Block:
    (block,) = read_blocks(text.encode(), MARKDOWN)
    return block


@pytest.mark.parametrize(
    ("text", "level", "title"),
    [
        ("## A *b*\n", 2, "A b"),
        ("A\nb\n===", 1, "A b"),
        ("A\n-", 2, "A"),
        ("###### `x` ######\n", 6, "x"),
        ("#", 1, ""),
        ("# ![](x)\n", 1, ""),
        ("   ### \u00c9t\u00e9 { #ete }\n", 3, "\u00c9t\u00e9"),
    ],
)
def test_a_heading_has_a_level_and_a_plain_title(text: str, level: int, title: str) -> None:
    block = only_block(text)
    assert (block.kind, block.level, block.title) == ("heading", level, title)


def test_a_title_that_is_cut_says_so() -> None:
    assert not only_block("# " + "a" * 300).title_cut
    assert only_block("# " + "a" * 301).title_cut
    assert only_block("# " + "a *b* " * 1_000).title_cut


def test_a_table_may_be_cut_before_each_row_but_the_first() -> None:
    text = "| a | b |\r\n|---|---|\r\n| 1 | x\\|y |\r\n| 2 |\r\n3\r\n"
    block = only_block(text)
    assert block.header is not None
    assert block.header.text(text.encode()) == "| a | b |\r\n|---|---|\r\n"
    assert [text[cut:] for cut in block.cuts] == ["| 2 |\r\n3\r\n", "3\r\n"]


def test_a_table_without_rows_has_a_header_and_no_cut() -> None:
    block = only_block("|a|\n|-|\n")
    assert (block.kind, block.cuts) == ("table", ())
    assert block.header is not None


def test_a_list_may_be_cut_before_each_outer_item_but_the_first() -> None:
    text = "- a\n  - inner\n  - inner\n\n- b\n\n  more\n- c\n"
    block = only_block(text)
    assert [text[cut:] for cut in block.cuts] == ["- b\n\n  more\n- c\n", "- c\n"]


@pytest.mark.parametrize(
    ("text", "starts"),
    [(b"a", (0, 1)), (b"a\n", (0, 2)), (b"\n", (0, 1)), (b"a\r\nb\rc\n\r", (0, 3, 5, 7, 8)), (b"\r\r\n", (0, 1, 3))],
)
def test_lines_end_at_lf_crlf_and_a_lone_cr(text: bytes, starts: tuple[int, ...]) -> None:
    assert line_starts(text) == starts


FRAGMENTS = [
    "# h\n",
    "a",
    "\n",
    "\r",
    "\r\n",
    " ",
    "\t",
    "- ",
    "> ",
    "```\n",
    "|a|\n|-|\n",
    "---\n",
    "k: v\n",
    "[x]: y\n",
    "\x00",
    "\u00e9",
    "<p>",
    "===\n",
]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=30), st.sampled_from([MARKDOWN, PLAIN]))
def test_blocks_tile_whatever_the_text(fragments: list[str], media_type: str) -> None:
    text = "".join(fragments).encode()
    blocks = read_blocks(text, media_type)
    assert b"".join(block.span.cut(text) for block in blocks) == text
    assert all(len(block.span) for block in blocks)
    for block in blocks:
        inner = [*block.cuts, *([block.header.start, block.header.end] if block.header is not None else [])]
        assert all(block.span.start <= offset <= block.span.end for offset in inner)
