"""What a command works with: the home it names, its workspace, and the orchestrator that ``main.py`` hands in."""

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from graphrag_assets.model.errors import GraphragError, UsageError
from graphrag_assets.model.orchestrator import Orchestrator
from graphrag_assets.serving.output import EXIT_FAILED, EXIT_USAGE, print_error, print_json
from graphrag_assets.store.home import HOME_VARIABLE, Home, find_home
from graphrag_assets.workspace import Workspace

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout and nothing else there.")]
MakeOrchestrator = Callable[[Workspace], Orchestrator]
ServeUi = Callable[[Path, int], int]


@dataclass(frozen=True, slots=True)
class Outside:
    """What the command line gets from outside the package's own layers.

    Args:
        orchestrator: Makes the orchestrator of a workspace; called only by commands that start or ask runs.
        stop_storage: Stops what the orchestrator keeps running in a home, so that its folder may be deleted.
        serve_ui: Serves the orchestrator's own pages for a home on a port until it is interrupted; its exit code.
    """

    orchestrator: MakeOrchestrator
    serve_ui: ServeUi
    stop_storage: Callable[[Path], None]


@dataclass(frozen=True, slots=True)
class Session:
    """One command line call."""

    outside: Outside
    home_option: Path | None

    def home(self) -> Home:
        """The home of this call: ``--home``, else GRAPHRAG_ASSETS_HOME, else ``data/`` of the checkout."""
        if self.home_option is not None:
            os.environ[HOME_VARIABLE] = str(self.home_option.expanduser().resolve())
        return find_home()

    @contextmanager
    def workspace(self) -> Generator[Workspace]:
        """The home's workspace, closed at the end."""
        workspace = Workspace.open(self.home().folder)
        try:
            yield workspace
        finally:
            workspace.close()


def session_of(context: typer.Context) -> Session:
    """The session that the app's callback made."""
    return context.ensure_object(Session)


@contextmanager
def reported(*, as_json: bool) -> Generator[None]:
    """Turn an error of ours into a message and an honest exit code: 2 for wrong use, 1 for what failed.

    An accident keeps its traceback on stderr; with ``--json`` stdout still holds one object.
    """
    try:
        yield
    except GraphragError as error:
        print_error(error, as_json=as_json)
        raise typer.Exit(EXIT_USAGE if isinstance(error, UsageError) else EXIT_FAILED) from error
    except (typer.Exit, typer.Abort):
        raise
    except Exception as error:
        if as_json:
            remedy = "This is a fault of the program; the traceback on stderr names its place."
            print_json({"error": {"code": "internal", "message": type(error).__name__, "remedy": remedy}})
        raise
