"""The jars of the local Neo4j server: which they are, that only right bytes are kept, and where they come from."""

import errno
import gc
import hashlib
import time
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from graphrag_assets.graph.local_home import with_free_ports
from graphrag_assets.graph.local_jars import JarSource, LockedJar, install_jars, jars_present, read_lock, server_cache
from graphrag_assets.graph.local_maven import MavenJars, MavenSettings, read_settings
from graphrag_assets.model.errors import GraphragError, UsageError

CONTENT = {name: f"the bytes of {name}".encode() * 40 for name in ("alpha", "beta", "gamma")}


def locked(name: str) -> LockedJar:
    content = CONTENT[name]
    return LockedJar("org.example", name, "1.2", "", hashlib.sha256(content).hexdigest(), len(content))


LOCK = tuple(locked(name) for name in CONTENT)


class FakeJars(JarSource):
    """Serves bytes by artifact; a list of answers for one artifact is used up in turn."""

    def __init__(self, answers: dict[str, list[bytes | Exception]] | None = None) -> None:
        self.answers = answers or {}
        self.asked: list[tuple[str, bool]] = []

    def fetch(self, jar: LockedJar, into: Path, *, fresh: bool) -> None:
        self.asked.append((jar.artifact, fresh))
        queue = self.answers.get(jar.artifact, [])
        answer = queue.pop(0) if queue else CONTENT[jar.artifact]
        if isinstance(answer, Exception):
            into.write_bytes(b"half of ")
            raise answer
        into.write_bytes(answer)


