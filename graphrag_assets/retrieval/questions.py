"""Questions as people ask them: what is refused before any work, and the plain words a full-text index is asked for.

A full-text index parses what it is given as Lucene syntax, bound parameter or not. So nothing of a question is handed
over as written: each word goes in as a quoted term of its own, and a question without words asks the index nothing.
"""

import unicodedata
from dataclasses import dataclass
from typing import Final

from graphrag_assets.model.errors import UsageError
from graphrag_assets.model.limits import MAX_QUESTION_CHARACTERS, Limit
from graphrag_assets.retrieval.words import Word, words_of

# Lucene refuses more than 1,024 clauses; a question within its own bound may have more words than that.
MAX_FULL_TEXT_TERMS: Final = 256


@dataclass(frozen=True, slots=True)
class FullTextQuery:
    """A query of quoted terms, any of which may match; empty when the question has no words."""

    text: str
    limits: tuple[Limit, ...] = ()


def checked_question(question: str) -> str:
    """The question as it may be embedded and sent to a model: control characters and lone surrogates become spaces.

    Raises:
        UsageError: ``empty-question`` or ``question-too-long``, before any work.
    """
    if len(question) > MAX_QUESTION_CHARACTERS:
        raise UsageError(
            "question-too-long", f"the question has {len(question)} characters, at most {MAX_QUESTION_CHARACTERS} are read.", "Shorten it."
        )
    cleaned = "".join(" " if unicodedata.category(c) in {"Cc", "Cs"} else c for c in question).strip()
    if not any(not c.isspace() and unicodedata.category(c) != "Cf" for c in cleaned):
        raise UsageError("empty-question", "the question is empty.", "Ask something.")
    return cleaned


def full_text_query(question: str) -> FullTextQuery:
    """The question's words as quoted terms joined by OR; words without meaning of their own only when there is no other."""
    words = words_of(question)
    telling = [word for word in words if not word.is_stop] or list(words)
    terms = tuple(dict.fromkeys(term for word in telling for term in _terms(word)))
    kept = terms[:MAX_FULL_TEXT_TERMS]
    limits = (Limit("full-text-terms", MAX_FULL_TEXT_TERMS),) if len(terms) > len(kept) else ()
    return FullTextQuery(" ".join(phrase_query(term) for term in kept), limits)


def phrase_query(text: str) -> str:
    """``text`` as one quoted phrase, in which Lucene reads nothing but the two characters escaped here; empty without words."""
    if not any(c.isalnum() for c in text):
        return ""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _terms(word: Word) -> tuple[str, ...]:
    """A hyphenated word counts as a whole, which ranks an exact hit first, and by its parts."""
    parts = [part for part in word.folded.replace("_", "-").split("-") if part]
    return (word.folded, *parts) if len(parts) > 1 else (word.folded,)
