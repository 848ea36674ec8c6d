"""The PostgreSQL server inside a home: shared, stopped with its last user, and found again after every kind of death."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import psutil
import pytest
import sqlalchemy

from graphrag_assets.defs import embedded_postgres
from graphrag_assets.model.errors import UsageError

HOLD = """
import sys
from pathlib import Path
from graphrag_assets.defs import embedded_postgres
print(embedded_postgres.running(embedded_postgres.hold(Path(sys.argv[1])).folder).pid, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def data() -> Generator[Path]:
    """A place for a server in a home whose name has a space."""
    with tempfile.TemporaryDirectory(prefix="graphrag home ") as folder:
        yield Path(folder).resolve() / "dagster" / "postgres"


class Holder:
    """Another process that uses the server until it is let go."""

    def __init__(self, data: Path) -> None:
        self.process = subprocess.Popen([sys.executable, "-c", HOLD, str(data)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def server(self) -> int:
        return int(self.process.stdout.readline())

    def end(self, kill: bool = False) -> None:
        if kill:
            self.process.kill()
        self.process.communicate()


def answers(url: str) -> bool:
    engine = sqlalchemy.create_engine(url, poolclass=sqlalchemy.NullPool)
    with engine.connect() as connection:
        return connection.execute(sqlalchemy.text("SELECT 1")).scalar() == 1


def test_a_held_server_answers_and_is_stopped_by_release(data: Path) -> None:
    held = embedded_postgres.hold(data)
    assert answers(held.url)
    embedded_postgres.release(data)
    assert embedded_postgres.running(data) is None


def test_holding_twice_is_one_hold(data: Path) -> None:
    assert embedded_postgres.hold(data) == embedded_postgres.hold(data)
    embedded_postgres.release(data)
    assert embedded_postgres.running(data) is None


def test_two_processes_that_start_together_share_one_server_and_the_last_one_stops_it(data: Path) -> None:
    first, second = Holder(data), Holder(data)
    assert first.server() == second.server()
    first.end()
    assert embedded_postgres.running(data) is not None
    second.end()
    assert embedded_postgres.running(data) is None


def test_a_killed_user_does_not_keep_the_server_up(data: Path) -> None:
    killed = Holder(data)
    server = killed.server()
    killed.end(kill=True)
    assert embedded_postgres.running(data).pid == server
    embedded_postgres.hold(data)
    embedded_postgres.release(data)
    assert embedded_postgres.running(data) is None


def test_a_killed_server_is_started_again_though_its_record_names_a_living_process(data: Path) -> None:
    holder = Holder(data)
    server = psutil.Process(holder.server())
    workers = server.children()
    server.kill()
    holder.end(kill=True)
    psutil.wait_procs(workers, timeout=20)
    record = data / "postmaster.pid"
    record.write_text(record.read_text().replace(str(server.pid), str(os.getpid()), 1))
    held = embedded_postgres.hold(data)
    assert answers(held.url)
    embedded_postgres.release(data)


def test_half_a_record_is_no_server(data: Path) -> None:
    embedded_postgres.hold(data)
    embedded_postgres.release(data)
    (data / "postmaster.pid").write_text(f"{os.getpid()}\n")
    assert embedded_postgres.running(data) is None
    assert answers(embedded_postgres.hold(data).url)
    embedded_postgres.release(data)


def test_a_killed_first_start_leaves_nothing_half_made(data: Path) -> None:
    part = data.with_name("postgres.new")
    part.mkdir(parents=True)
    (part / "PG_VERSION").write_text("18\n")
    assert answers(embedded_postgres.hold(data).url)
    embedded_postgres.release(data)
    assert not part.exists()


def test_a_home_whose_path_is_too_long_for_a_socket_works(data: Path) -> None:
    deep = data.parent / ("x" * 120) / "postgres"
    held = embedded_postgres.hold(deep)
    assert answers(held.url)
    sockets = Path(embedded_postgres.running(deep).socket_folder)
    embedded_postgres.release(deep)
    assert not sockets.exists()


def test_stop_refuses_while_another_process_uses_the_server(data: Path) -> None:
    holder = Holder(data)
    holder.server()
    with pytest.raises(UsageError) as caught:
        embedded_postgres.stop(data)
    assert caught.value.code == "home-busy"
    holder.end()
    embedded_postgres.stop(data)
    assert embedded_postgres.running(data) is None


def test_stop_ends_a_server_that_a_killed_process_left(data: Path) -> None:
    killed = Holder(data)
    killed.server()
    killed.process.send_signal(signal.SIGKILL)
    killed.process.communicate()
    embedded_postgres.stop(data)
    assert embedded_postgres.running(data) is None


def test_a_terminal_interrupt_does_not_reach_the_server(data: Path) -> None:
    held = embedded_postgres.hold(data)
    server = embedded_postgres.running(held.folder)
    assert os.getpgid(server.pid) != os.getpgid(0)
    embedded_postgres.release(data)
