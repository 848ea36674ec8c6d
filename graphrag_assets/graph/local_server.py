"""A real Neo4j Community server for people who have none: installed, started, found again and stopped.

It is a program of its own in a process of its own, downloaded by the user's machine and reached over the loopback
interface only. Jars are `local_jars`' job, the folder is `local_home`'s, the process is `local_process`'s.
"""

import logging
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import Final, Literal

from graphrag_assets.graph.local_files import check_room, disk_errors, exclusive
from graphrag_assets.graph.local_home import (
    HOST,
    USER,
    ServerRecord,
    ensure_password,
    read_record,
    with_free_ports,
    write_configuration,
    write_login,
    write_record,
)
from graphrag_assets.graph.local_jars import VERSION, Progress, install_jars, jars_present, read_lock, server_cache
from graphrag_assets.graph.local_maven import MavenJars, read_settings
from graphrag_assets.graph.local_process import (
    ROOM_BYTES,
    data_locked,
    end_process,
    find_java,
    running_server,
    runtime_processes,
    spawn,
    wait_until_up,
)
from graphrag_assets.model.errors import UsageError

__all__ = ["ServerOptions", "ServerState", "install", "password", "start", "status", "stop"]

# Another process may be fetching the same 149 MB over a slow line.
INSTALL_LOCK_SECONDS: Final = 900

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How a local server is run.

    Args:
        folder: Its data, configuration, logs and password; one folder is one graph.
        heap_mb: Java heap in MB.
        page_cache_mb: Neo4j's page cache in MB.
        start_timeout_seconds: How long a start may take.
        cache_folder: Where jars are kept for all servers; the user's cache folder when not given.
    """

    folder: Path
    heap_mb: int = 512
    page_cache_mb: int = 128
    start_timeout_seconds: float = 60
    cache_folder: Path | None = None


@dataclass(frozen=True, slots=True)
class ServerState:
    """What is known of a local server. ``uri``, ``browser`` and ``pid`` are set only while it runs."""

    state: Literal["absent", "installed", "stopped", "running"]
    uri: str | None
    browser: str | None
    user: str
    password_file: Path
    version: str
    pid: int | None

    def to_json(self) -> dict[str, str | int | None]:
        """The fields as JSON values, in the order of the class."""
        return {
            "state": self.state,
            "uri": self.uri,
            "browser": self.browser,
            "user": self.user,
            "password_file": str(self.password_file),
            "version": self.version,
            "pid": self.pid,
        }


def install(options: ServerOptions, on_progress: Progress | None = None) -> ServerState:
    """Put the server's jars into the cache folder and check every byte; what is there and right is not fetched again.

    Args:
        options: Of which only the folders matter here.
        on_progress: Called with the bytes in place and the bytes wanted, jar by jar.

    Raises:
        GraphragError: ``neo4j-download-failed``, ``neo4j-jar-tampered``, ``maven-settings-unreadable``, ``disk-full``,
            ``folder-not-writable`` or ``neo4j-busy``.
    """
    cache = server_cache(options.cache_folder)
    downloads = cache / "downloads"
    with disk_errors(cache):
        (cache / "lib").mkdir(parents=True, exist_ok=True)
        with exclusive(cache / "install.lock", INSTALL_LOCK_SECONDS):
            source = MavenJars(downloads, read_settings(Path.home() / ".m2" / "settings.xml"))
            try:
                install_jars(read_lock(), cache / "lib", source, on_progress)
            finally:
                rmtree(downloads, ignore_errors=True)
    return status(options)


def start(options: ServerOptions, on_progress: Progress | None = None) -> ServerState:
    """Start the server, installing it when needed, and return once it answers; a running one is found and returned.

    The server outlives this process.

    Raises:
        GraphragError: As `install`, or ``java-not-found``, ``neo4j-start-failed``, ``neo4j-data-locked``,
            ``neo4j-port-taken``, ``neo4j-password-wrong``, ``neo4j-password-missing``, ``neo4j-record-unreadable``.
    """
    if _running_pid(options) is None:
        find_java()
        install(options, on_progress)
    folder = _folder(options)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with disk_errors(folder), exclusive(folder / "server.lock", _lock_seconds(options)):
        if _running_pid(options) is None:
            _launch(options)
        _await_answer(options)
    return status(options)


def stop(options: ServerOptions, timeout_seconds: float = 30) -> ServerState:
    """Ask the server to end and wait until it has; one that does not end in time is killed, which loses no data.

    Raises:
        GraphragError: ``neo4j-busy``, ``neo4j-stop-failed`` or ``neo4j-record-unreadable``.
    """
    folder = _folder(options)
    if not folder.is_dir():
        return status(options)
    with exclusive(folder / "server.lock", _lock_seconds(options)):
        for pid in runtime_processes(folder):
            if not end_process(pid, timeout_seconds):
                _log.warning("Neo4j (pid %d) did not stop within %g s and was killed.", pid, timeout_seconds)
        record = read_record(folder)
        if record is not None:
            write_record(folder, replace(record, pid=None))
    return status(options)


def status(options: ServerOptions) -> ServerState:
    """Say whether the server runs, and where.

    Raises:
        UsageError: ``neo4j-record-unreadable``.
    """
    folder = _folder(options)
    record = read_record(folder)
    pid = _running_pid(options)
    up = record if pid else None
    return ServerState(
        state="running" if up else _resting_state(options, record),
        uri=f"bolt://{HOST}:{up.bolt_port}" if up else None,
        browser=f"http://{HOST}:{up.http_port}/browser/" if up else None,
        user=USER,
        password_file=folder / "password",
        version=VERSION,
        pid=pid,
    )


def password(options: ServerOptions) -> str:
    """The password of the user neo4j, made at the first start.

    Raises:
        UsageError: ``neo4j-password-missing`` before the first start, or when the file is gone.
    """
    path = _folder(options) / "password"
    if not path.exists():
        raise UsageError("neo4j-password-missing", f"There is no {str(path)!r}.", "Start the server once: it is made then.")
    return path.read_text(encoding="utf-8").strip()


def _folder(options: ServerOptions) -> Path:
    return options.folder.resolve()


def _resting_state(options: ServerOptions, record: ServerRecord | None) -> Literal["absent", "installed", "stopped"]:
    if not jars_present(read_lock(), server_cache(options.cache_folder) / "lib"):
        return "absent"
    return "stopped" if record else "installed"


def _running_pid(options: ServerOptions) -> int | None:
    record = read_record(_folder(options))
    process = running_server(record.pid, _folder(options)) if record else None
    return process.pid if process else None


def _lock_seconds(options: ServerOptions) -> float:
    """As long as a start by another process may take, and a stop after it."""
    return options.start_timeout_seconds + 30


def _launch(options: ServerOptions) -> None:
    folder = _folder(options)
    if runtime_processes(folder):
        raise data_locked(folder)
    check_room(folder, ROOM_BYTES)
    known = read_record(folder)
    record = with_free_ports(known)
    _say_what_changed(known, record)
    write_login(folder, ensure_password(folder))
    write_configuration(folder, record, options.page_cache_mb)
    lib = server_cache(options.cache_folder) / "lib"
    pid = spawn(find_java(), [lib / jar.file_name for jar in read_lock()], folder, options.heap_mb)
    write_record(folder, replace(record, pid=pid))


def _say_what_changed(known: ServerRecord | None, record: ServerRecord) -> None:
    known = known or record
    ports = (("Bolt", known.bolt_port, record.bolt_port), ("HTTP", known.http_port, record.http_port))
    for name, old, new in ports:
        if old != new:
            _log.warning("The %s port %d is taken by another program; Neo4j now has port %d.", name, old, new)


def _await_answer(options: ServerOptions) -> None:
    folder = _folder(options)
    record = read_record(folder)
    if record is not None and record.pid is not None:
        wait_until_up(record.pid, folder, record, password(options), options.start_timeout_seconds)
