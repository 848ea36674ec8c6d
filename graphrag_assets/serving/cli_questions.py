"""Commands that ask: ``ask`` and ``search``."""

from typing import Annotated, Literal

import typer

from graphrag_assets.model.evidence import Answered
from graphrag_assets.serving.output import EXIT_REFUSED, print_json, print_text
from graphrag_assets.serving.session import JsonOption, reported, session_of
from graphrag_assets.serving.views import answer_json, evidence_json

RouteName = Literal["hybrid", "vector", "full-text", "graph"]
RouteOption = Annotated[RouteName, typer.Option("--route", help="How evidence is found.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    app.command("ask")(ask)
    app.command("search")(search)


def ask(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="What you want to know.")],
    route: RouteOption = "hybrid",
    as_json: JsonOption = False,
) -> None:
    """Answer a question with citations that were checked against the stored bytes, or refuse it with the reason."""
    with reported(as_json=as_json), session_of(context).workspace() as workspace:
        answer = workspace.ask(question, route=route)
    if as_json:
        print_json(answer_json(answer))
    elif isinstance(answer, Answered):
        print_text(answer.answer)
        for number, citation in enumerate(answer.citations, 1):
            pages = f" page {', '.join(map(str, citation.pages))}" if citation.pages else ""
            print_text(f"  [{number}] {citation.uri}{pages} bytes {citation.start}–{citation.end}: “{citation.quote}”")
    else:
        print_text(f"refused: {answer.reason}")
    if answer.receipt.stand_ins and not as_json:
        print_text(f"  (by stand-ins for models: {', '.join(answer.receipt.stand_ins)})")
    if not isinstance(answer, Answered):
        raise typer.Exit(EXIT_REFUSED)


def search(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="What you look for.")],
    route: RouteOption = "hybrid",
    limit: Annotated[int | None, typer.Option("-k", min=1, max=128, help="Evidence items at most.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Find evidence: passages to read, not an answer."""
    with reported(as_json=as_json), session_of(context).workspace() as workspace:
        evidence = workspace.search(question, route=route, max_items=limit)
    if as_json:
        print_json(evidence_json(evidence))
        return
    for item in evidence.items:
        routes = ", ".join(f"{r.route} #{r.rank}" for r in item.routes)
        print_text(f"{item.uri} bytes {item.start}–{item.end}  score {item.score:.4f}  ({routes})")
        print_text("  " + " ".join(item.text.split())[:240])
    for line in evidence.context:
        print_text(f"  context, {line.reason}: {' '.join(line.text.split())[:160]}")
    if not evidence.items:
        print_text("nothing found")
