"""The command line: the app, its options, and the commands about a home. Every command is thin over `Workspace`."""

import os
from pathlib import Path
from typing import Annotated

import typer

from graphrag_assets.extractions.ontology import load_ontology
from graphrag_assets.serving import cli_corpus, cli_neo4j, cli_questions, cli_schema
from graphrag_assets.serving.output import print_json, print_table, print_text
from graphrag_assets.serving.session import JsonOption, Outside, Session, reported, session_of
from graphrag_assets.store.home_files import init_home
from graphrag_assets.store.settings_file import load_settings


def build_app(outside: Outside) -> typer.Typer:
    """The command line app."""
    app = typer.Typer(
        name="graphrag-assets",
        help="Documents to a typed knowledge graph in Neo4j, and answers whose citations are checked against the stored bytes.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )

    @app.callback()
    def main(  # pyright: ignore[reportUnusedFunction]
        context: typer.Context,
        home: Annotated[Path | None, typer.Option("--home", help="The home to work on, instead of GRAPHRAG_ASSETS_HOME.")] = None,
    ) -> None:
        context.obj = Session(outside, home)

    app.command("init")(init)
    app.command("ui")(ui)
    settings = typer.Typer(help="Settings of the home.", no_args_is_help=True)
    settings.command("show")(settings_show)
    app.add_typer(settings, name="settings")
    cli_corpus.register(app)
    cli_questions.register(app)
    cli_neo4j.register(app)
    cli_schema.register(app)
    return app


def init(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="The new home; made when missing.")],
    source: Annotated[Path, typer.Option("--source", help="The folder of your documents.")],
    ontology: Annotated[str, typer.Option("--ontology", help="operations, generic, novel, article, or a YAML file.")] = "generic",
    as_json: JsonOption = False,
) -> None:
    """Make a new home for your own documents, with a commented settings.yaml."""
    del context
    with reported(as_json=as_json):
        load_ontology(ontology, folder)  # a wrong one is found before there is a home
        home = init_home(folder, source, ontology=ontology)
        if as_json:
            print_json({"home": str(home.folder), "settings": str(home.settings_file), "source": str(source.resolve())})
        else:
            print_text(f"made the home {home.folder}\nnext: graphrag-assets --home {home.folder} materialize")


def ui(
    context: typer.Context,
    port: Annotated[int, typer.Option("--port", help="Port of the pages.", min=1, max=65_535)] = 3000,
) -> None:
    """Serve the Dagster UI of the home until interrupted."""
    with reported(as_json=False):
        session = session_of(context)
        raise typer.Exit(session.outside.serve_ui(session.home().folder, port))


def settings_show(context: typer.Context, as_json: JsonOption = False) -> None:
    """Print every setting with its value and where it came from."""
    with reported(as_json=as_json):
        home = session_of(context).home()
        loaded = load_settings(home.settings_file, os.environ)
        if as_json:
            print_json({"settings": {path: {"value": value, "from": origin} for path, value, origin in loaded.rows()}})
        else:
            print_table(str(home.settings_file), ("setting", "value", "from"), loaded.rows())
