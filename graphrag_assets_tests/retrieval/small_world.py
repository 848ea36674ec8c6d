"""A small invented company as facts: who owns, leads and rests on what. Each fact is stated by the chunk of its source."""

import re
from typing import Final

from graphrag_assets.retrieval.linking import NamedThing
from graphrag_assets.retrieval.paths import PathThing, StatedFact

PHRASES: Final = {
    "DEPENDS_ON": "depends on",
    "OWNED_BY": "is owned by",
    "LED_BY": "is led by",
    "REPORTS_TO": "reports to",
    "HOSTED_ON": "is hosted on",
    "LOCATED_IN": "is located in",
    "AFFECTED": "affected",
}
CUES: Final = {"OWNED_BY": ("own", "look after"), "LED_BY": ("lead", "head"), "LOCATED_IN": ("be based in",), "Vendor": ("company",)}

KINDS: Final = {
    **dict.fromkeys(("Basil", "Thyme", "Anise", "Sumac", "Clove"), "System"),
    **dict.fromkeys(("Meadow team", "Hedge team", "Kiln team"), "Team"),
    **dict.fromkeys(("Tom Okeke", "Lia Fonda", "Per Holt", "Mo Grand"), "Person"),
    **dict.fromkeys(("Greystone", "Hollowell"), "Vendor"),
    **dict.fromkeys(("Varna", "Tromso"), "Place"),
    "OUT-17": "Incident",
}
FACTS: Final = """\
Basil DEPENDS_ON Thyme
Basil DEPENDS_ON Anise
Clove DEPENDS_ON Basil
Thyme DEPENDS_ON Sumac
Basil HOSTED_ON Greystone
Sumac HOSTED_ON Hollowell
Thyme OWNED_BY Meadow team
Anise OWNED_BY Hedge team
Sumac OWNED_BY Kiln team
Meadow team LED_BY Tom Okeke
Hedge team LED_BY Lia Fonda
Kiln team LED_BY Per Holt
Tom Okeke REPORTS_TO Mo Grand
Lia Fonda REPORTS_TO Mo Grand
Greystone LOCATED_IN Varna
Hollowell LOCATED_IN Tromso
OUT-17 AFFECTED Thyme
""".splitlines()


def thing(name: str) -> PathThing:
    """An end of a fact."""
    return PathThing(f"id of {name}", KINDS[name], name)


def fact(line: str) -> StatedFact:
    """A fact of one of the lines, whose id is the line."""
    found = re.fullmatch(r"(.+) ([A-Z]+_?[A-Z]+) (.+)", line)
    assert found is not None
    return StatedFact(line, found[2], thing(found[1]), thing(found[3]), (f"chunk of {found[1]}",), 1)


WORLD: Final = tuple(fact(line) for line in FACTS)
NAMED_THINGS: Final = tuple(NamedThing(f"id of {name}", kind, name) for name, kind in KINDS.items())
