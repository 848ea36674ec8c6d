"""The text layer of a PDF, read with PDFium: the lines of each page with where they stand.

What the lines mean together is decided elsewhere. This module is imported only when a PDF is loaded.
"""

import ctypes
import re
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Final

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from graphrag_assets.model.errors import RefusedDocument

# PDFium keeps global state and is not safe to call from two threads at a time.
_PDFIUM_LOCK: Final = threading.Lock()
_NEEDS_PASSWORD: Final = frozenset({pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY})
_LONE_SURROGATE: Final = re.compile("[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]")
_LINE_ENDS: Final = frozenset({0x0A, 0x0D})
_LINE_END_HYPHEN: Final = 0x02
_FONT_NAME_BYTES: Final = 128


@dataclass(frozen=True, slots=True)
class PdfLine:
    """One line as it stands on a page, in points from the page's lower left corner.

    Args:
        height: Height of its tallest end character's box, the size of its type.
        first_word_width: What its first word would take on the line before.
        font: Name of the font its first and its last character are both set in; empty when they differ.
        broken_word: Whether PDFium found a word broken by a hyphen at its end; the hyphen is not in ``text``.
    """

    text: str
    left: float
    right: float
    bottom: float
    height: float
    first_word_width: float
    font: str = ""
    broken_word: bool = False


@dataclass(frozen=True, slots=True)
class PdfText:
    """The lines of all pages in reading order, the document's own title, and how many lone surrogates were replaced."""

    pages: tuple[tuple[PdfLine, ...], ...]
    title: str
    mended: int


def mend(text: str) -> tuple[str, int]:
    """Surrogate pairs rejoined, lone surrogates replaced by U+FFFD, and how many those were."""
    replaced, lone = _LONE_SURROGATE.subn("\ufffd", text)
    return replaced.encode("utf-16-le", "surrogatepass").decode("utf-16-le"), lone


def read_pdf(raw: bytes, uri: str, *, max_pages: int, max_text_bytes: int) -> PdfText:
    """All lines of a PDF.

    Raises:
        RefusedDocument: ``pdf-encrypted`` (it needs a password), ``pdf-unreadable`` (it cannot be opened),
            ``pdf-page-unreadable`` (names the page), ``document-too-large`` (pages, or bytes of text).
    """
    with _PDFIUM_LOCK:
        document = _opened(raw, uri)
        with closing(document):
            count = len(document)
            if count > max_pages:
                raise RefusedDocument(
                    "document-too-large", f"{uri} has {count} pages; the bound is {max_pages}.", "Split it, or raise pdf_max_pages."
                )
            pages: list[tuple[PdfLine, ...]] = []
            mended = size = 0
            for number in range(1, count + 1):
                lines, lone = _page_lines(document, number, uri)
                mended += lone
                size += sum(len(line.text.encode()) for line in lines)
                if size > max_text_bytes:
                    raise RefusedDocument(
                        "document-too-large",
                        f"{uri} has more than {max_text_bytes} bytes of text.",
                        "Split it, or raise max_document_bytes.",
                    )
                pages.append(lines)
            return PdfText(tuple(pages), _title(document), mended)


def _opened(raw: bytes, uri: str) -> pdfium.PdfDocument:
    try:
        return pdfium.PdfDocument(raw)
    except pdfium.PdfiumError as error:
        if error.err_code in _NEEDS_PASSWORD:
            raise RefusedDocument("pdf-encrypted", f"{uri} needs a password.", "Save it without one.") from error
        raise RefusedDocument("pdf-unreadable", f"{uri} cannot be opened as a PDF.", "Save it again with another program.") from error


def _title(document: pdfium.PdfDocument) -> str:
    size = pdfium_c.FPDF_GetMetaText(document, b"Title", None, 0)
    buffer = ctypes.create_string_buffer(size)
    pdfium_c.FPDF_GetMetaText(document, b"Title", buffer, size)
    title, _ = mend(buffer.raw[: max(0, size - 2)].decode("utf-16-le", "surrogatepass"))
    return title


def _page_lines(document: pdfium.PdfDocument, number: int, uri: str) -> tuple[tuple[PdfLine, ...], int]:
    try:
        with closing(document[number - 1]) as page, closing(page.get_textpage()) as text_page:
            found = tuple(_lines(text_page))
    except pdfium.PdfiumError as error:
        raise RefusedDocument(
            "pdf-page-unreadable", f"page {number} of {uri} cannot be read.", "Repair the file, or save it again."
        ) from error
    return tuple(line for line, _ in found), sum(lone for _, lone in found)


def _lines(text_page: pdfium.PdfTextPage) -> Iterator[tuple[PdfLine, int]]:
    """A line ends at a line end, and where PDFium took out a hyphen with the line end behind it."""
    indexes: list[int] = []
    codes: list[int] = []
    for index in range(text_page.count_chars()):
        code: int = pdfium_c.FPDFText_GetUnicode(text_page, index)
        if code in _LINE_ENDS or code == _LINE_END_HYPHEN:
            yield from _line(text_page, indexes, codes, code == _LINE_END_HYPHEN)
            indexes, codes = [], []
        else:
            indexes.append(index)
            codes.append(code)
    yield from _line(text_page, indexes, codes, broken_word=False)


def _line(text_page: pdfium.PdfTextPage, indexes: list[int], codes: list[int], broken_word: bool) -> Iterator[tuple[PdfLine, int]]:
    text, lone = mend("".join(map(_character, codes)))
    visible = [index for index, code in zip(indexes, codes, strict=True) if not _character(code).isspace() and _character(code)]
    if not visible:
        return
    word_end = _first_word_end(indexes, codes, visible[0])
    first, last, word = (_box(text_page, index) for index in (visible[0], visible[-1], word_end))
    font = _font(text_page, visible[0])
    yield (
        PdfLine(
            text=text.strip(),
            left=min(first.left, last.left),
            right=max(first.right, last.right),
            bottom=min(first.bottom, last.bottom),
            height=max(first.top - first.bottom, last.top - last.bottom),
            first_word_width=abs(word.right - first.left),
            font=font if font == _font(text_page, visible[-1]) else "",
            broken_word=broken_word,
        ),
        lone,
    )


def _first_word_end(indexes: list[int], codes: list[int], start: int) -> int:
    end = start
    for index, code in zip(indexes, codes, strict=True):
        if index >= start:
            if _character(code).isspace():
                break
            end = index
    return end


def _character(code: int) -> str:
    """A character of the text layer; empty for control characters and noncharacters, which PDFs use for unknown glyphs."""
    character = chr(code)
    if code in {0xFFFE, 0xFFFF} or (unicodedata.category(character) == "Cc" and not character.isspace()):
        return ""
    return " " if character in "\t\x0b\x0c\x1c\x1d\x1e\x1f\x85" else character


def _box(text_page: pdfium.PdfTextPage, index: int) -> pdfium_c.FS_RECTF:
    box = pdfium_c.FS_RECTF()
    pdfium_c.FPDFText_GetLooseCharBox(text_page, index, box)
    return box


def _font(text_page: pdfium.PdfTextPage, index: int) -> str:
    buffer = ctypes.create_string_buffer(_FONT_NAME_BYTES)
    size = pdfium_c.FPDFText_GetFontInfo(text_page, index, buffer, _FONT_NAME_BYTES, None)
    return buffer.value.decode(errors="replace") if 0 < size <= _FONT_NAME_BYTES else ""
