"""Dagster's own storage of a home: its ``dagster.yaml``, its server and the environment that every process needs.

Must be called before Dagster looks for its instance, so nothing here imports it.
"""

import logging
import os
from pathlib import Path
from typing import Final, Literal

from graphrag_assets.defs import embedded_postgres
from graphrag_assets.defs.instance_config import StorageChoice, instance_config
from graphrag_assets.model.errors import SettingsError, UsageError
from graphrag_assets.store.home import HOME_VARIABLE, Home

URL_VARIABLE: Final = "GRAPHRAG_ASSETS_DAGSTER_POSTGRES_URL"
# Both or neither, and in every process: 500 documents cost 3 ms each with them and 70 ms each without.
EVENT_VARIABLES: Final = {"DAGSTER_EVENT_BATCH_SIZE": "1000", "DAGSTER_EMIT_PARTITION_SUBSET_IN_PLANNED_EVENTS": "true"}
ConfigState = Literal["missing", "same", "other-storage", "edited"]

_log = logging.getLogger(__name__)


def prepare_home(home_folder: Path, storage: StorageChoice) -> None:
    """Make a home ready for Dagster and point this process, and the children it will have, to it.

    Copies ``dagster.yaml`` when the home has none, or has ours for the other storage; a file that was edited is left
    alone. Starts PostgreSQL inside the home when that is the storage.

    Raises:
        SettingsError: ``settings-invalid`` when the storage is ``postgres`` and its variable names no server.
        UsageError: ``dagster-storage-unavailable`` when the home cannot be written or PostgreSQL cannot run in it.
        GraphragError: ``dagster-storage-failed`` when PostgreSQL does not start.
    """
    home = Home(home_folder.resolve())
    set_event_variables()
    _write_config(home.dagster, storage)
    os.environ[HOME_VARIABLE] = str(home.folder)
    os.environ["DAGSTER_HOME"] = str(home.dagster)
    if storage == "postgres":
        _check_url(os.environ.get(URL_VARIABLE, ""))
    elif os.environ.pop(URL_VARIABLE, None):
        _log.warning("%s is set and not used: storage.dagster is %s", URL_VARIABLE, storage)
    if storage == "embedded-postgres":
        embedded_postgres.hold(postgres_folder(home.dagster))


def set_event_variables() -> None:
    """Let Dagster write events in batches; a value that a person set stays."""
    for name, value in EVENT_VARIABLES.items():
        os.environ.setdefault(name, value)


def stop_storage(home_folder: Path) -> None:
    """Stop PostgreSQL inside a home, so that its folder may be deleted.

    Raises:
        UsageError: ``home-busy`` when another process uses it.
    """
    embedded_postgres.stop(postgres_folder(Home(home_folder.resolve()).dagster))


def config_state(home_folder: Path, storage: StorageChoice) -> ConfigState:
    """How the home's ``dagster.yaml`` compares with what the settings ask for."""
    file = Home(home_folder.resolve()).dagster / "dagster.yaml"
    if not file.exists():
        return "missing"
    text = file.read_text(encoding="utf-8")
    if text == instance_config(storage):
        return "same"
    ours = {instance_config("embedded-postgres"), instance_config("sqlite")}
    return "other-storage" if text in ours else "edited"


def postgres_folder(dagster_folder: Path) -> Path:
    """Where PostgreSQL of a home keeps its data."""
    return dagster_folder / "postgres"


def _write_config(folder: Path, storage: StorageChoice) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        state = config_state(folder.parent, storage)
        if state == "other-storage":
            _log.warning("the Dagster storage is now %s; events of earlier runs stay where they are and are not shown", storage)
        if state in ("missing", "other-storage"):
            part = folder / f"dagster.yaml.{os.getpid()}.part"
            part.write_text(instance_config(storage), encoding="utf-8")
            part.replace(folder / "dagster.yaml")
    except PermissionError as error:
        remedy = "Use the account that made the home."
        raise UsageError("dagster-storage-unavailable", f"the folder {str(folder)!r} cannot be written.", remedy) from error


def _check_url(url: str) -> None:
    """SQLAlchemy 2.1 reads ``postgresql://`` as psycopg 3, which dagster-postgres does not bring."""
    if not url.startswith("postgresql+psycopg2://"):
        raise SettingsError(
            "settings-invalid",
            f"storage.dagster is postgres, and {URL_VARIABLE} {'is not set' if not url else 'has another scheme'}.",
            f"Set {URL_VARIABLE} to postgresql+psycopg2://USER:PASSWORD@HOST:PORT/DATABASE.",
        )
