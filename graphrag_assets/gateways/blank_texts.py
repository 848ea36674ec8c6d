"""What counts as a blank text. No blank text is ever embedded: providers refuse the whole batch for one of them."""

import unicodedata
from collections.abc import Sequence


def is_blank(text: str) -> bool:
    """Whether a text shows nothing: whitespace, control and invisible format characters only, or no character at all."""
    return all(character.isspace() or unicodedata.category(character) in ("Cc", "Cf") for character in text)


def refuse_blank_texts(texts: Sequence[str]) -> None:
    """Guard of every embedder.

    Raises:
        ValueError: A text is blank; the caller must leave blank texts out, since no vector can stand for one.
    """
    for position, text in enumerate(texts):
        if is_blank(text):
            raise ValueError(f"text {position} of {len(texts)} is blank; leave blank texts out before embedding")
