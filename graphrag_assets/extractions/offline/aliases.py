"""Second names that a passage itself gives: "the Quay, also called the Dock", "Purchase Router (PR)"."""

import re
from collections.abc import Sequence
from typing import Final

from graphrag_assets.extractions.offline.names import CERTAIN_VOTES, Names, NameSpan
from graphrag_assets.extractions.offline.passages import Block
from graphrag_assets.extractions.ontology import Ontology

_CALLED: Final = r"(?:called|known as|known to [\w' -]{1,40} as|referred to as|nicknamed|abbreviated(?: to| as)?|written|shortened to)"
# What may stand between a name and its alias.
_OFTEN: Final = r"(?:also |better |still |often |usually |sometimes |internally )*"
_SAYS: Final = r"(?:calls?|knows? as|nicknames?|refers? to as)"
_BETWEEN: Final = (
    re.compile(rf"^,? ?(?:\(|which is |who is |is |are )?{_OFTEN}{_CALLED} (?:the |just |simply )?$"),
    re.compile(rf"^,? (?:which|whom|that) [\w' -]{{2,50}} {_SAYS} (?:the |just )?$"),
    re.compile(r"^,? is (?:the |our )[\w' -]{1,50} name for (?:the )?$"),
    re.compile(r"^,? is short for (?:the )?$"),
)
_BRACKET: Final = re.compile(r"^ \((?:the )?$")
_REVERSED: Final = (2, 3)


def stated_aliases(blocks: Sequence[Block], names: Names) -> dict[str, str]:
    """Alias to the name it stands for."""
    found: dict[str, str] = {}
    for first, second in zip(names.spans, names.spans[1:], strict=False):
        if first.block == second.block and first.name != second.name:
            pair = _pair(blocks[first.block].text, first, second)
            if pair is not None and pair[1] not in found:
                found.setdefault(*pair)
    return found


def _pair(text: str, first: NameSpan, second: NameSpan) -> tuple[str, str] | None:
    """Alias and name, when the words between two names say so."""
    between, after = text[first.end : second.start], text[second.end : second.end + 1]
    for position, pattern in enumerate(_BETWEEN):
        if pattern.match(between):
            return (first.name, second.name) if position in _REVERSED else (second.name, first.name)
    if _BRACKET.match(between) and after == ")" and _is_short_for(second.name, first.name):
        return second.name, first.name
    return None


def _is_short_for(short: str, long: str) -> bool:
    """Whether a bracketed word is made of the first letters of the words before it."""
    letters = [word[0].upper() for word in re.findall(r"\w+", long)]
    return len(letters) > 1 and [c for c in short.upper() if c.isalpha()][: len(letters)] == letters


def same_numbers(names: Names, ontology: Ontology) -> dict[str, str]:
    """Names of one class that is known by its form, with one number in them: "INC-12" is "Incident 12"."""
    formed = [c.name for c in ontology.classes if c.pattern]
    by_number: dict[tuple[str, str], str] = {}
    found: dict[str, str] = {}
    for span in names.spans:
        kind, digits = names.kind(span.name), re.sub(r"\D", "", span.name)
        if kind in formed and digits:
            first = by_number.setdefault((kind, digits), span.name)
            if first != span.name:
                found[span.name] = first
    return found


def person_short_names(names: Names, person_kinds: frozenset[str]) -> dict[str, str]:
    """First or last name alone to the one full name of the passage that it is part of."""
    full = sorted({s.name for s in names.spans if " " in s.name and names.kind(s.name) in person_kinds})
    found: dict[str, str] = {}
    for short in sorted({s.name for s in names.spans if " " not in s.name}):
        owners = [name for name in full if short in (name.split()[0], name.split()[-1])]
        strength = max(names.votes[short].values(), default=0)
        if len(owners) == 1 and (strength < CERTAIN_VOTES or names.kind(short) in person_kinds):
            found[short] = owners[0]
    return found
