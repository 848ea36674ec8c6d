"""The console script: hands the orchestrator of ``defs/`` to the command line, and loads Dagster only when it is asked for."""

import os
import signal
import sys
from pathlib import Path
from types import FrameType

from graphrag_assets.model.orchestrator import Orchestrator
from graphrag_assets.serving.cli import build_app
from graphrag_assets.serving.session import Outside
from graphrag_assets.store.home import Home
from graphrag_assets.store.settings_file import load_settings
from graphrag_assets.workspace import Workspace


def run() -> None:
    """Run the command line."""
    signal.signal(signal.SIGTERM, _exit)
    build_app(Outside(orchestrator=make_orchestrator, serve_ui=serve_ui, stop_storage=stop_storage))()


def make_orchestrator(workspace: Workspace) -> Orchestrator:
    """The Dagster orchestrator of an open workspace; Dagster's storage of the home is prepared, then Dagster is loaded."""
    from graphrag_assets.defs.storage import prepare_home

    prepare_home(workspace.tools.home.folder, workspace.settings.storage.dagster)
    from graphrag_assets.defs.checks import graph_check
    from graphrag_assets.defs.orchestrator import DagsterOrchestrator

    batch = workspace.settings.ingestion.batch_documents
    return DagsterOrchestrator(workspace, batch_documents=batch, checks=[graph_check(workspace.check)])


def serve_ui(home_folder: Path, port: int) -> int:
    """Serve Dagster's pages for a home until interrupted; the exit code."""
    from graphrag_assets.defs import ui

    storage = load_settings(Home(home_folder).settings_file, os.environ).settings.storage.dagster
    return ui.serve_ui(home_folder, port, storage)


def stop_storage(home_folder: Path) -> None:
    """Stop PostgreSQL inside a home."""
    from graphrag_assets.defs import storage

    storage.stop_storage(home_folder)


def _exit(number: int, frame: FrameType | None) -> None:
    """End in order, so that a run is closed and the storage is let go; the exit code that shells expect."""
    del frame
    sys.exit(128 + number)
