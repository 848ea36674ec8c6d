"""Names of documents: normalised URIs. Reading a source and deciding what it is belong elsewhere."""

import os
import re
import unicodedata
from typing import Final
from urllib.parse import quote

from graphrag_assets.model.errors import UsageError

_DEFAULT_PORTS: Final = {"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"}
_URI: Final = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?P<rest>.*)", re.DOTALL)
_AUTHORITY: Final = re.compile(r"//(?P<authority>[^/?#]*)(?P<tail>.*)", re.DOTALL)
_HOST_AND_PORT: Final = re.compile(r"(?P<host>\[[^\]]*\]|[^:]*)(?::(?P<port>\d*))?")


def normalise_uri(uri: str) -> str:
    """The form of a URI whose SHA-256 is the document id.

    Scheme and host become lower-case and the scheme's default port goes. User, path, query and fragment stay as
    they are: two spellings of a path may be two documents. ``text:`` sources keep their id letter by letter.

    Raises:
        UsageError: ``invalid-uri`` when there is no scheme or the authority cannot be read.
    """
    match = _URI.fullmatch(uri)
    if match is None or not match["rest"]:
        raise UsageError("invalid-uri", f"{uri!r} is no URI: it needs a scheme and something after it.", "Write scheme:rest.")
    scheme = match["scheme"].lower()
    authority = _AUTHORITY.fullmatch(match["rest"])
    if authority is None:
        return f"{scheme}:{match['rest']}"
    return f"{scheme}://{_normalise_authority(uri, scheme, authority['authority'])}{authority['tail']}"


def _normalise_authority(uri: str, scheme: str, authority: str) -> str:
    user, at, host_and_port = authority.rpartition("@")
    match = _HOST_AND_PORT.fullmatch(host_and_port)
    if match is None:
        raise UsageError("invalid-uri", f"{uri!r} has a host and port that cannot be read.", "Write scheme://host:port/path.")
    port = match["port"] or ""
    kept = f":{port}" if port and port != _DEFAULT_PORTS.get(scheme) else ""
    return f"{user}{at}{match['host'].lower()}{kept}"


def text_uri(source_id: str) -> str:
    """URI of a text that a caller hands over under an id of its own."""
    return f"text:{source_id}"


def file_uri(source_name: str, relative_path: str) -> str:
    """URI of a file of a folder source: ``<source-name>:/<path>``, NFC, percent-encoded but for unreserved and ``/``.

    Args:
        source_name: The source's name; it becomes the scheme.
        relative_path: Path below the source's folder, with ``/`` between its parts, as the file system gives it
            (bytes that are no UTF-8 arrive as surrogate escapes and are encoded as these bytes).
    """
    composed = os.fsencode(unicodedata.normalize("NFC", relative_path))
    return f"{source_name}:/{quote(composed, safe='/-._~')}"
