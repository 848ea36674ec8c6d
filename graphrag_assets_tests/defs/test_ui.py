"""Serving the UI: a child that ends when we are asked to end, however we were started."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from graphrag_assets.defs.ui import MODULE, ui_command

PARENT = """
import sys
from graphrag_assets.defs.ui import run_until_interrupted
sys.exit(run_until_interrupted([sys.executable, "-c", sys.argv[1]]))
"""
CHILD = "import os, sys, time; print(os.getpid(), flush=True); time.sleep(600)"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["interrupt", "terminate"])
@pytest.mark.parametrize("ignored", [False, True], ids=["in front", "in the background"])
def test_a_signal_ends_the_child_and_its_parent(number: signal.Signals, ignored: bool) -> None:
    ignore = (lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)) if ignored else None
    parent = subprocess.Popen([sys.executable, "-c", PARENT, CHILD], stdout=subprocess.PIPE, text=True, preexec_fn=ignore)
    child = psutil.Process(int(parent.stdout.readline()))
    parent.send_signal(number)
    parent.communicate(timeout=20)
    assert parent.returncode == 0
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE


def test_the_exit_code_of_a_child_that_ends_by_itself_is_told() -> None:
    ended = subprocess.run([sys.executable, "-c", PARENT, "import sys; sys.exit(7)"], check=False, env=dict(os.environ))
    assert ended.returncode == 7


def test_the_ui_listens_on_the_loopback_interface_and_loads_the_one_entry_point() -> None:
    assert ui_command(3_111) == [sys.executable, "-m", "dagster", "dev", "-m", MODULE, "-h", "127.0.0.1", "-p", "3111"]
    workspace = (Path(__file__).parents[2] / "workspace.yaml").read_text(encoding="utf-8")
    assert f"python_module: {MODULE}" in workspace
