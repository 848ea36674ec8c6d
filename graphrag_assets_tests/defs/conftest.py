"""One PostgreSQL server and one Dagster instance for all tests here, emptied between them."""

import tempfile
from collections.abc import Generator
from pathlib import Path

import dagster as dg
import pytest
import sqlalchemy

from graphrag_assets.defs import embedded_postgres, storage
from graphrag_assets.store.home import HOME_VARIABLE

# What Dagster remembers of its own tables, not of runs.
_KEPT = {"alembic_version", "instance_info", "secondary_indexes"}


@pytest.fixture(scope="session")
def short_home() -> Generator[Path]:
    """A home outside of pytest's own folders, which pytest closes to other accounts while a server runs in them."""
    with tempfile.TemporaryDirectory(prefix="graphrag-home-") as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def postgres_instance(short_home: Path) -> Generator[dg.DagsterInstance]:
    home = short_home
    with pytest.MonkeyPatch.context() as patch:
        for name in ("DAGSTER_HOME", HOME_VARIABLE, storage.URL_VARIABLE, *storage.EVENT_VARIABLES):
            patch.delenv(name, raising=False)
        storage.prepare_home(home, "embedded-postgres")
        with dg.DagsterInstance.get() as instance:
            yield instance
        embedded_postgres.release(storage.postgres_folder(home / "dagster"))


@pytest.fixture
def postgres(postgres_instance: dg.DagsterInstance) -> dg.DagsterInstance:
    """A Dagster instance on PostgreSQL, as homes have it, without runs, events or partitions."""
    engine = sqlalchemy.create_engine(postgres_instance.event_log_storage.postgres_url, poolclass=sqlalchemy.NullPool)
    with engine.begin() as connection:
        names = sorted(set(sqlalchemy.inspect(connection).get_table_names()) - _KEPT)
        connection.execute(sqlalchemy.text(f"TRUNCATE {', '.join(names)}"))
    engine.dispose()
    return postgres_instance


@pytest.fixture
def sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[dg.DagsterInstance]:
    """A Dagster instance on SQLite files, with the same environment as on PostgreSQL."""
    _set_event_variables(monkeypatch)
    with dg.DagsterInstance.local_temp(str(tmp_path), overrides={"telemetry": {"enabled": False}}) as instance:
        yield instance


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Generator[dg.DagsterInstance]:
    """A Dagster instance in memory: what does not turn on how events are stored is four times as fast on it."""
    _set_event_variables(monkeypatch)
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


def _set_event_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in storage.EVENT_VARIABLES.items():
        monkeypatch.setenv(name, value)
