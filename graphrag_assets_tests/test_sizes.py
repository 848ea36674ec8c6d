"""No function over 60 lines, no module over 400; and functions are short in the middle, too."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "measure_sizes.py"


def measured(*folders: Path) -> tuple[int, dict[str, Any]]:
    command = [sys.executable, str(SCRIPT), "--json", *map(str, folders)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return ran.returncode, json.loads(ran.stdout)


@pytest.fixture(scope="module")
def sizes() -> dict[str, Any]:
    return measured()[1]


@pytest.mark.parametrize("folder", ["graphrag_assets", "graphrag_assets_tests", "scripts"])
def test_nothing_is_over_its_limit(sizes: dict[str, Any], folder: str) -> None:
    assert sizes[folder]["over"] == []


def test_half_of_all_functions_have_at_most_twelve_lines(sizes: dict[str, Any]) -> None:
    assert 0 < sizes["graphrag_assets"]["functions"]["median"] <= 12


def test_what_is_over_its_limit_is_named_with_its_place(tmp_path: Path) -> None:
    tmp_path.joinpath("long.py").write_text("\n\ndef long():\n" + "    x = 1\n" * 60 + "\n" * 338)
    tmp_path.joinpath("fits.py").write_text("def fits():\n" + "    x = 1\n" * 59 + "\n" * 340)
    code, found = measured(tmp_path)
    assert code == 1
    assert found[str(tmp_path)]["over"] == [
        f"{tmp_path.name}/long.py: 401 lines, at most 400",
        f"{tmp_path.name}/long.py:3 long: 61 lines, at most 60",
    ]


def test_the_figures_are_those_of_the_folder(tmp_path: Path) -> None:
    for lines in range(1, 11):
        tmp_path.joinpath(f"m{lines}.py").write_text("def f():\n" + "    x = 1\n" * lines)
    code, found = measured(tmp_path)
    assert code == 0
    assert found[str(tmp_path)]["functions"] == {"count": 10, "median": 6, "p90": 10, "max": 11}
