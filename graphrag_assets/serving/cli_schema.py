"""Commands about the schema of the graph."""

import typer

from graphrag_assets.graph.schema import SchemaPlan
from graphrag_assets.serving.output import print_json, print_table
from graphrag_assets.serving.session import JsonOption, reported, session_of


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    commands = typer.Typer(help="Constraints and indexes of the graph.", no_args_is_help=True)
    commands.command("plan")(plan)
    commands.command("apply")(apply)
    app.add_typer(commands, name="schema")


def plan(context: typer.Context, as_json: JsonOption = False) -> None:
    """Print every constraint and index with its statement, and whether the server has it."""
    with reported(as_json=as_json), session_of(context).workspace() as workspace:
        found = workspace.schema_plan()
    _show(found, "missing", as_json=as_json)


def apply(context: typer.Context, as_json: JsonOption = False) -> None:
    """Create what is missing and wait until it is online. What differs is reported and never dropped."""
    with reported(as_json=as_json), session_of(context).workspace() as workspace:
        found = workspace.apply_schema()
    _show(found, "created", as_json=as_json)


def _show(found: SchemaPlan, missing: str, *, as_json: bool) -> None:
    states = [(item, missing) for item in found.missing]
    states += [(difference.item, f"different: {difference.found}") for difference in found.different]
    states += [(item, "present") for item in found.present]
    rows = sorted((item.name, item.kind, state, item.statement) for item, state in states)
    if as_json:
        print_json({"items": [{"name": n, "kind": k, "state": s, "statement": t} for n, k, s, t in rows]})
    else:
        print_table("schema", ("name", "kind", "state", "statement"), rows)
