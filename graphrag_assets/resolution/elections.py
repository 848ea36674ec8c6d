"""How one value is chosen where documents differ: by weight, then by documents, then by the value itself.

No rule here looks at which document came first, so that the same documents give the same value in any order.
"""

from collections.abc import Iterable
from typing import Final

DESCRIPTION_CHARACTERS: Final = 500


def elect(votes: Iterable[tuple[str, str, int]]) -> str | None:
    """The value with the greatest weight; ties go to more documents, then to the value that sorts first.

    Args:
        votes: Value, document id and weight; blank values count as no vote.
    """
    weights: dict[str, int] = {}
    documents: dict[str, set[str]] = {}
    for value, document_id, weight in votes:
        if value.strip():
            weights[value] = weights.get(value, 0) + weight
            documents.setdefault(value, set()).add(document_id)
    return min(weights, key=lambda value: (-weights[value], -len(documents[value]), value), default=None)


def elect_by_documents(votes: Iterable[tuple[str | None, str]]) -> str | None:
    """The value that most documents state, each document counted once a value; ties go to the value that sorts first."""
    stated = {(value, document_id) for value, document_id in votes if value is not None}
    return elect((value, document_id, 1) for value, document_id in stated)


def cut_description(text: str) -> tuple[str, bool]:
    """A description within its bound of 500 characters, and whether it was cut."""
    stripped = text.strip()
    return stripped[:DESCRIPTION_CHARACTERS].rstrip(), len(stripped) > DESCRIPTION_CHARACTERS
