"""A run killed with -9 leaves every document whole or absent, and the same command finishes it."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator

import pytest

from graphrag_assets_tests.sample.conftest import CommandLine, new_home

DOCUMENTS = (
    "service-berth.md",
    "service-harbour.md",
    "service-lantern.md",
    "service-purser.md",
    "service-tally.md",
    "team-bookings.md",
    "team-ledger.md",
    "incident-2044.md",
)
DEADLINE_SECONDS = 240.0


@pytest.fixture
def cli(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandLine]:
    home = new_home(tmp_path_factory.mktemp("killed") / "home", *DOCUMENTS)
    assert len(list((home.home / "sample" / "documents").iterdir())) == len(DOCUMENTS)
    yield home
    home.stop()


def kill_when(cli: CommandLine, artifact: str, count: int) -> None:
    """Start a materialisation and kill it, with its children, once so many artifacts of an asset are there."""
    process = subprocess.Popen(
        cli.command("materialize"), env=cli.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    deadline = time.monotonic() + DEADLINE_SECONDS
    while len(list((cli.home / "artifacts" / artifact).glob("*.parquet"))) < count:
        assert time.monotonic() < deadline and process.poll() is None, "the run ended before it could be killed"
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def test_a_killed_run_is_finished_by_the_next_and_ends_like_a_clean_build(cli: CommandLine) -> None:
    cli.run("neo4j", "start")
    kill_when(cli, "extractions", 2)
    kill_when(cli, "document_graph", 4)
    receipt = cli.run("materialize")
    assert receipt["outcome"] == "succeeded"
    assert receipt["documents"]["written"] + receipt["documents"]["unchanged"] == len(DOCUMENTS)
    assert receipt["model_calls"]["chat"] < 3 * len(DOCUMENTS), "what was paid for is not paid for again"
    digest = cli.run("digest")
    assert cli.run("check")["outcome"] == "passed"
    cli.run("reset", "--yes")
    assert cli.run("materialize")["documents"]["written"] == len(DOCUMENTS)
    assert cli.run("digest") == digest
