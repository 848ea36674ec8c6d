"""One materialized home of the sample corpus for all tests here, made by the command line as a person would."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

SAMPLE = Path(__file__).resolve().parents[2] / "data"
KEPT = ("PATH", "HOME", "LANG", "XDG_CACHE_HOME", "JAVA_HOME", "TMPDIR", "GRAPHRAG_ASSETS_MODEL_DIR")


@dataclass(frozen=True)
class CommandLine:
    """The command line on one home."""

    home: Path

    def environment(self) -> dict[str, str]:
        return {**{name: os.environ[name] for name in KEPT if name in os.environ}, "GRAPHRAG_ASSETS_HOME": str(self.home)}

    def command(self, *words: str) -> list[str]:
        return [str(Path(sys.executable).with_name("graphrag-assets")), *words]

    def run(self, *words: str, code: int = 0) -> Mapping[str, Any]:
        """Run a command with ``--json`` and return its one object; stdout must hold nothing else."""
        done = subprocess.run(self.command(*words, "--json"), env=self.environment(), capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr[-3000:]
        return json.loads(done.stdout)

    def text(self, *words: str) -> str:
        """What a command prints for people."""
        return subprocess.run(self.command(*words), env=self.environment(), capture_output=True, text=True, check=True).stdout

    def stop(self) -> None:
        self.run("neo4j", "stop")


def new_home(folder: Path, *names: str) -> CommandLine:
    """A home with the sample's settings and documents, or only those named."""
    documents = folder / "sample" / "documents"
    documents.mkdir(parents=True)
    shutil.copy(SAMPLE / "settings.yaml", folder / "settings.yaml")
    for source in sorted((SAMPLE / "sample" / "documents").iterdir()):
        if not names or source.name in names:
            shutil.copy(source, documents / source.name)
    return CommandLine(folder)


@dataclass(frozen=True)
class Materialized:
    """The sample home, and the receipt of its first run."""

    cli: CommandLine
    receipt: Mapping[str, Any]

    @property
    def documents(self) -> Path:
        return self.cli.home / "sample" / "documents"


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Materialized]:
    """The whole sample corpus, materialized through Dagster. Tests that change it change it back."""
    cli = new_home(tmp_path_factory.mktemp("sample") / "home")
    try:
        yield Materialized(cli, cli.run("materialize"))
    finally:
        cli.stop()
