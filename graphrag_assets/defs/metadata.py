"""What a materialization says of itself: outcomes, counts with units, digests, causes and a few rows of ids.

Events cannot be wiped, so nothing here may hold a document's text or name: a removed document would stay in them.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Final
from urllib.parse import quote

import dagster as dg

from graphrag_assets.model.limits import MAX_METADATA_ROWS
from graphrag_assets.model.outcomes import StageResult

PAGES_VARIABLE: Final = "GRAPHRAG_ASSETS_UI_URL"
# Which count is the number of rows of an asset, for Dagster's own charts.
_ROWS: Final = ("documents", "chunks", "vectors", "replies", "mentions", "things", "communities", "decisions")

Metadata = dict[str, dg.MetadataValue]


def stage_metadata(result: StageResult, stand_ins: Sequence[str] = ()) -> Metadata:
    """Metadata of one result; what is zero or empty is left out."""
    metadata: Metadata = {"outcome": dg.MetadataValue.text(result.outcome)}
    metadata |= _texts(result, stand_ins)
    metadata |= {name: _number_or_text(value) for name, value in result.counts.items()}
    metadata |= _amounts("", asdict(result.usage))
    metadata |= _amounts("graph_", asdict(result.graph))
    if result.seconds:
        metadata["seconds"] = dg.MetadataValue.float(round(result.seconds, 3))
    rows = next((result.counts[name] for name in _ROWS if isinstance(result.counts.get(name), int)), None)
    if rows is not None:
        metadata["dagster/row_count" if result.key is None else "dagster/partition_row_count"] = dg.MetadataValue.int(int(rows))
    if result.sample:
        metadata["sample"] = _table(result.sample)
    if result.key is not None and os.environ.get(PAGES_VARIABLE):
        metadata["page"] = dg.MetadataValue.url(document_page(os.environ[PAGES_VARIABLE], result.key))
    return metadata


def document_page(pages_url: str, key: str) -> str:
    """The page that shows a document's text, which the metadata must not hold."""
    return f"{pages_url.rstrip('/')}/documents/{quote(key)}"


def _texts(result: StageResult, stand_ins: Sequence[str]) -> Metadata:
    texts = {
        "code": result.code or "",
        "remedy": result.remedy,
        "causes": ", ".join(result.causes),
        "digest": result.digest,
        "fingerprint": result.fingerprint,
        "limits_reached": ", ".join(f"{limit.name}={limit.value}" for limit in result.limits),
        "stand_ins": ", ".join(stand_ins),
    }
    return {name: dg.MetadataValue.text(text) for name, text in texts.items() if text}


def _amounts(prefix: str, amounts: Mapping[str, int | float]) -> Metadata:
    return {f"{prefix}{name}": _number_or_text(amount) for name, amount in amounts.items() if amount}


def _number_or_text(value: float | str) -> dg.MetadataValue:
    if isinstance(value, str):
        return dg.MetadataValue.text(value)
    return dg.MetadataValue.float(value) if isinstance(value, float) else dg.MetadataValue.int(value)


def _table(rows: Sequence[Mapping[str, str | int | float]]) -> dg.MetadataValue:
    shown = rows[:MAX_METADATA_ROWS]
    columns = list(dict.fromkeys(name for row in shown for name in row))
    schema = dg.TableSchema([dg.TableColumn(name, _column_type([row.get(name) for row in shown])) for name in columns])
    records = [dg.TableRecord({name: row.get(name) for name in columns}) for row in shown]
    return dg.MetadataValue.table(records, schema=schema)


def _column_type(values: Sequence[object]) -> str:
    if all(isinstance(value, int) for value in values):
        return "int"
    return "float" if all(isinstance(value, int | float) for value in values) else "string"
