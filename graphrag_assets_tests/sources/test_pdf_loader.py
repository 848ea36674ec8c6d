from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from graphrag_assets.model.documents import LoadedDocument
from graphrag_assets.model.errors import RefusedDocument
from graphrag_assets.model.settings import IngestionSettings
from graphrag_assets.model.spans import ByteSpan
from graphrag_assets.sources.pdf_lines import mend
from graphrag_assets_tests.sources.documents import LIMITS, entry_for, load_bytes, load_case, load_file
from graphrag_assets_tests.sources.pdf_files import FONT, PAGE, pdf_of, raw_pdf, stream

TWO_LINES = ["The harbour opens at six in the morning, and every ship that", "waits outside is called by name."]


def loaded(folder: Path, content: bytes, limits: IngestionSettings = LIMITS) -> LoadedDocument:
    return load_bytes(folder, "Report.pdf", content, limits)


def refusal(folder: Path, content: bytes, limits: IngestionSettings = LIMITS) -> RefusedDocument:
    with pytest.raises(RefusedDocument) as raised:
        loaded(folder, content, limits)
    return raised.value


def test_a_wrapped_line_is_no_paragraph(tmp_path: Path) -> None:
    document = loaded(tmp_path, pdf_of([TWO_LINES]))
    assert document.text.decode() == " ".join(TWO_LINES)
    assert (document.text_origin, document.media_type) == ("pdf-text-layer", "application/pdf")


def test_pages_are_apart_by_a_blank_line_and_mapped(tmp_path: Path) -> None:
    document = loaded(tmp_path, pdf_of([["Caf\u00e9 one"], ["Page two"], ["Page three"]]))
    assert document.text.decode() == "Caf\u00e9 one\n\nPage two\n\nPage three"
    assert [(page.number, page.span.text(document.text)) for page in document.pages] == [
        (1, "Caf\u00e9 one\n\n"),
        (2, "Page two\n\n"),
        (3, "Page three"),
    ]
    start = document.text.index(b"two")
    assert document.pages_of(ByteSpan(start, start + 3)) == (2,)
    assert document.pages_of(ByteSpan(start, len(document.text))) == (2, 3)


def test_a_page_without_text_is_named_and_the_others_load(tmp_path: Path) -> None:
    document = loaded(tmp_path, pdf_of([[], ["Only this page has text."], []]))
    assert document.text.decode() == "Only this page has text."
    assert [page.number for page in document.pages] == [2]
    assert document.pages_without_text == (1, 3)


def test_a_scan_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedDocument) as raised:
        load_case("b24_no_text_layer.pdf")
    assert raised.value.code == "pdf-no-text"
    assert "2 pages" in refusal(tmp_path, pdf_of([[], []])).message


def test_a_lone_surrogate_is_replaced_and_counted() -> None:
    document = load_case("b16_bad_tounicode.pdf")
    assert document.text.decode() == "B \ufffd B  B"
    assert document.mended == 1


@pytest.mark.parametrize(
    ("text", "mended", "count"),
    [
        ("plain", "plain", 0),
        ("\ud83d\ude00", "\U0001f600", 0),
        ("a\ud83db", "a\ufffdb", 1),
        ("\ude00\ud83d", "\ufffd\ufffd", 2),
        ("\ud83d\ud83d\ude00", "\ufffd\U0001f600", 1),
    ],
)
def test_pairs_are_rejoined_and_lone_surrogates_replaced(text: str, mended: str, count: int) -> None:
    assert mend(text) == (mended, count)


def test_the_title_is_the_files_own_or_its_name(tmp_path: Path) -> None:
    assert loaded(tmp_path, pdf_of([["x"]], title="Harbour  rules\n2031")).metadata.title == "Harbour rules 2031"
    assert loaded(tmp_path, raw_pdf("3 0 R", 1, PAGE, stream(b"BT /F1 12 Tf 20 100 Td (x) Tj ET"), FONT)).metadata.title == "Report"


def test_a_file_saved_again_with_the_same_text_has_the_same_content_hash(tmp_path: Path) -> None:
    first, again = pdf_of([TWO_LINES], producer="one"), pdf_of([TWO_LINES], producer="another")
    assert first != again
    assert loaded(tmp_path, first).content_hash == loaded(tmp_path, again).content_hash


def test_a_file_that_needs_a_password_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, pdf_of([["secret"]], password="open sesame")).code == "pdf-encrypted"


@pytest.mark.parametrize("content", [b"not a pdf", b"%PDF-1.4\n", pdf_of([["x"]])[:200]], ids=["text", "head only", "cut off"])
def test_what_cannot_be_opened_is_refused(tmp_path: Path, content: bytes) -> None:
    assert refusal(tmp_path, content).code == "pdf-unreadable"


def test_an_empty_file_is_an_empty_document(tmp_path: Path) -> None:
    assert refusal(tmp_path, b"").code == "empty-document"


def test_a_page_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    broken = raw_pdf("3 0 R 6 0 R", 2, PAGE, stream(b"BT /F1 12 Tf 20 100 Td (Hello) Tj ET"), FONT, b"(no page)")
    error = refusal(tmp_path, broken)
    assert error.code == "pdf-page-unreadable"
    assert "page 2" in error.message


@pytest.mark.parametrize(
    ("limits", "named"),
    [
        (IngestionSettings(pdf_max_file_bytes=1_024), "1024 bytes"),
        (IngestionSettings(pdf_max_pages=1), "2 pages"),
        (IngestionSettings(max_document_bytes=1_024), "1024 bytes of text"),
    ],
    ids=["file", "pages", "text"],
)
def test_each_bound_refuses_and_is_named(tmp_path: Path, limits: IngestionSettings, named: str) -> None:
    content = pdf_of([["word " * 30] * 20, ["last"]])
    error = refusal(tmp_path, content, limits)
    assert error.code == "document-too-large"
    assert named in error.message


def test_the_text_holds_no_control_characters(tmp_path: Path) -> None:
    cmap = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /T def /CMapType 2 def 1 begincodespacerange <00> <FF> "
        b"endcodespacerange 3 beginbfchar <41> <0007> <42> <0042> <43> <001B> endbfchar endcmap"
    )
    font = FONT.replace(b">>", b"/ToUnicode 6 0 R >>")
    document = loaded(tmp_path, raw_pdf("3 0 R", 1, PAGE, stream(b"BT /F1 12 Tf 20 100 Td (BABCB) Tj ET"), font, stream(cmap)))
    assert document.text == b"BBB"


def test_many_threads_may_load_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf_of([TWO_LINES] * 20))
    entry_for(path)
    with ThreadPoolExecutor(8) as pool:
        hashes = set(pool.map(lambda _: load_file(path).content_hash, range(32)))
    assert len(hashes) == 1
