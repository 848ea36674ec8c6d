"""Every id of the project, made from content alone: SHA-256 in lower-case hex of compact JSON ``[kind, version, …]``.

The document id is the one exception: the SHA-256 of its normalised URI. Nothing here reads a clock or a file.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

ID_VERSION: Final = 1
PARTITION_KEY_MAX_BYTES: Final = 80
PARTITION_KEY_HASH_LENGTH: Final = 12

JsonValue = object


def sha256_hex(content: bytes) -> str:
    """SHA-256 of bytes, 64 lower-case hex digits."""
    return hashlib.sha256(content).hexdigest()


def canonical_json(value: object) -> bytes:
    """Compact JSON with sorted keys, as UTF-8: equal values give equal bytes in every process."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def hashed(kind: str, *parts: JsonValue) -> str:
    """The id of ``parts`` under ``kind``."""
    return sha256_hex(canonical_json([kind, ID_VERSION, *parts]))


def document_id(normalised_uri: str) -> str:
    """Id of a document: the SHA-256 of its normalised URI."""
    return sha256_hex(normalised_uri.encode())


def partition_key(source_name: str, document: str) -> str:
    """Dagster partition key: a readable slug and 12 hex digits of the document id; ``[a-z0-9-]``, at most 80 bytes."""
    ascii_name = unicodedata.normalize("NFKD", source_name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_name).strip("-") or "doc"
    room = PARTITION_KEY_MAX_BYTES - PARTITION_KEY_HASH_LENGTH - 1
    return f"{slug[:room].strip('-')}-{document[:PARTITION_KEY_HASH_LENGTH]}"


def section_id(document: str, content_hash: str, chunker_fingerprint: str, order: int, start: int, end: int) -> str:
    """Id of a section of one version of a document."""
    return hashed("section", document, content_hash, chunker_fingerprint, order, start, end)


def chunk_id(document: str, content_hash: str, chunker_fingerprint: str, start: int, end: int) -> str:
    """Id of a chunk: document, its content, chunker with settings, and the byte span."""
    return hashed("chunk", document, content_hash, chunker_fingerprint, start, end)


def thing_id(kind: str, compared_name: str) -> str:
    """Id of a thing: its class without label prefix, and its name as compared."""
    return hashed("thing", kind, compared_name)


def placeholder_id(kind: str, chunk: str, start: int, end: int) -> str:
    """Id of a placeholder ("the team"): of its chunk and span, so that no two ever merge."""
    return hashed("placeholder", kind, chunk, start, end)


def split_thing_id(kind: str, compared_name: str, part: str) -> str:
    """Id of one part of a thing that a reviewed split keeps apart."""
    return hashed("thing", kind, compared_name, part)


def mention_key(chunk: str, start: int, thing: str) -> str:
    """Key of a mention: chunk, start byte, thing."""
    return hashed("mention", chunk, start, thing)


def quote_key(chunk: str, start: int, speaker: str) -> str:
    """Key of a quote: chunk, start byte, speaker."""
    return hashed("quote", chunk, start, speaker)


def fact_id(source: str, fact_type: str, target: str) -> str:
    """Id of a fact: one per ordered pair of ends and type."""
    return hashed("fact", source, fact_type, target)


def community_id(level: int, members: Iterable[str]) -> str:
    """Id of a community: its level and its members, whatever order they come in."""
    return hashed("community", level, sorted(members))


def request_hash(kind: str, parts: Sequence[JsonValue]) -> str:
    """Hash of a paid request. It holds no document or chunk id, so equal requests are paid once."""
    return hashed(kind, *parts)


def fingerprint(stage: str, code_version: str, settings: JsonValue, inputs: dict[str, str]) -> str:
    """What a stage's result rests on: its code version, the settings that matter to it, its inputs' digests."""
    return hashed("fingerprint", stage, code_version, settings, inputs)
