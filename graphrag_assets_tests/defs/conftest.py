"""One PostgreSQL server and one Dagster instance for all tests here, emptied between them."""

import tempfile
from collections.abc import Generator
from pathlib import Path

import dagster as dg
import pytest
import sqlalchemy

from graphrag_assets.defs import embedded_postgres, storage

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
        for name in ("DAGSTER_HOME", storage.URL_VARIABLE, *storage.EVENT_VARIABLES):
            patch.delenv(name, raising=False)
        storage.prepare_home(home, "embedded-postgres")
        with dg.DagsterInstance.get() as instance:
            yield instance
        embedded_postgres.release(storage.postgres_folder(home / "dagster"))


@pytest.fixture
def instance(postgres_instance: dg.DagsterInstance) -> dg.DagsterInstance:
    """A Dagster instance on PostgreSQL without runs, events or partitions."""
    engine = sqlalchemy.create_engine(postgres_instance.event_log_storage.postgres_url, poolclass=sqlalchemy.NullPool)
    with engine.begin() as connection:
        names = sorted(set(sqlalchemy.inspect(connection).get_table_names()) - _KEPT)
        connection.execute(sqlalchemy.text(f"TRUNCATE {', '.join(names)}"))
    engine.dispose()
    return postgres_instance


@pytest.fixture
def sqlite_instance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[dg.DagsterInstance]:
    """A Dagster instance on SQLite, with the same environment as on PostgreSQL."""
    for name, value in storage.EVENT_VARIABLES.items():
        monkeypatch.setenv(name, value)
    with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
        yield instance
