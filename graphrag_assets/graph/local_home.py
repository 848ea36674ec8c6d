"""The folder of a local Neo4j server: its ports, password and configuration. Processes are `local_process`'s job.

- ``server.json``: the ports, chosen once, and the process that was started last
- ``password``: of the user neo4j, readable by its owner alone
- ``conf/neo4j.conf``: written anew at each start
- ``data``, ``logs``, ``run``: Neo4j's own
"""

import hashlib
import json
import secrets
import socket
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from graphrag_assets.graph.local_files import write_private
from graphrag_assets.model.errors import UsageError

HOST: Final = "127.0.0.1"
USER: Final = "neo4j"
_HASH_ROUNDS: Final = 1024
# Below the ports that systems lend to outgoing connections, which come and go while the server is down.
_FIRST_PORT: Final = 20_000
_LAST_PORT: Final = 32_000

# Reasons for what is not obvious: logs stay small, since the graph can be built again from the artifacts; the two waits
# are 5 s each by default and only delay the stop; nothing is sent home; Neo4j Browser is served over HTTP.
_CONFIGURATION: Final = """\
server.default_listen_address={host}
server.default_advertised_address={host}
server.bolt.listen_address={host}:{bolt_port}
server.http.listen_address={host}:{http_port}
server.https.enabled=false
server.memory.pagecache.size={page_cache_mb}m
db.tx_log.preallocate=false
db.tx_log.rotation.size=16m
db.tx_log.rotation.retention_policy=1 files
dbms.usage_report.enabled=false
internal.server.bolt.thread_pool_shutdown_wait_time=0s
internal.server.bolt.connection_shutdown_wait_time=0s
"""


@dataclass(frozen=True, slots=True)
class ServerRecord:
    """What ``server.json`` remembers of a server from one start to the next."""

    bolt_port: int
    http_port: int
    pid: int | None = None


def read_record(folder: Path) -> ServerRecord | None:
    """The record of a folder, or None before its first start.

    Raises:
        UsageError: ``neo4j-record-unreadable``.
    """
    path = folder / "server.json"
    if not path.exists():
        return None
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        pid = fields["pid"]
        return ServerRecord(int(fields["bolt_port"]), int(fields["http_port"]), None if pid is None else int(pid))
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(
            "neo4j-record-unreadable",
            f"{str(path)!r} is not a record of a server: {error!r}.",
            "Remove the file, stop the server and start it again: new ports are chosen.",
        ) from error


def write_record(folder: Path, record: ServerRecord) -> None:
    """Keep the record for the next start."""
    write_private(folder / "server.json", json.dumps(asdict(record), indent=2) + "\n")


def with_free_ports(record: ServerRecord | None) -> ServerRecord:
    """The record with every port that another program holds replaced by a free one; a new record when there is none."""
    if record is None:
        return ServerRecord(*_choose_ports((0, 0)))
    bolt_port, http_port = _choose_ports((record.bolt_port, record.http_port))
    return replace(record, bolt_port=bolt_port, http_port=http_port)


def _choose_ports(wanted: Iterable[int]) -> list[int]:
    """Each wanted port if it is free, else another one (0 is never free); all are held until the last is chosen."""
    with ExitStack() as held:
        return [_hold(port, held) or _hold_another(held) for port in wanted]


def _hold_another(held: ExitStack) -> int:
    while True:
        port = _hold(_FIRST_PORT + secrets.randbelow(_LAST_PORT - _FIRST_PORT), held)
        if port:
            return port


def _hold(port: int, held: ExitStack) -> int:
    if port == 0:
        return 0
    try:
        held.enter_context(socket.create_server((HOST, port)))
    except OSError:
        return 0
    return port


def ensure_password(folder: Path) -> str:
    """The password of the server in the folder, made at its first start.

    Raises:
        UsageError: ``neo4j-password-missing``, when the data were made with a password that is gone.
    """
    path = folder / "password"
    if path.exists():
        return path.read_text(encoding="utf-8").strip()
    if _has_data(folder):
        raise UsageError(
            "neo4j-password-missing",
            f"{str(path)!r} is gone, and the data beside it were made with it.",
            f"Put it back, or remove {str(folder / 'data')!r} to begin with an empty graph.",
        )
    write_private(path, secrets.token_urlsafe(24) + "\n")
    return path.read_text(encoding="utf-8").strip()


def _has_data(folder: Path) -> bool:
    return (folder / "data" / "databases" / "system").exists()


def write_login(folder: Path, password: str) -> None:
    """Write the login that Neo4j takes over at its first start; once it has data it no longer looks."""
    if _has_data(folder):
        return
    path = folder / "data" / "dbms" / "auth.ini"
    path.parent.mkdir(parents=True, exist_ok=True)
    salt = secrets.token_bytes(32)
    digest = hashlib.sha256(salt + password.encode()).digest()
    for _ in range(_HASH_ROUNDS - 1):
        digest = hashlib.sha256(digest).digest()
    write_private(path, f"{USER}:SHA-256,{digest.hex()},{salt.hex()},{_HASH_ROUNDS}:\n")


def write_configuration(folder: Path, record: ServerRecord, page_cache_mb: int) -> None:
    """Write neo4j.conf for the ports of the record."""
    (folder / "conf").mkdir(parents=True, exist_ok=True)
    text = _CONFIGURATION.format(host=HOST, bolt_port=record.bolt_port, http_port=record.http_port, page_cache_mb=page_cache_mb)
    (folder / "conf" / "neo4j.conf").write_text(text, encoding="utf-8")
