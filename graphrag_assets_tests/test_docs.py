"""The documentation names everything a person meets, and its generated pages are as new as the code."""

import re
from pathlib import Path

import pytest

from graphrag_assets.model.errors import FAILURE_CODES, REFUSAL_CODES
from graphrag_assets.model.extraction import PRUNE_REASONS, QUARANTINE_CODES
from graphrag_assets.pipeline.assets import asset_rows
from graphrag_assets.pipeline.home_pipeline import VERSIONS
from scripts.make_reference_docs import pages

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


def everything() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in [*DOCS.rglob("*.md"), ROOT / "README.md"])


@pytest.mark.parametrize("name", sorted(pages()))
def test_generated_pages_are_as_new_as_the_code(name: str) -> None:
    written = (DOCS / "reference" / name).read_text(encoding="utf-8")
    assert written == pages()[name], "run: .venv/bin/python -m scripts.make_reference_docs"


@pytest.mark.parametrize("code", [*REFUSAL_CODES, *FAILURE_CODES, *PRUNE_REASONS, *QUARANTINE_CODES])
def test_every_code_is_documented(code: str) -> None:
    assert f"`{code}`" in (DOCS / "errors.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("asset", [row.name.split("/")[0] for row in asset_rows(["one"], VERSIONS)])
def test_every_asset_is_documented(asset: str) -> None:
    assert f"`{asset}" in everything()


def test_every_named_limit_is_documented() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "graphrag_assets").rglob("*.py"))
    names = set(re.findall(r'Limit\(\s*"([a-z-]+)"', code))
    assert len(names) > 10
    missing = sorted(name for name in names if f"`{name}`" not in (DOCS / "limits.md").read_text(encoding="utf-8"))
    assert missing == []


def test_links_between_pages_lead_somewhere() -> None:
    broken: list[str] = []
    for page in [*DOCS.rglob("*.md"), ROOT / "README.md"]:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{page.name}: {target}")
    assert broken == []


def test_every_dependency_has_its_reason() -> None:
    text = (DOCS / "dependencies.md").read_text(encoding="utf-8")
    listed = re.search(r"\ndependencies = \[(.*?)\n\]", (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.DOTALL)
    assert listed is not None
    for package in re.findall(r'"([A-Za-z0-9_.-]+)"', listed[1]):
        assert package in text, package


def test_every_command_of_the_readme_is_a_make_target_or_a_command() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = pages()["command-line.md"]
    blocks = re.findall(r"```(?:bash|sh)\n(.*?)```", readme, re.DOTALL)
    lines = [line.strip() for block in blocks for line in block.splitlines() if line.strip() and not line.startswith("#")]
    assert lines
    for line in lines:
        if line.startswith("make "):
            assert re.search(rf"^{line.split()[1]}:", makefile, re.MULTILINE), line
        elif "graphrag-assets" in line:
            words = re.sub(r"--home \S+", "", line.split("graphrag-assets", 1)[1]).split()
            assert f"## graphrag-assets {words[0]}" in commands, line
