"""Serving Dagster's own pages for a home: ``dagster dev`` in a child, with the environment it needs and an honest end."""

import signal
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

from graphrag_assets.defs.instance_config import StorageChoice
from graphrag_assets.defs.storage import prepare_home

MODULE: Final = "graphrag_assets.definitions"
HOST: Final = "127.0.0.1"
STOP_SECONDS: Final = 30


def serve_ui(home_folder: Path, port: int, storage: StorageChoice) -> int:
    """Serve the UI, the daemon and the code of a home until interrupted or terminated.

    Args:
        home_folder: The home; its storage is prepared.
        port: Of the pages, on the loopback interface.
        storage: Where Dagster keeps runs and events.

    Returns:
        Exit code of ``dagster dev``; 0 when it was interrupted.
    """
    prepare_home(home_folder, storage)
    _close_killed_runs()
    return run_until_interrupted(ui_command(port))


def _close_killed_runs() -> None:
    """A killed run would hold its place in the queue for ever, and no run of the UI would start."""
    import dagster as dg

    from graphrag_assets.defs.runs import fail_dead_runs

    with dg.DagsterInstance.get() as instance:
        fail_dead_runs(instance)


def run_until_interrupted(command: Sequence[str]) -> int:
    """Run a child until it ends, or until SIGINT or SIGTERM ends it; its exit code, or 0 when it was ended."""
    with _signals_as_interrupts():
        child = subprocess.Popen(command)
        try:
            return child.wait()
        except KeyboardInterrupt:
            return _end(child)


def ui_command(port: int) -> list[str]:
    """The command of the child; the module, not ``workspace.yaml``, since an installed package has no such file."""
    return [sys.executable, "-m", "dagster", "dev", "-m", MODULE, "-h", HOST, "-p", str(port)]


@contextmanager
def _signals_as_interrupts() -> Generator[None]:
    """Take SIGTERM as Ctrl-C, and Ctrl-C even where a shell started us in the background with it ignored.

    A child that starts with SIGINT ignored would not stop its own children.
    """
    before = {number: signal.signal(number, _interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise KeyboardInterrupt


def _end(child: "subprocess.Popen[bytes]") -> int:
    """End the child and wait for it; a second interrupt kills it."""
    child.terminate()
    try:
        child.wait(STOP_SECONDS)
    except (KeyboardInterrupt, subprocess.TimeoutExpired):
        child.kill()
        child.wait()
        return 1
    return 0
