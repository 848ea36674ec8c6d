"""Inputs kept byte for byte beside the tests."""

import json
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent.parent / "cases"


def load_case(name: str) -> Any:
    """The JSON content of a case file."""
    return json.loads((CASES / name).read_text(encoding="utf-8"))
