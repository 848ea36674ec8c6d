"""The jars of the local Neo4j server: which they are, where they lie and how their bytes are checked.

The lock beside this module pins every jar by coordinates, SHA-256 and size. Fetching one is `local_maven`'s job.
"""

import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

from graphrag_assets.graph.local_files import disk_errors, explain_disk_error
from graphrag_assets.model.errors import GraphragError

VERSION: Final = "2026.08.1"
FETCH_THREADS: Final = 8

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class LockedJar:
    """One line of the lock: what a jar is called, and what its bytes must be."""

    group: str
    artifact: str
    version: str
    classifier: str
    sha256: str
    size_bytes: int

    @property
    def file_name(self) -> str:
        """The jar's name in Maven's own form; no two jars of the lock share one."""
        return "-".join(part for part in (self.artifact, self.version, self.classifier) if part) + ".jar"

    @property
    def coordinates(self) -> str:
        """``group:artifact:version[:classifier]``, as in the lock."""
        return ":".join(part for part in (self.group, self.artifact, self.version, self.classifier) if part)


class JarSource(ABC):
    """Where jars come from."""

    @abstractmethod
    def fetch(self, jar: LockedJar, into: Path, *, fresh: bool) -> None:
        """Write a jar's bytes to a file.

        Args:
            jar: The jar that is wanted.
            into: File to write; its folder exists.
            fresh: Take no copy that lies on this machine already, since the last one was wrong.

        Raises:
            OSError: The network, the repository or the disk failed.
            RuntimeError: The repository does not have the jar.
        """


def read_lock() -> tuple[LockedJar, ...]:
    """The jars of the pinned server, in the order of the lock."""
    text = (files("graphrag_assets.graph") / f"neo4j-{VERSION}.lock").read_text(encoding="utf-8")
    return tuple(_parse_line(line) for line in text.splitlines() if line and not line.startswith("#"))


def _parse_line(line: str) -> LockedJar:
    coordinates, sha256, size = line.split()
    group, artifact, version, *classifier = coordinates.split(":")
    return LockedJar(group, artifact, version, "".join(classifier), sha256, int(size))


def server_cache(cache_folder: Path | None) -> Path:
    """The folder of this server version in the given cache folder, or in the user's own."""
    if cache_folder is None:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        cache_folder = Path(base) / "graphrag-assets"
    return cache_folder.resolve() / f"neo4j-{VERSION}"


def jars_present(lock: Iterable[LockedJar], lib: Path) -> bool:
    """Whether every jar is there with the right size; the hashes are `install_jars`' to check."""
    sizes = {entry.name: entry.stat().st_size for entry in os.scandir(lib)} if lib.is_dir() else {}
    return all(sizes.get(jar.file_name) == jar.size_bytes for jar in lock)


def install_jars(lock: tuple[LockedJar, ...], lib: Path, source: JarSource, on_progress: Progress | None = None) -> None:
    """Make the folder hold every jar of the lock, byte for byte; a jar that is right is not fetched again.

    Args:
        lock: The jars that are wanted.
        lib: Their folder, which exists.
        source: Where missing and wrong jars come from.
        on_progress: Called in this thread with the bytes that are in place and the bytes of the whole lock.

    Raises:
        GraphragError: ``neo4j-download-failed``, ``neo4j-jar-tampered``, ``disk-full`` or ``folder-not-writable``.
    """
    with disk_errors(lib), ThreadPoolExecutor(FETCH_THREADS) as threads:
        futures = {threads.submit(_ensure_jar, jar, lib, source): jar for jar in lock}
        try:
            _report(futures, on_progress)
        finally:
            # After the first failure nothing more is worth fetching.
            threads.shutdown(wait=False, cancel_futures=True)


def _report(futures: dict[Future[None], LockedJar], on_progress: Progress | None) -> None:
    total = sum(jar.size_bytes for jar in futures.values())
    done = 0
    for future in as_completed(futures):
        future.result()
        done += futures[future].size_bytes
        if on_progress:
            on_progress(done, total)


def _ensure_jar(jar: LockedJar, lib: Path, source: JarSource) -> None:
    target = lib / jar.file_name
    if _is_right(target, jar):
        return
    part = lib / f"{jar.file_name}.part"
    for fresh in (False, True):
        _fetch(jar, part, source, fresh=fresh)
        if _is_right(part, jar):
            part.replace(target)
            return
        part.unlink()
    raise GraphragError(
        "neo4j-jar-tampered",
        f"The jar {jar.coordinates} was fetched twice, and neither time its SHA-256 was {jar.sha256}.",
        "What answers for Maven's repository here, a mirror or a proxy, serves other bytes than the ones pinned.",
    )


def _fetch(jar: LockedJar, part: Path, source: JarSource, *, fresh: bool) -> None:
    try:
        source.fetch(jar, part, fresh=fresh)
    except RuntimeError as error:
        raise _download_failed(jar, error) from error
    except OSError as error:
        raise explain_disk_error(error, part.parent) or _download_failed(jar, error) from error


def _download_failed(jar: LockedJar, error: Exception) -> GraphragError:
    return GraphragError(
        "neo4j-download-failed",
        f"The jar {jar.coordinates} could not be fetched: {error}.",
        "Check the network, the proxy and the mirror in ~/.m2/settings.xml and run it again; what came is kept.",
    )


def _is_right(path: Path, jar: LockedJar) -> bool:
    if not path.is_file() or path.stat().st_size != jar.size_bytes:
        return False
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest() == jar.sha256
