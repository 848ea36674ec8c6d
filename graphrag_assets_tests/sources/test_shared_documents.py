"""Every PDF and every encoding test of the evaluation corpora loads, or is refused with the right code."""

import unicodedata
from pathlib import Path

import pytest

from graphrag_assets.model.errors import RefusedDocument
from graphrag_assets_tests.sources.documents import load_bytes, load_file, shared_data

pytestmark = pytest.mark.shared_data

REFUSED = {
    "OCRmyPDF__invalid.pdf": "pdf-unreadable",
    "OCRmyPDF__skew.pdf": "pdf-no-text",
    "pdfplumber__empty.pdf": "empty-document",
    "sample-files__libreoffice-writer-password.pdf": "pdf-encrypted",
}


def outcome(path: Path) -> str | None:
    try:
        document = load_file(path)
    except RefusedDocument as error:
        return error.code
    assert all(character == "\n" or unicodedata.category(character) != "Cc" for character in document.text.decode())
    assert document.pages[0].span.start == 0
    assert document.pages[-1].span.end == len(document.text)
    assert len(document.pages) + len(document.pages_without_text) >= 1
    return None


def test_every_pdf_loads_or_is_refused_with_its_code() -> None:
    found = {path.name: outcome(path) for path in sorted(shared_data("pdf").glob("*.pdf"))}
    assert len(found) == 15
    assert {name: code for name, code in found.items() if code is not None} == REFUSED


def test_two_columns_are_read_one_after_the_other() -> None:
    text = load_file(shared_data("pdf") / "sample-files__multicolumn.pdf").text.decode()
    assert "Vivamus viverra fermentum felis. Donec nonummy pellentesque ante." in text


def test_a_book_in_pdf_has_the_paragraphs_of_its_text() -> None:
    books = shared_data("books")
    plain = load_file(books / "alice_pg11_utf8_lf.txt").text.decode().replace("\u2019", "'").replace("\u2018", "'")
    wanted = [" ".join(paragraph.split()) for paragraph in plain.split("\n\n")]
    wanted = [paragraph for paragraph in wanted if 100 < len(paragraph) < 600 and "_" not in paragraph and "\u201c" not in paragraph]
    got = {" ".join(paragraph.split()) for paragraph in load_file(books / "alice_pg11.pdf").text.decode().split("\n\n")}
    assert len(wanted) >= 20
    assert sum(paragraph in got for paragraph in wanted) / len(wanted) > 0.8


def test_the_encoding_test_files_are_told_apart(tmp_path: Path) -> None:
    raw = (shared_data("adversarial") / "utf8tests.bin").read_bytes()
    with pytest.raises(RefusedDocument) as raised:
        load_bytes(tmp_path, "tests.txt", raw)
    assert raised.value.code == "invalid-utf8"
    text = (shared_data("adversarial") / "utf8tests.txt").read_bytes()
    assert load_bytes(tmp_path, "plain.txt", text).text == text
