"""Printing: one JSON object on stdout with ``--json``, text for people without it; messages and progress go to stderr."""

import json
from collections.abc import Mapping, Sequence

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from graphrag_assets.model.errors import GraphragError

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

EXIT_DONE = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_REFUSED = 3


def print_json(value: Mapping[str, object]) -> None:
    """One JSON object on stdout, and nothing else there."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, sort_keys=False))


def print_error(error: GraphragError, *, as_json: bool) -> None:
    """An error with its code and remedy, on stderr; with ``--json`` also as the object on stdout."""
    if as_json:
        print_json({"error": {"code": error.code, "message": error.message, "remedy": error.remedy}})
    err.print(f"[bold red]{error.code}[/]: {_plain(error.message)}")
    if error.remedy:
        err.print(f"  {_plain(error.remedy)}")


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A table for people."""
    table = Table(title=title, title_justify="left", header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(_plain(str(cell)) for cell in row))
    out.print(table)


def _plain(text: str) -> str:
    """Text without rich's markup, since a document's own brackets are no styles."""
    return text.replace("[", r"\[")


def print_text(text: str) -> None:
    """Text as it is."""
    out.print(_plain(text))


class ProgressBars:
    """Progress of long work on stderr, one bar a step; silent when stderr is no terminal."""

    def __init__(self) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._progress = Progress(*columns, console=err, transient=False, disable=not err.is_terminal)
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> "ProgressBars":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def report(self, step: str, done: int, total: int) -> None:
        """Show that ``done`` of ``total`` of a step are done."""
        if step not in self._tasks:
            self._tasks[step] = self._progress.add_task(step, total=total)
        self._progress.update(self._tasks[step], completed=done, total=total)
