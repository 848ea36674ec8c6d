"""Rows of artifacts from frozen records and back. A `ByteSpan` becomes the columns ``start`` and ``end``."""

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any, TypeVar, get_origin, get_type_hints

from graphrag_assets.model.ids import canonical_json
from graphrag_assets.model.spans import ByteSpan
from graphrag_assets.store.schemas import VOLATILE

Record = TypeVar("Record")
Row = dict[str, Any]


def row_of(record: object, part: str | None = None) -> Row:
    """A flat row of one record; ``part`` names its kind within an artifact of several kinds."""
    row: Row = {} if part is None else {"part": part}
    for field in fields(record):  # type: ignore[arg-type]
        value = getattr(record, field.name)
        if isinstance(value, ByteSpan):
            row["start"], row["end"] = value.start, value.end
        else:
            row[field.name] = list(value) if isinstance(value, tuple) else value
    return row


@lru_cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def record_of(kind: type[Record], row: Mapping[str, Any]) -> Record:
    """The record that a row holds."""
    assert is_dataclass(kind)
    values: dict[str, Any] = {}
    for field in fields(kind):
        hint = _hints(kind)[field.name]
        if hint is ByteSpan:
            values[field.name] = ByteSpan(row["start"], row["end"])
        elif field.name in row:
            value = row[field.name]
            values[field.name] = tuple(value or ()) if get_origin(hint) is tuple else value
    return kind(**values)


def digest_rows(rows: Iterable[Mapping[str, Any]]) -> str:
    """SHA-256 over rows in order: what they say, not how they were come by. Vectors count as float32."""
    total = sha256()
    for row in rows:
        total.update(canonical_json({name: _plain(value) for name, value in row.items() if name not in VOLATILE}))
        total.update(b"\n")
    return total.hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, bytes):
        return sha256(value).hexdigest()
    if isinstance(value, Sequence) and not isinstance(value, str):
        if value and all(isinstance(x, float) for x in value):
            return sha256(struct.pack(f"<{len(value)}f", *value)).hexdigest()
        return [_plain(x) for x in value]
    return value
