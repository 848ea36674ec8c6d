"""The file of reviewed decisions, ``merge_decisions.jsonl``: read as a whole, appended to by whole lines, never edited.

The caller holds the home's writer lock while it appends.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from graphrag_assets.model.decisions import MergeDecision
from graphrag_assets.model.errors import UsageError
from graphrag_assets.model.ids import canonical_json


def read_decisions(path: Path) -> tuple[MergeDecision, ...]:
    """All decisions of a file, in its order; none when the file does not exist.

    Raises:
        UsageError: ``merge-decisions-invalid``, naming the first line that is not a decision or contradicts an
            earlier line.
    """
    if not path.exists():
        return ()
    decisions: list[MergeDecision] = []
    for number, line in enumerate(path.read_bytes().split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"line {number} of {path.name}"
        decision = _parse(line, where)
        _check(decision, decisions, where)
        decisions.append(decision)
    return tuple(decisions)


def append_decision(path: Path, decision: MergeDecision) -> tuple[MergeDecision, ...]:
    """Append one decision and return all; it is on disk when this returns.

    Raises:
        UsageError: ``merge-decisions-invalid``: the decision cannot stand after those of the file, or a line of the
            file is bad. Nothing was written.
    """
    earlier = read_decisions(path)
    _check(decision, earlier, "the new decision")
    line = canonical_json(decision.model_dump(mode="json")) + b"\n"
    _append(path, line if _ends_with_newline(path) else b"\n" + line)
    return (*earlier, decision)


def _parse(line: bytes, where: str) -> MergeDecision:
    try:
        return MergeDecision.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "the line"
        raise UsageError(
            "merge-decisions-invalid",
            f"{where} is no decision: {field}: {first['msg']}.",
            "Mend or delete this line; a line without an end was never accepted.",
        ) from error


def _check(decision: MergeDecision, earlier: Sequence[MergeDecision], where: str) -> None:
    """Refuse a decision that says nothing or contradicts the file."""
    wrong = _what_is_missing(decision) or _what_contradicts(decision, earlier)
    if wrong:
        raise UsageError("merge-decisions-invalid", f"{where} ({decision.kind} {decision.id!r}) {wrong}.")


def _what_is_missing(decision: MergeDecision) -> str:
    things = len(set(decision.thing_ids))
    if not decision.id.strip():
        return "has an empty id"
    if decision.kind in ("accept", "reject") and (things < 2 or things < len(decision.thing_ids)):
        return "needs two or more different thing_ids"
    if decision.kind in ("alias", "split") and len(decision.thing_ids) != 1:
        return "needs exactly one of thing_ids"
    if decision.kind == "alias" and not (decision.name or "").strip():
        return "needs a name"
    if decision.kind == "split" and not decision.document_ids:
        return "needs document_ids: the documents whose thing becomes the part"
    return "needs undoes, the id of a decision" if decision.kind == "undo" and not decision.undoes else ""


def _what_contradicts(decision: MergeDecision, earlier: Sequence[MergeDecision]) -> str:
    by_id = {known.id: known for known in earlier}
    if decision.id in by_id:
        return "repeats the id of an earlier decision"
    if decision.kind != "undo":
        return ""
    undone = by_id.get(decision.undoes or "")
    if undone is None:
        return f"undoes {decision.undoes!r}, which no earlier line decides"
    if undone.kind == "undo":
        return f"undoes {decision.undoes!r}, itself an undo; decide anew instead"
    if any(known.undoes == decision.undoes for known in earlier):
        return f"undoes {decision.undoes!r}, which is undone already"
    return ""


def _ends_with_newline(path: Path) -> bool:
    """True also for a file that is empty or absent. An editor may have left a last line without its end."""
    return not path.exists() or path.stat().st_size == 0 or path.read_bytes().endswith(b"\n")


def _append(path: Path, content: bytes) -> None:
    """Write and sync; when the disk refuses part of it, take that part back, so that no torn line stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    is_new = not path.exists()
    with path.open("ab", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        try:
            if file.write(content) != len(content):
                raise OSError(f"{path.name}: the disk took only a part of the line")
            os.fsync(file.fileno())
        except OSError:
            file.truncate(size)
            raise
    if is_new:
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """A new file's name is on disk only once its folder is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
