"""What ``doctor`` looks at: home, settings, model weights, Java, the server, Dagster's storage. It changes nothing."""

import os
import platform
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from graphrag_assets.gateways.minilm_files import model_folder
from graphrag_assets.graph import local_server
from graphrag_assets.model.errors import GraphragError
from graphrag_assets.store.home import Home
from graphrag_assets.store.settings_file import load_settings
from graphrag_assets.workspace import Workspace, server_options

MIN_FREE_BYTES: Final = 2 * 1024**3


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One thing that was looked at, and what to do when it is wrong."""

    what: str
    fine: bool
    state: str
    remedy: str = ""

    def to_json(self) -> dict[str, object]:
        """As ``doctor --json`` prints it."""
        return {"what": self.what, "ok": self.fine, "state": self.state, "remedy": self.remedy}


def diagnose(home: Home) -> tuple[Diagnosis, ...]:
    """Look at everything a run needs, one row each; a fault in one never hides the next."""
    looks: tuple[tuple[str, Callable[[Home], str]], ...] = (
        ("home", _home),
        ("settings", _settings),
        ("sources", _sources),
        ("models", _models),
        ("disk", _disk),
        ("python", lambda _home: platform.python_version()),
        ("embedding weights", lambda _home: f"found, hash-checked at load: {model_folder(os.environ).name}"),
        ("neo4j", _server),
        ("dagster storage", _dagster),
    )
    return tuple(_look(what, look, home) for what, look in looks)


def _look(what: str, look: Callable[[Home], str], home: Home) -> Diagnosis:
    try:
        return Diagnosis(what, True, look(home))
    except GraphragError as error:
        return Diagnosis(what, False, f"{error.code}: {error.message}", error.remedy)


def _home(home: Home) -> str:
    return str(home.folder)


def _settings(home: Home) -> str:
    loaded = load_settings(home.settings_file, os.environ)
    changed = sum(origin != "default" for _, _, origin in loaded.rows())
    return f"profile {loaded.settings.profile}, {changed} values set"


def _sources(home: Home) -> str:
    settings = load_settings(home.settings_file, os.environ).settings
    for source in settings.sources:
        if not (home.folder / source.folder).is_dir():
            raise GraphragError(
                "source-missing", f"the folder of the source {source.name!r} is not there.", "Mount it, or correct sources."
            )
    return ", ".join(source.name for source in settings.sources) or "none declared"


def _models(home: Home) -> str:
    with Workspace.open(home.folder) as workspace:  # refuses a profile that is half set
        return f"profile {workspace.settings.profile}; stand-ins: {', '.join(workspace.stand_ins()) or 'none'}"


def _disk(home: Home) -> str:
    free = shutil.disk_usage(home.folder).free
    if free < MIN_FREE_BYTES:
        raise GraphragError("disk-low", f"{free // 1024**2} MB are free.", "Free 2 GB: the server's jars and data need them.")
    return f"{free // 1024**3} GB free"


def _server(home: Home) -> str:
    given = os.environ.get("NEO4J_URI") or load_settings(home.settings_file, os.environ).settings.graph.uri
    if given:
        with Workspace.open(home.folder) as workspace:
            return f"{given}, {workspace.tools.graph().version()}"
    state = local_server.status(server_options(home))
    return f"{state.state}, {state.version}" + (f", {state.uri}" if state.uri else "")


def _dagster(home: Home) -> str:
    configured = os.environ.get("DAGSTER_HOME")
    if configured and home.dagster.exists() and os.path.realpath(configured) != str(home.dagster.resolve()):
        raise GraphragError(
            "dagster-home-differs", f"DAGSTER_HOME is {configured!r}, this home uses its own.", "Unset DAGSTER_HOME: every command sets it."
        )
    return "prepared" if (home.dagster / "dagster.yaml").is_file() else "made by the first run"
