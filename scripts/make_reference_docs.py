"""Writes docs/reference/: settings and command line, from the code itself. A test fails when the files are behind."""

import sys
from pathlib import Path

import typer
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from typer.testing import CliRunner

from graphrag_assets.model.settings import Settings
from graphrag_assets.serving.cli import build_app
from graphrag_assets.serving.session import Outside

DOCS = Path(__file__).resolve().parents[1] / "docs" / "reference"
PREFIX = "GRAPHRAG_ASSETS_"


def settings_page() -> str:
    rows = ["# Settings", "", "Every key of `settings.yaml`. Made by `scripts/make_reference_docs.py`; do not edit.", ""]
    rows += ["A key can be overridden by the environment variable beside it.", ""]
    rows += ["| key | default | meaning and bounds | variable |", "|---|---|---|---|"]
    rows += list(_setting_rows(Settings, ""))
    return "\n".join(rows) + "\n"


def _setting_rows(model: type[BaseModel], prefix: str) -> list[str]:
    rows: list[str] = []
    for name, field in model.model_fields.items():
        annotation = field.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            rows += _setting_rows(annotation, f"{prefix}{name}.")
        elif (item := _item_model(annotation)) is not None:
            rows.append(f"| `{prefix}{name}` | | a list; each item has the keys below | |")
            rows += [row.rsplit("|", 2)[0] + "| |" for row in _setting_rows(item, f"{prefix}{name}[].")]
        else:
            variable = PREFIX + f"{prefix}{name}".upper().replace(".", "__")
            rows.append(f"| `{prefix}{name}` | {_default(field)} | {_meaning(field)} | `{variable}` |")
    return rows


def _item_model(annotation: object) -> type[BaseModel] | None:
    args = getattr(annotation, "__args__", ())
    return args[0] if args and isinstance(args[0], type) and issubclass(args[0], BaseModel) else None


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    return f"`{value}`" if value not in (None, "", (), {}) else "none"


def _meaning(field: FieldInfo) -> str:
    words = {"ge": "from", "gt": "above", "le": "up to", "lt": "below", "pattern": "matching"}
    bounds = [f"{word} `{value}`" for m in field.metadata for name, word in words.items() if (value := getattr(m, name, None)) is not None]
    values = ", ".join(f"`{value}`" for value in getattr(field.annotation, "__args__", ()) if isinstance(value, str))
    parts = (field.description or "", " ".join(bounds), f"one of {values}" if values else "")
    return "; ".join(part for part in parts if part).replace("|", "\\|")


def cli_page() -> str:
    app = build_app(Outside(orchestrator=_never, serve_ui=_never, stop_storage=_never))  # type: ignore[arg-type]
    parts = ["# Command line", "", "The help of every command. Made by `scripts/make_reference_docs.py`; do not edit.", ""]
    for words in _commands(typer.main.get_command(app), ()):
        parts += [f"## graphrag-assets {' '.join(words)}".rstrip(), "", "```text", _help(app, words), "```", ""]
    return "\n".join(parts)


def _never(*_: object) -> object:
    raise AssertionError("help starts nothing")


def _commands(command: object, words: tuple[str, ...]) -> list[tuple[str, ...]]:
    found = [words]
    for name, below in getattr(command, "commands", {}).items():
        found += _commands(below, (*words, name))
    return found


def _help(app: typer.Typer, words: tuple[str, ...]) -> str:
    plain = {"COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"}
    result = CliRunner().invoke(app, [*words, "--help"], env=plain)
    return "\n".join(line.rstrip() for line in result.stdout.strip().splitlines())


def pages() -> dict[str, str]:
    return {"settings.md": settings_page(), "command-line.md": cli_page()}


def main() -> int:
    DOCS.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (DOCS / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
