"""A home: the folder that holds one corpus' settings, artifacts, local server and Dagster storage. Names and places only."""

import os
import shutil
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from graphrag_assets.model.errors import UsageError

HOME_VARIABLE: Final = "GRAPHRAG_ASSETS_HOME"
SETTINGS_NAME: Final = "settings.yaml"
WAIT_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class Home:
    """Where everything of one corpus lies. Nothing the program writes lies elsewhere, downloads aside."""

    folder: Path

    @property
    def settings_file(self) -> Path:
        """The settings a person edits."""
        return self.folder / SETTINGS_NAME

    @property
    def artifacts(self) -> Path:
        """One Parquet file an asset and document."""
        return self.folder / "artifacts"

    @property
    def paid(self) -> Path:
        """Paid replies that are not yet in an artifact."""
        return self.folder / "paid"

    @property
    def neo4j(self) -> Path:
        """Data, logs, password and state of the local server."""
        return self.folder / "neo4j"

    @property
    def dagster(self) -> Path:
        """DAGSTER_HOME of this home."""
        return self.folder / "dagster"

    @property
    def index_file(self) -> Path:
        """Which artifact holds which paid result; can be rebuilt."""
        return self.folder / "index.sqlite"

    @property
    def decisions_file(self) -> Path:
        """Reviewed merges, one line each; survives a reset."""
        return self.folder / "merge_decisions.jsonl"

    @property
    def recordings(self) -> Path:
        """Recorded model replies of the profiles ``record`` and ``replay``."""
        return self.folder / "recordings"

    def generated(self) -> tuple[Path, ...]:
        """What a reset deletes, and nothing else."""
        return (self.artifacts, self.paid, self.neo4j, self.dagster, self.index_file)

    @contextmanager
    def writing(self) -> Generator[None]:
        """Hold the one writer's lock of this home; the same thread may hold it more than once.

        Raises:
            UsageError: ``home-busy`` when another process writes for longer than ``WAIT_SECONDS``.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.folder / ".writer.lock", timeout=WAIT_SECONDS, is_singleton=True)
        try:
            lock.acquire()
        except Timeout as error:
            raise UsageError(
                "home-busy", f"another process is writing to the home {self.folder.name!r}.", "Wait for it to end, or stop it."
            ) from error
        try:
            yield
        finally:
            lock.release()

    def reset(self) -> tuple[str, ...]:
        """Delete what was generated; settings, documents and decisions stay. Returns the names deleted."""
        deleted = [path for path in self.generated() if path.exists()]
        for path in deleted:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
        return tuple(path.name for path in deleted)


def find_home(environ: Mapping[str, str] | None = None) -> Home:
    """The home named by GRAPHRAG_ASSETS_HOME, else ``data/`` of the checkout.

    Raises:
        UsageError: ``home-missing`` when there is none or it has no settings file.
    """
    named = (os.environ if environ is None else environ).get(HOME_VARIABLE)
    folder = Path(named).expanduser().resolve() if named else Path(__file__).resolve().parents[2] / "data"
    home = Home(folder)
    if not home.settings_file.is_file():
        raise UsageError(
            "home-missing",
            f"the folder {str(folder)!r} has no {SETTINGS_NAME}.",
            f"Make one with `graphrag-assets init FOLDER --source DOCUMENTS` and set {HOME_VARIABLE} to it.",
        )
    return home
