"""Reading ``settings.yaml`` and the environment into `Settings`: every wrong key is refused with its path and a remedy."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import BaseModel, ValidationError

from graphrag_assets.model.errors import SettingsError
from graphrag_assets.model.settings import Settings

PREFIX: Final = "GRAPHRAG_ASSETS_"
NOT_SETTINGS: Final = frozenset({"HOME", "DAGSTER_POSTGRES_URL", "MODEL_DIR", "SHARED_DATA", "UI_URL"})
REMEDY: Final = "docs/reference/settings.md lists every setting with its bounds."
_LISTS: Final = frozenset({"sources", "embedding_sets"})


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Effective settings, and for each dotted path where its value came from."""

    settings: Settings
    origins: Mapping[str, str]

    def rows(self) -> tuple[tuple[str, object, str], ...]:
        """Dotted path, value and origin of every setting, in the order of the model."""
        flat = _flatten(self.settings.model_dump(mode="json"))
        return tuple((path, value, self.origins.get(path, "default")) for path, value in flat.items())


def load_settings(file: Path, environ: Mapping[str, str]) -> LoadedSettings:
    """Read a settings file, then the environment over it.

    Args:
        file: The home's ``settings.yaml``.
        environ: ``GRAPHRAG_ASSETS_SECTION__KEY`` overrides ``section.key``.

    Raises:
        SettingsError: ``settings-unreadable``, ``settings-invalid``, ``settings-unknown-variable``.
    """
    values = _read(file)
    origins = dict.fromkeys(_flatten(values), file.name)
    for name in sorted(environ):
        if name.startswith(PREFIX) and name.removeprefix(PREFIX) not in NOT_SETTINGS:
            path = _path_of(name)
            _set(values, path, _value(name, environ[name]))
            origins[".".join(path)] = name
    try:
        return LoadedSettings(Settings.model_validate(values), origins)
    except ValidationError as error:
        raise _settings_error(file, error) from error


def _read(file: Path) -> dict[str, Any]:
    try:
        values = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            "settings-unreadable", f"{file.name} cannot be read: {error}.", "Check the file and its permissions."
        ) from error
    except yaml.YAMLError as error:
        raise SettingsError("settings-unreadable", f"{file.name} is not YAML: {error}.", "Mend the line that is named.") from error
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise SettingsError("settings-invalid", f"{file.name} holds a {type(values).__name__}.", "It must be a mapping of sections.")
    return values


def _value(variable: str, text: str) -> object:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        message = f"the environment variable {variable} is not a YAML value: {text!r}."
        raise SettingsError("settings-invalid", message, "Quote it as YAML does.") from error


def _path_of(variable: str) -> list[str]:
    path = variable.removeprefix(PREFIX).lower().split("__")
    model: type[BaseModel] | None = Settings
    for part in path:
        if model is None or part not in model.model_fields:
            raise SettingsError(
                "settings-unknown-variable",
                f"the environment variable {variable} names no setting.",
                f"Use {PREFIX}SECTION__KEY. {REMEDY}",
            )
        annotation = model.model_fields[part].annotation
        model = annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None
    return path


def _set(values: dict[str, Any], path: list[str], value: object) -> None:
    for part in path[:-1]:
        below = values.get(part)
        values[part] = below if isinstance(below, dict) else {}
        values = values[part]
    values[path[-1]] = value


def _flatten(values: Mapping[str, Any], prefix: str = "") -> dict[str, object]:
    flat: dict[str, object] = {}
    for key, value in values.items():
        path = f"{prefix}{key}"
        if isinstance(value, dict) and value and path not in _LISTS:
            flat.update(_flatten(value, f"{path}."))
        else:
            flat[path] = value
    return flat


def _settings_error(file: Path, error: ValidationError) -> SettingsError:
    problems: list[str] = []
    for problem in error.errors(include_url=False):
        path = ".".join(str(part) for part in problem["loc"]) or "(the whole file)"
        line = _line_of(file, [str(part) for part in problem["loc"]])
        where = f"{file.name} line {line}" if line else file.name
        problems.append(f"{where}: {path}: {problem['msg']}")
    return SettingsError("settings-invalid", "; ".join(problems) + ".", REMEDY)


def _line_of(file: Path, path: list[str]) -> int | None:
    """The line of the last named key of a path; None when the value came from elsewhere."""
    names = [part for part in path if not part.isdigit()]
    found: int | None = None
    lines = file.read_text(encoding="utf-8").splitlines()
    start = 0
    for name in names:
        for number in range(start, len(lines)):
            if re.match(rf"\s*(- )?{re.escape(name)}\s*:", lines[number]):
                found, start = number + 1, number + 1
                break
    return found
