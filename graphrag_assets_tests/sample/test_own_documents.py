"""A person's own folder of documents: made a home with one command, some of it materialized, searched."""

import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphrag_assets_tests.sample.conftest import CommandLine
from graphrag_assets_tests.sources.documents import shared_data

pytestmark = pytest.mark.shared_data


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    with tarfile.open(shared_data("docs") / "fastapi_en_2026-02.tar.gz") as files:
        files.extractall(tmp_path / "own", filter="data")
    return tmp_path / "own" / "docs" / "en" / "docs"


@pytest.fixture
def cli(tmp_path: Path) -> Iterator[CommandLine]:
    home = CommandLine(tmp_path / "home")
    yield home
    home.stop()


def test_a_folder_of_documents_becomes_a_home_that_answers(cli: CommandLine, documents: Path) -> None:
    made = cli.run("init", str(cli.home), "--source", str(documents))
    assert Path(made["settings"]).is_file()
    assert cli.run("init", str(cli.home), "--source", str(documents), code=2)["error"]["code"] == "home-exists"
    status = cli.run("status", "--stale")
    assert status["documents"] == {"new": 145}
    smallest = sorted(documents.rglob("*.md"), key=lambda path: path.stat().st_size)[:4]
    uris = {f"docs:/{path.relative_to(documents).as_posix()}" for path in smallest}
    keys = [row["key"] for row in status["stale"] if row["uri"] in uris]
    assert len(keys) == len(uris)
    receipt = cli.run("materialize", *(word for key in keys for word in ("--documents", key)))
    assert receipt["documents"]["written"] == len(keys)
    assert cli.run("status")["assets"]["document_graph"] == {"fresh": len(keys), "stale": 145 - len(keys), "causes": {"missing": 141}}
    found = cli.run("search", smallest[0].read_text(encoding="utf-8")[:80])
    assert {item["uri"] for item in found["items"]} <= uris
    assert found["items"]
