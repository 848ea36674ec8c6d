"""Glob patterns of folder sources: ``*`` and ``?`` stay within a folder, ``**`` crosses folders."""

import re
import unicodedata
from collections.abc import Iterable


def compile_globs(patterns: Iterable[str]) -> re.Pattern[str]:
    """One expression for all patterns; matched against a whole path below the source's folder, in NFC.

    ``**/`` stands for any number of folders (none too), a closing ``**`` for everything below. A pattern without
    ``/`` therefore names files at the top of the folder; write ``**/*.md`` for every depth. Case matters.
    """
    return re.compile("|".join(f"(?:{_translate(unicodedata.normalize('NFC', pattern))})" for pattern in patterns) or r"(?!)", re.DOTALL)


def _translate(pattern: str) -> str:
    parts: list[str] = []
    position = 0
    while position < len(pattern):
        piece, position = _translate_next(pattern, position)
        parts.append(piece)
    return "".join(parts)


def _translate_next(pattern: str, position: int) -> tuple[str, int]:
    if pattern.startswith("**/", position) and (position == 0 or pattern[position - 1] == "/"):
        return r"(?:[^/]+/)*", position + 3
    if pattern.startswith("**", position):
        return r".*", position + 2
    character = pattern[position]
    if character == "*":
        return r"[^/]*", position + 1
    if character == "?":
        return r"[^/]", position + 1
    if character == "[":
        return _translate_set(pattern, position)
    return re.escape(character), position + 1


def _translate_set(pattern: str, position: int) -> tuple[str, int]:
    """A set such as ``[a-z]`` or ``[!ab]``; an opening bracket that is never closed stands for itself."""
    close = pattern.find("]", position + 2)
    if close < 0:
        return re.escape("["), position + 1
    members = pattern[position + 1 : close].replace("\\", r"\\").replace("[", r"\[")
    negated = members.startswith(("!", "^"))
    return (f"(?!/)[^{members[1:]}]" if negated else f"[{members}]"), close + 1
