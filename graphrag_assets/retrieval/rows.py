"""Reading typed values out of a graph's rows."""

from collections.abc import Sequence
from typing import cast

from graphrag_assets.gateways.graph_database import Row


def text_of(row: Row, name: str) -> str:
    """A text that is always there."""
    return str(row[name])


def optional_text(row: Row, name: str) -> str | None:
    """A text that may be missing."""
    value = row.get(name)
    return None if value is None else str(value)


def whole(row: Row, name: str) -> int:
    """A whole number that is always there."""
    return int(cast(int, row[name]))


def decimal(row: Row, name: str) -> float:
    """A number that is always there."""
    return float(cast(float, row[name]))


def texts(row: Row, name: str) -> tuple[str, ...]:
    """A list of texts; empty when missing."""
    return tuple(str(value) for value in cast(Sequence[object], row.get(name) or ()))
