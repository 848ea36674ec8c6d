"""Reading and measuring the raw bytes of a source. They are loaded only while they are the bytes that were listed."""

import hashlib
import os
from io import BufferedReader
from pathlib import Path
from typing import cast

from graphrag_assets.model.documents import SourceEntry
from graphrag_assets.model.errors import FailedDocument, RefusedDocument
from graphrag_assets.model.ids import sha256_hex


def read_source(entry: SourceEntry, max_bytes: int, *, mark_bytes: int = 0) -> bytes:
    """The raw bytes of a source. No more of them are read than its bound allows.

    Args:
        max_bytes: The bound.
        mark_bytes: Bytes beyond it that a byte-order mark may take.

    Raises:
        RefusedDocument: ``document-too-large``.
        FailedDocument: ``read-failed`` when the file cannot be read, or when its bytes are no longer those of
            ``entry.raw_hash``: what is loaded would otherwise be recorded under the hash of other bytes, and a file
            that later changes back would count as unchanged.
    """
    try:
        raw = _read(entry.path, max_bytes + mark_bytes + 1)
    except OSError as error:
        raise FailedDocument(
            "read-failed",
            f"{entry.uri} cannot be read: {error.strerror or type(error).__name__}.",
            "Check that the file is there and readable.",
        ) from error
    if len(raw) > max_bytes + mark_bytes:
        raise too_large(entry, f"more than {max_bytes} bytes")
    if sha256_hex(raw) != entry.raw_hash:
        raise FailedDocument("read-failed", f"{entry.uri} changed after it was listed.", "Refresh source_catalog and run it again.")
    return raw


def too_large(entry: SourceEntry, what: str) -> RefusedDocument:
    """The refusal of a document over a bound; ``what`` names the bound with its number."""
    return RefusedDocument(
        "document-too-large", f"{entry.uri} has {what}.", "Split the document, or raise the bound in the ingestion settings."
    )


def measure(path: str) -> tuple[int, str]:
    """Size and SHA-256 of a file as it is now.

    Raises:
        OSError: It cannot be read.
    """
    with _opened(path) as stream:
        raw_hash = hashlib.file_digest(stream, "sha256").hexdigest()
        return stream.seek(0, os.SEEK_END), raw_hash


def _read(path: str, size: int) -> bytes:
    with _opened(path) as stream:
        return stream.read(size)


def _opened(path: str) -> BufferedReader:
    if "://" in path:
        import fsspec.core as fsspec

        filesystem, name = fsspec.url_to_fs(path)
        return cast(BufferedReader, filesystem.open(name, "rb"))
    return Path(path).open("rb")
