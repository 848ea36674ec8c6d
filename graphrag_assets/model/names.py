"""How names of things are compared: NFKC, case-folded, whitespace collapsed. Spans and quotes stay on raw bytes."""

import unicodedata


def compared_name(name: str) -> str:
    """The form of a name that decides identity; shown names keep their own spelling."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(folded.split())


def clean_name(name: str) -> str:
    """A name as it may be stored: control and format characters (U+FEFF too) out, whitespace collapsed, ends trimmed."""
    kept = "".join(" " if c.isspace() else c for c in name if c.isspace() or unicodedata.category(c)[0] != "C")
    return " ".join(kept.split())
