from pathlib import Path

import pytest

from graphrag_assets.model.documents import DocumentMetadata
from graphrag_assets_tests.sources.documents import load_bytes, load_case


def metadata(folder: Path, text: str) -> DocumentMetadata:
    return load_bytes(folder, "file name.md", text.encode()).metadata


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# One\n\n# Two\n", "One"),
        ("Text first.\n\n## Later\n", "Later"),
        ("Under\nlined\n===\n", "Under lined"),
        ("# A *b* `c` [d](http://x) ![e](f) &amp; \\* <i>g</i>\n", "A b c d e & * g"),
        ("# [Named][x]\n\n[x]: http://x\n", "Named"),
        ("#\n\n# Second\n", "Second"),
        ("```\n# code\n```\n\n# Real\n", "Real"),
        ("- # in a list\n\n> # quoted\n\n# Real\n", "Real"),
        ("# Install { #install }\n", "Install"),
        ("# Set {x}\n", "Set {x}"),
        ("# a\u0000b\u200b\tc\n", "a\ufffdb c"),
        ("no heading\n", "file name"),
        ("\ufeff# Marked\n", "Marked"),
        ("a\r\r# Lone returns\r", "Lone returns"),
    ],
)
def test_the_title_is_the_first_headings_plain_text(tmp_path: Path, text: str, title: str) -> None:
    assert metadata(tmp_path, text).title == title


def test_a_very_long_title_is_cut(tmp_path: Path) -> None:
    assert metadata(tmp_path, f"# {'a' * 5_000}\n").title == "a" * 300


def test_a_title_is_looked_for_near_the_beginning(tmp_path: Path) -> None:
    assert metadata(tmp_path, "text\n\n" * 20_000 + "# Far\n").title == "file name"
    assert metadata(tmp_path, "text\n\n" * 9_000 + "# Near\n" + "text\n" * 9_000).title == "Near"


def test_front_matter_says_what_the_text_does_not(tmp_path: Path) -> None:
    text = '---\ntitle: "Of the sea"\ndate: 2031-05-01\npublisher: Halyard Press\nurl: https://example.com/sea\ntags: [a]\n---\n\nText.\n'
    assert metadata(tmp_path, text) == DocumentMetadata("Of the sea", "2031-05-01", "Halyard Press", "https://example.com/sea")


def test_a_heading_is_a_better_title_than_front_matter(tmp_path: Path) -> None:
    assert metadata(tmp_path, "---\ntitle: Short\n---\n# The whole title\n").title == "The whole title"


@pytest.mark.parametrize(
    "text",
    ["---\n\ntitle: no\n\n---\n", "---\ntitle: no\n", "--- \n- a\n---\n", "text\n---\ntitle: no\n---\n", "---\n"],
    ids=["blank line first", "no end", "a list", "not at the start", "nothing"],
)
def test_a_thematic_break_is_no_front_matter(tmp_path: Path, text: str) -> None:
    assert metadata(tmp_path, text + "\nx\n").published is None
    assert metadata(tmp_path, text + "\nx\n").title != "no"


def test_markdown_keeps_its_bytes_and_its_loaders_name() -> None:
    document = load_case("b20_fence.md")
    assert (document.media_type, document.loader, document.metadata.title) == ("text/markdown", "markdown/1", "Setup")
