"""PDF: its text layer is the document, page after page, with a map of which bytes stand on which page."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version

from typing_extensions import override

from graphrag_assets.gateways.blank_texts import is_blank
from graphrag_assets.model.documents import DocumentMetadata, LoadedDocument, Page, SourceEntry
from graphrag_assets.model.errors import RefusedDocument
from graphrag_assets.model.ids import sha256_hex
from graphrag_assets.model.names import clean_name
from graphrag_assets.model.settings import IngestionSettings
from graphrag_assets.model.spans import ByteSpan
from graphrag_assets.sources.loader import Loader
from graphrag_assets.sources.reading import read_source, too_large
from graphrag_assets.sources.text import MAX_TITLE_CHARACTERS, title_from_name

_BETWEEN_PAGES = b"\n\n"


class PdfLoader(Loader):
    """Loads ``application/pdf``. Nothing is recognised in images: a scan is refused.

    The content hash is of the text, so that a PDF saved again with the same text is unchanged. PDFium's version is
    part of the loader's, since another one may read another text.
    """

    media_types: Mapping[str, str] = {".pdf": "application/pdf"}

    def __init__(self) -> None:
        self.name = f"pdf/1 pypdfium2/{version('pypdfium2')}"

    @override
    def load(self, entry: SourceEntry, limits: IngestionSettings) -> LoadedDocument:
        from graphrag_assets.sources.pdf_lines import read_pdf
        from graphrag_assets.sources.pdf_paragraphs import known_words, page_text

        raw = read_source(entry, limits.pdf_max_file_bytes)
        if not raw:
            raise RefusedDocument("empty-document", f"{entry.uri} has 0 bytes.", "Put the file there again, or remove it.")
        read = read_pdf(raw, entry.uri, max_pages=limits.pdf_max_pages, max_text_bytes=limits.max_document_bytes)
        words = known_words(read.pages)
        texts = [page_text(lines, words) for lines in read.pages]
        text, pages = _with_page_map(texts)
        if not pages:
            raise RefusedDocument("pdf-no-text", f"no page of {entry.uri} has a text layer ({len(texts)} pages).", "Run OCR on it first.")
        if len(text) > limits.max_document_bytes:
            raise too_large(entry, f"more than {limits.max_document_bytes} bytes of text")
        numbers = {page.number for page in pages}
        return LoadedDocument(
            uri=entry.uri,
            document_id=entry.document_id,
            key=entry.key,
            media_type=entry.media_type,
            text=text,
            content_hash=sha256_hex(text),
            loader=self.name,
            text_origin="pdf-text-layer",
            metadata=DocumentMetadata(title=clean_name(read.title)[:MAX_TITLE_CHARACTERS] or title_from_name(entry.name)),
            pages=pages,
            pages_without_text=tuple(number for number in range(1, len(texts) + 1) if number not in numbers),
            mended=read.mended,
        )


def _with_page_map(texts: Sequence[str]) -> tuple[bytes, tuple[Page, ...]]:
    """Pages joined by a blank line. The blank line belongs to the page before it; a page without text has no span."""
    with_text = [(number, text.encode()) for number, text in enumerate(texts, 1) if not is_blank(text)]
    pages: list[Page] = []
    start = 0
    for order, (number, text) in enumerate(with_text, 1):
        end = start + len(text) + (len(_BETWEEN_PAGES) if order < len(with_text) else 0)
        pages.append(Page(number, ByteSpan(start, end)))
        start = end
    return _BETWEEN_PAGES.join(text for _, text in with_text), tuple(pages)