class TestLock:
    def test_it_pins_every_jar_once_by_hash(self) -> None:
        lock = read_lock()
        assert len(lock) == 211
        assert len({jar.file_name for jar in lock}) == 211
        assert all(len(jar.sha256) == 64 and jar.size_bytes > 0 for jar in lock)

    def test_a_classifier_is_part_of_name_and_coordinates(self) -> None:
        (native,) = [jar for jar in read_lock() if jar.classifier]
        assert native.file_name.endswith("-linux-x86_64.jar")
        assert native.coordinates.endswith(":linux-x86_64")

    def test_the_cache_follows_the_user_s_setting(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert server_cache(None) == tmp_path / "graphrag-assets" / "neo4j-2026.08.1"
        monkeypatch.delenv("XDG_CACHE_HOME")
        monkeypatch.setenv("HOME", str(tmp_path))
        assert server_cache(None) == tmp_path / ".cache" / "graphrag-assets" / "neo4j-2026.08.1"
        assert server_cache(tmp_path / "x") == tmp_path / "x" / "neo4j-2026.08.1"


class TestInstallJars:
    def test_what_is_there_and_right_is_not_fetched_again(self, tmp_path: Path) -> None:
        source = FakeJars()
        install_jars(LOCK, tmp_path, source)
        assert sorted(source.asked) == [("alpha", False), ("beta", False), ("gamma", False)]
        install_jars(LOCK, tmp_path, source)
        assert len(source.asked) == 3
        assert jars_present(LOCK, tmp_path)

    def test_progress_ends_at_the_bytes_of_the_whole_lock(self, tmp_path: Path) -> None:
        seen: list[tuple[int, int]] = []
        install_jars(LOCK, tmp_path, FakeJars(), lambda done, total: seen.append((done, total)))
        total = sum(jar.size_bytes for jar in LOCK)
        assert [done for done, _ in seen] == sorted(done for done, _ in seen)
        assert len(seen) == 3
        assert seen[-1] == (total, total)

    @pytest.mark.parametrize("wrong", [CONTENT["beta"][:-9], b"x" * len(CONTENT["beta"]), b""], ids=["half", "tampered", "empty"])
    def test_a_wrong_jar_in_the_cache_is_replaced(self, tmp_path: Path, wrong: bytes) -> None:
        install_jars(LOCK, tmp_path, FakeJars())
        (tmp_path / "beta-1.2.jar").write_bytes(wrong)
        source = FakeJars()
        install_jars(LOCK, tmp_path, source)
        assert source.asked == [("beta", False)]
        assert (tmp_path / "beta-1.2.jar").read_bytes() == CONTENT["beta"]

    def test_wrong_bytes_are_fetched_once_more_past_any_local_copy(self, tmp_path: Path) -> None:
        source = FakeJars({"alpha": [b"evil"]})
        install_jars(LOCK, tmp_path, source)
        assert [asked for asked in source.asked if asked[0] == "alpha"] == [("alpha", False), ("alpha", True)]
        assert (tmp_path / "alpha-1.2.jar").read_bytes() == CONTENT["alpha"]

    def test_bytes_that_are_wrong_twice_never_enter_the_cache(self, tmp_path: Path) -> None:
        with pytest.raises(GraphragError, match=r"org\.example:alpha:1\.2") as caught:
            install_jars(LOCK, tmp_path, FakeJars({"alpha": [b"evil", b"evil"]}))
        assert caught.value.code == "neo4j-jar-tampered"
        assert not list(tmp_path.glob("alpha*"))

    @pytest.mark.parametrize(
        ("failure", "code"),
        [
            (OSError(errno.ENOSPC, "No space left on device"), "disk-full"),
            (OSError(errno.EDQUOT, "Disk quota exceeded"), "disk-full"),
            (PermissionError(errno.EACCES, "Permission denied"), "folder-not-writable"),
            (ConnectionError("connection reset"), "neo4j-download-failed"),
            (RuntimeError("not found in remote repositories"), "neo4j-download-failed"),
        ],
        ids=["disk", "quota", "rights", "network", "no-such-jar"],
    )
    def test_a_failure_has_its_code_and_a_remedy_and_the_next_try_mends_it(self, tmp_path: Path, failure: Exception, code: str) -> None:
        with pytest.raises(GraphragError) as caught:
            install_jars(LOCK, tmp_path, FakeJars({"beta": [failure]}))
        assert (caught.value.code, bool(caught.value.remedy)) == (code, True)
        assert not jars_present(LOCK, tmp_path)
        install_jars(LOCK, tmp_path, FakeJars())
        assert jars_present(LOCK, tmp_path)
        assert not list(tmp_path.glob("*.part"))


SETTINGS = """<settings xmlns="urn:any-namespace">
  <localRepository>${{user.home}}/jars</localRepository>
  <mirrors><mirror><id>near</id><url>{url}/</url><mirrorOf>{of}</mirrorOf></mirror></mirrors>
</settings>"""


class TestMaven:
    @pytest.mark.parametrize(
        ("of", "used"),
        [("central", True), ("*", True), ("external:*, !inside", True), ("*,!central", False), ("other", False)],
    )
    def test_a_mirror_is_used_when_it_stands_for_central(self, tmp_path: Path, of: str, used: bool) -> None:
        (tmp_path / "settings.xml").write_text(SETTINGS.format(url="https://near.example/maven", of=of))
        settings = read_settings(tmp_path / "settings.xml")
        assert settings.mirrors == ({"near": "https://near.example/maven"} if used else {})
        assert settings.local_repository == Path.home() / "jars"

    def test_without_settings_maven_s_defaults_hold(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("M2_REPO", raising=False)
        assert read_settings(tmp_path / "none.xml") == MavenSettings(Path.home() / ".m2" / "repository", {})
        monkeypatch.setenv("M2_REPO", str(tmp_path))
        assert read_settings(tmp_path / "none.xml").local_repository == tmp_path

    def test_settings_that_are_not_xml_are_named(self, tmp_path: Path) -> None:
        (tmp_path / "settings.xml").write_text("<settings>")
        with pytest.raises(UsageError, match=r"settings\.xml") as caught:
            read_settings(tmp_path / "settings.xml")
        assert caught.value.code == "maven-settings-unreadable"

    def test_a_jar_of_the_local_repository_is_copied_and_left_alone(self, tmp_path: Path) -> None:
        local = tmp_path / "m2" / "org" / "example" / "alpha" / "1.2" / "alpha-1.2.jar"
        local.parent.mkdir(parents=True)
        local.write_bytes(CONTENT["alpha"])
        lib = tmp_path / "lib"
        lib.mkdir()
        jars = MavenJars(tmp_path / "downloads", MavenSettings(tmp_path / "m2", {"none": "http://127.0.0.1:1"}))
        install_jars(LOCK[:1], lib, jars)
        assert (lib / "alpha-1.2.jar").read_bytes() == local.read_bytes() == CONTENT["alpha"]

    def test_a_broken_jar_of_the_local_repository_is_replaced_by_the_mirror_s(self, tmp_path: Path, httpserver: HTTPServer) -> None:
        local = tmp_path / "m2" / "org" / "example" / "alpha" / "1.2" / "alpha-1.2.jar"
        local.parent.mkdir(parents=True)
        local.write_bytes(b"broken")
        httpserver.expect_request("/maven/org/example/alpha/1.2/alpha-1.2.jar").respond_with_data(CONTENT["alpha"])
        lib = tmp_path / "lib"
        lib.mkdir()
        jars = MavenJars(tmp_path / "downloads", MavenSettings(tmp_path / "m2", {"near": httpserver.url_for("/maven")}))
        install_jars(LOCK[:1], lib, jars)
        assert (lib / "alpha-1.2.jar").read_bytes() == CONTENT["alpha"]
        assert local.read_bytes() == b"broken"

    # jgo leaves the answer that says 404 unread, and the collector then finds its open socket.
    @pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
    def test_a_jar_that_nobody_has_is_a_failed_download(self, tmp_path: Path, httpserver: HTTPServer) -> None:
        httpserver.expect_request("/maven/org/example/alpha/1.2/alpha-1.2.jar").respond_with_data(b"", status=404)
        jars = MavenJars(tmp_path / "downloads", MavenSettings(tmp_path / "m2", {"near": httpserver.url_for("/maven")}))
        with pytest.raises(GraphragError, match="alpha") as caught:
            install_jars(LOCK[:1], tmp_path, jars)
        assert caught.value.code == "neo4j-download-failed"
        assert [request.method for request, _ in httpserver.log] == ["GET"]
        del caught
        gc.collect()

    def test_a_dead_line_is_tried_again_and_then_a_failed_download(self, tmp_path: Path) -> None:
        nobody = f"http://127.0.0.1:{with_free_ports(None).bolt_port}"
        jars = MavenJars(tmp_path / "downloads", MavenSettings(tmp_path / "m2", {"near": nobody}), pause_seconds=0.1)
        began = time.monotonic()
        with pytest.raises(GraphragError, match="alpha") as caught:
            install_jars(LOCK[:1], tmp_path, jars)
        assert caught.value.code == "neo4j-download-failed"
        assert time.monotonic() - began > 0.3
