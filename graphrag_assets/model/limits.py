"""Named limits. A limit that was reached is always said, with its name and number."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, order=True)
class Limit:
    """A bound that cut or stopped something.

    Args:
        name: Stable kebab-case name, as in ``docs/limits.md``.
        value: The bound in force.
    """

    name: str
    value: int


MAX_QUESTION_CHARACTERS: Final = 2_000
MAX_ELISIONS: Final = 2
MAX_METADATA_ROWS: Final = 5
EMBEDDING_DIMENSIONS: Final = (1, 4_096)
QUARANTINED_TEXT_CHARACTERS: Final = 4_000
