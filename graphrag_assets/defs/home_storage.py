"""The storage class that ``dagster.yaml`` names: PostgreSQL of the home, ready in whichever process opens the instance.

Pages, daemon, code server, run workers and commands each open the instance, and each then holds the server and writes
events in batches. Nothing depends on how the process was started, so ``dagster dev`` by hand works too.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dagster import Field
from dagster._serdes import ConfigurableClassData
from dagster_postgres import DagsterPostgresStorage
from typing_extensions import override

from graphrag_assets.defs import embedded_postgres
from graphrag_assets.defs.storage import URL_VARIABLE, postgres_folder, set_event_variables
from graphrag_assets.store.home import HOME_VARIABLE, Home, find_home


class HomeStorage(DagsterPostgresStorage):
    """Runs, events and schedules in the PostgreSQL server of the home, or in the one that the environment names."""

    @classmethod
    @override
    def config_type(cls) -> dict[str, Field]:
        return {}

    @classmethod
    @override
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]) -> "HomeStorage":
        del config_value
        set_event_variables()
        return cls(inst_data=inst_data, postgres_url=storage_url())


def storage_url() -> str:
    """The server that the environment names, else the home's own, which is started unless it runs."""
    named = os.environ.get(URL_VARIABLE)
    if named:
        return named
    folder = os.environ.get(HOME_VARIABLE)
    home = Home(Path(folder).resolve()) if folder else find_home()
    return embedded_postgres.hold(postgres_folder(home.dagster)).url
