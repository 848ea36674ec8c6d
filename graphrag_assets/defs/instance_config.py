"""The texts of ``dagster.yaml``: one with PostgreSQL, one with SQLite. Neither holds a path, so each home gets a copy.

The file at the top of the checkout is `POSTGRES_CONFIG` for people to read; an installed package has only this module.
"""

from typing import Final, Literal

StorageChoice = Literal["embedded-postgres", "sqlite", "postgres"]

_SHARED: Final = """\
# One run at a time writes to a home; more wait in the queue instead of failing with `home-busy`.
concurrency:
  runs:
    max_concurrent_runs: 1

# Steps print nothing of use, and a traceback in a file could hold a line of a document that is removed later.
compute_logs:
  module: dagster._core.storage.noop_compute_log_manager
  class: NoOpComputeLogManager

# What the package warns about shows in the event log of the run.
python_logs:
  managed_python_loggers: [graphrag_assets]
  python_log_level: INFO

telemetry:
  enabled: false
nux:
  enabled: false
"""

POSTGRES_CONFIG: Final = f"""\
# Dagster's settings for every home. It holds no paths: entry points copy it to <home>/dagster/dagster.yaml when that is
# missing, and set DAGSTER_HOME to that folder. The copy is yours to edit; `graphrag-assets doctor` names differences.

# PostgreSQL inside the home, or the server that GRAPHRAG_ASSETS_DAGSTER_POSTGRES_URL names.
storage:
  custom:
    module: graphrag_assets.defs.home_storage
    class: HomeStorage
    config: {{}}

{_SHARED}"""

SQLITE_CONFIG: Final = f"""\
# Dagster's settings for a home with storage.dagster: sqlite. Events of a document cost some 20 to 30 times what they cost on
# PostgreSQL: fit for some hundred documents.

{_SHARED}"""


def instance_config(choice: StorageChoice) -> str:
    """The text of ``dagster.yaml`` for a choice of storage."""
    return SQLITE_CONFIG if choice == "sqlite" else POSTGRES_CONFIG
