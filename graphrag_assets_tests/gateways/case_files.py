"""Byte-exact inputs of tests that hold a kind of fault."""

import json
from pathlib import Path
from typing import Any

CASES = Path(__file__).parents[1] / "cases"


def json_case(name: str) -> Any:
    """The content of a JSON case."""
    return json.loads((CASES / name).read_bytes())
