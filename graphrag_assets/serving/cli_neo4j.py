"""Commands about the local Neo4j server."""

from collections.abc import Callable

import typer

from graphrag_assets.graph import local_server
from graphrag_assets.graph.local_server import ServerOptions, ServerState
from graphrag_assets.serving.output import ProgressBars, print_json, print_text
from graphrag_assets.serving.session import JsonOption, reported, session_of
from graphrag_assets.workspace import server_options


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    commands = typer.Typer(help="The local Neo4j server of the home.", no_args_is_help=True)
    commands.command("install")(install)
    commands.command("start")(start)
    commands.command("stop")(stop)
    commands.command("status")(status)
    app.add_typer(commands, name="neo4j")


def install(context: typer.Context, as_json: JsonOption = False) -> None:
    """Fetch the server's jars into the cache folder, checked; nothing is fetched twice."""
    _run(context, lambda options, bars: local_server.install(options, on_progress=_progress(bars)), as_json=as_json)


def start(context: typer.Context, as_json: JsonOption = False) -> None:
    """Start the server, or find the one that runs."""
    _run(context, lambda options, bars: local_server.start(options, on_progress=_progress(bars)), as_json=as_json)


def stop(context: typer.Context, as_json: JsonOption = False) -> None:
    """Stop the server."""
    _run(context, lambda options, _bars: local_server.stop(options), as_json=as_json)


def status(context: typer.Context, as_json: JsonOption = False) -> None:
    """Say whether the server runs, and where."""
    _run(context, lambda options, _bars: local_server.status(options), as_json=as_json)


def _progress(bars: ProgressBars) -> Callable[[int, int], None]:
    return lambda done, total: bars.report("fetching Neo4j", done, total)


def _run(context: typer.Context, work: Callable[[ServerOptions, ProgressBars], ServerState], *, as_json: bool) -> None:
    with reported(as_json=as_json), ProgressBars() as bars:
        state = work(server_options(session_of(context).home()), bars)
    if as_json:
        print_json(state.to_json())
        return
    print_text(f"neo4j {state.version}: {state.state}")
    if state.uri:
        print_text(f"  bolt     {state.uri}\n  browser  {state.browser}\n  user     {state.user}\n  password in {state.password_file}")
