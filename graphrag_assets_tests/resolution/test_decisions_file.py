"""The file of decisions is only ever appended to, by whole lines that make sense after the lines before them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from graphrag_assets.model.decisions import MergeDecision
from graphrag_assets.model.errors import UsageError
from graphrag_assets.resolution.decisions_file import append_decision, read_decisions
from graphrag_assets_tests.resolution.documents import decision

MERGE = decision("m1", "accept", "a", "b", note="“same” team – see page 2")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "merge_decisions.jsonl"


def test_a_missing_file_holds_no_decisions(path: Path) -> None:
    assert read_decisions(path) == ()
    assert not path.exists()


def test_what_is_appended_is_read_back_in_order(path: Path) -> None:
    split = decision("s1", "split", "a", name="north", document_ids=["d"])
    undo = decision("u1", "undo", undoes="m1")
    for number, appended in enumerate((MERGE, split, undo), start=1):
        assert len(append_decision(path, appended)) == number
    assert read_decisions(path) == (MERGE, split, undo)


def test_appending_leaves_earlier_bytes_as_they_were(path: Path) -> None:
    append_decision(path, MERGE)
    before = path.read_bytes()
    append_decision(path, decision("m2", "accept", "c", "d"))
    assert path.read_bytes().startswith(before)
    assert path.read_bytes().count(b"\n") == 2


def test_a_last_line_without_its_end_is_not_glued_to_the_next(path: Path) -> None:
    append_decision(path, MERGE)
    path.write_bytes(path.read_bytes().removesuffix(b"\n"))
    append_decision(path, decision("m2", "accept", "c", "d"))
    assert [d.id for d in read_decisions(path)] == ["m1", "m2"]


def test_blank_lines_say_nothing_but_count(path: Path) -> None:
    append_decision(path, MERGE)
    path.write_bytes(path.read_bytes() + b"\n  \nnot json\n")
    with pytest.raises(UsageError, match=r"line 4 of merge_decisions\.jsonl"):
        read_decisions(path)


BAD_LINES = {
    "no json": b"not json",
    "torn": b'{"id":"m2","kind":"acc',
    "not utf-8": b'{"id":"\xff"}',
    "a list": b"[]",
    "unknown kind": b'{"id":"m2","time":"t","who":"w","kind":"merge"}',
    "unknown field": b'{"id":"m2","time":"t","who":"w","kind":"accept","thing_ids":["a","b"],"sure":true}',
    "no id": b'{"time":"t","who":"w","kind":"accept","thing_ids":["a","b"]}',
}


@pytest.mark.parametrize("line", BAD_LINES.values(), ids=BAD_LINES.keys())
def test_a_bad_line_is_named_and_nothing_is_appended_after_it(path: Path, line: bytes) -> None:
    append_decision(path, MERGE)
    path.write_bytes(path.read_bytes() + line + b"\n")
    before = path.read_bytes()
    with pytest.raises(UsageError, match="line 2") as error:
        append_decision(path, decision("m3", "accept", "c", "d"))
    assert error.value.code == "merge-decisions-invalid"
    assert error.value.remedy
    assert path.read_bytes() == before


EMPTY_DECISIONS = {
    "empty id": (decision(" ", "accept", "a", "b"), "empty id"),
    "merge of one": (decision("x", "accept", "a"), "two or more"),
    "merge with itself": (decision("x", "accept", "a", "a"), "two or more different"),
    "merge that names one twice": (decision("x", "accept", "a", "b", "b"), "two or more different"),
    "rejection of one": (decision("x", "reject", "a"), "two or more"),
    "alias without name": (decision("x", "alias", "a", name=" "), "needs a name"),
    "alias of two": (decision("x", "alias", "a", "b", name="n"), "exactly one"),
    "split without documents": (decision("x", "split", "a"), "document_ids"),
    "split of two": (decision("x", "split", "a", "b", document_ids=["d"]), "exactly one"),
    "undo of nothing": (decision("x", "undo"), "needs undoes"),
    "undo of an unknown": (decision("x", "undo", undoes="m9"), "'m9', which no earlier line decides"),
    "undo of an undo": (decision("x", "undo", undoes="u1"), "itself an undo"),
    "second undo": (decision("x", "undo", undoes="m1"), "undone already"),
    "repeated id": (decision("m1", "accept", "c", "d"), "repeats the id"),
}


@pytest.mark.parametrize(("empty", "why"), EMPTY_DECISIONS.values(), ids=EMPTY_DECISIONS.keys())
def test_a_decision_that_says_nothing_or_contradicts_the_file_is_refused(path: Path, empty: MergeDecision, why: str) -> None:
    append_decision(path, MERGE)
    append_decision(path, decision("u1", "undo", undoes="m1"))
    before = path.read_bytes()
    with pytest.raises(UsageError, match=re.escape(why)):
        append_decision(path, empty)
    assert path.read_bytes() == before


def test_a_decision_that_could_not_have_been_appended_is_not_read_either(path: Path) -> None:
    append_decision(path, MERGE)
    path.write_bytes(path.read_bytes() * 2)
    with pytest.raises(UsageError, match=r"line 2 .* repeats the id"):
        read_decisions(path)


FULL_DISK = """
import resource, sys
from pathlib import Path
from graphrag_assets.resolution.decisions_file import append_decision
from graphrag_assets_tests.resolution.documents import decision

path = Path(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 10, resource.RLIM_INFINITY))
try:
    append_decision(path, decision("m2", "accept", "c", "d"))
except OSError as error:
    print(type(error).__name__)
"""


def test_a_disk_that_takes_only_a_part_of_a_line_keeps_none_of_it(path: Path) -> None:
    append_decision(path, MERGE)
    before = path.read_bytes()
    ran = subprocess.run([sys.executable, "-c", FULL_DISK, str(path)], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout.strip() == "OSError"
    assert path.read_bytes() == before
