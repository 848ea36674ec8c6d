"""What the local Neo4j server's modules need of the file system: private files, locks, and what is wrong with a disk."""

import errno
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from graphrag_assets.model.errors import GraphragError, UsageError

_FULL: Final = (errno.ENOSPC, errno.EDQUOT)
_FORBIDDEN: Final = (errno.EACCES, errno.EPERM, errno.EROFS)


def write_private(path: Path, text: str) -> None:
    """Replace a file by one that only its owner can read; a reader sees the old one or the new one, never half."""
    part = path.with_name(path.name + ".part")
    part.unlink(missing_ok=True)
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        stream.write(text)
    part.replace(path)


@contextmanager
def exclusive(path: Path, timeout_seconds: float) -> Generator[None]:
    """Hold a lock file, which ends with this process however it ends.

    Raises:
        GraphragError: ``neo4j-busy``.
    """
    lock = FileLock(path)
    try:
        lock.acquire(timeout=timeout_seconds)
    except Timeout as error:
        raise GraphragError(
            "neo4j-busy",
            f"Another process has held {str(path)!r} for {timeout_seconds:g} s.",
            "It is starting, stopping or installing the same server: wait for it, or end it.",
        ) from error
    try:
        yield
    finally:
        lock.release()


@contextmanager
def disk_errors(folder: Path) -> Generator[None]:
    """Tell a full disk and a forbidden folder from other failures.

    Raises:
        GraphragError: ``disk-full`` or ``folder-not-writable``.
    """
    try:
        yield
    except OSError as error:
        explained = explain_disk_error(error, folder)
        if explained is None:
            raise
        raise explained from error


def explain_disk_error(error: OSError, folder: Path) -> GraphragError | None:
    """The error for a disk without room or a folder without permission; None when it is neither."""
    if error.errno in _FULL:
        return disk_full(folder)
    if error.errno in _FORBIDDEN:
        return UsageError(
            "folder-not-writable", f"{str(folder)!r} cannot be written: {error}.", "Change its rights, or choose another folder."
        )
    return None


def disk_full(folder: Path) -> GraphragError:
    """The error for a disk, or a quota on it, that has no room left."""
    return GraphragError("disk-full", f"There is no room left on the disk of {str(folder)!r}.", "Make room there and run it again.")


def check_room(folder: Path, needed_bytes: int) -> None:
    """Refuse a disk with less room than that.

    Raises:
        GraphragError: ``disk-full``.
    """
    if shutil.disk_usage(folder).free < needed_bytes:
        raise disk_full(folder)
