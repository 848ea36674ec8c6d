"""Plain text: valid UTF-8 without its byte-order mark, every other byte kept."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

from typing_extensions import override

from graphrag_assets.gateways.blank_texts import is_blank
from graphrag_assets.model.documents import DocumentMetadata, LoadedDocument, SourceEntry
from graphrag_assets.model.errors import RefusedDocument
from graphrag_assets.model.ids import sha256_hex
from graphrag_assets.model.settings import IngestionSettings
from graphrag_assets.sources.loader import Loader
from graphrag_assets.sources.reading import read_source, too_large

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
MAX_TITLE_CHARACTERS: Final = 300


def title_from_name(name: str) -> str:
    """The title of a document that names none: its file's name without the extension."""
    path = PurePosixPath(name)
    return path.stem or path.name or name


def decoded_source(entry: SourceEntry, limits: IngestionSettings) -> bytes:
    """The UTF-8 bytes of a text source: one leading byte-order mark off, every other byte as it is, NUL and CR too.

    Raises:
        RefusedDocument: ``document-too-large``, ``invalid-utf8`` or ``empty-document``.
        FailedDocument: ``read-failed``.
    """
    raw = read_source(entry, limits.max_document_bytes, mark_bytes=len(BYTE_ORDER_MARK))
    text = raw.removeprefix(BYTE_ORDER_MARK)
    if len(text) > limits.max_document_bytes:
        raise too_large(entry, f"more than {limits.max_document_bytes} bytes")
    try:
        characters = text.decode()
    except UnicodeDecodeError as error:
        raise RefusedDocument(
            "invalid-utf8", f"{entry.uri} is not UTF-8 at byte {error.start} of its text.", "Save the file as UTF-8."
        ) from error
    if is_blank(characters):
        raise RefusedDocument(
            "empty-document", f"{entry.uri} holds nothing to read in {len(text)} bytes.", "Put text into it, or remove it."
        )
    return text


class TextLoader(Loader):
    """Loads ``text/plain``."""

    name = "text/1"
    media_types: Mapping[str, str] = {".txt": "text/plain", ".text": "text/plain"}

    @override
    def load(self, entry: SourceEntry, limits: IngestionSettings) -> LoadedDocument:
        text = decoded_source(entry, limits)
        return LoadedDocument(
            uri=entry.uri,
            document_id=entry.document_id,
            key=entry.key,
            media_type=entry.media_type,
            text=text,
            content_hash=sha256_hex(text),
            loader=self.name,
            metadata=DocumentMetadata(title=title_from_name(entry.name)),
        )
