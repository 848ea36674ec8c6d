"""Measure functions and modules: median, 90th percentile and maximum of their lines, and what is over its limit.

    python scripts/measure_sizes.py [FOLDER ...] [--json]

A function counts from its ``def`` to its last line, docstring included. Exits with 1 when something is over its limit.
"""

import argparse
import ast
import json
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypedDict

ROOT = Path(__file__).resolve().parents[1]
MAX_FUNCTION_LINES = 60
MAX_MODULE_LINES = 400
FOLDERS = ("graphrag_assets", "graphrag_assets_tests", "scripts")


class Sizes(TypedDict):
    """Sizes of one folder."""

    functions: dict[str, int]
    modules: dict[str, int]
    over: list[str]


def functions(source: str) -> Iterator[tuple[str, int, int]]:
    """Name, first line and number of lines of every function, nested ones too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1


def percentile(sizes: Sequence[int], share: float) -> int:
    """The smallest size that at least ``share`` of all sizes do not pass; 0 without sizes."""
    ordered = sorted(sizes)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)] if ordered else 0


def summary(sizes: Sequence[int]) -> dict[str, int]:
    return {"count": len(sizes), "median": percentile(sizes, 0.5), "p90": percentile(sizes, 0.9), "max": max(sizes, default=0)}


def measure(folder: Path) -> Sizes:
    """Sizes of a folder, and its functions and modules over their limits."""
    function_sizes: list[int] = []
    module_sizes: list[int] = []
    over: list[str] = []
    for path in sorted(folder.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        lines = len(source.splitlines())
        name = path.relative_to(folder.parent).as_posix()
        if lines:
            module_sizes.append(lines)
        if lines > MAX_MODULE_LINES:
            over.append(f"{name}: {lines} lines, at most {MAX_MODULE_LINES}")
        for function, first, size in functions(source):
            function_sizes.append(size)
            if size > MAX_FUNCTION_LINES:
                over.append(f"{name}:{first} {function}: {size} lines, at most {MAX_FUNCTION_LINES}")
    return {"functions": summary(function_sizes), "modules": summary(module_sizes), "over": over}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help=f"default: {' '.join(FOLDERS)}")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    chosen = parser.parse_args(arguments)
    folders = {name: Path(name).resolve() for name in chosen.folders} or {name: ROOT / name for name in FOLDERS}
    measured = {name: measure(folder) for name, folder in folders.items()}
    if chosen.json:
        print(json.dumps(measured))
    else:
        for name, sizes in measured.items():
            print(f"{name}: functions {sizes['functions']}, modules {sizes['modules']}")
            print(*(f"  {line}" for line in sizes["over"]), sep="\n", end="\n" if sizes["over"] else "")
    return 1 if any(sizes["over"] for sizes in measured.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
