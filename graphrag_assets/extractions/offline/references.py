"""What a pronoun or "the team" stands for: what the page is about if that fits, else the last fitting subject.

Never the other end of its own statement: "Ann and Bo report to her" speaks of a third person.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from graphrag_assets.extractions.offline.masking import MaskedBlock
from graphrag_assets.extractions.offline.names import Names
from graphrag_assets.extractions.ontology import Ontology

if TYPE_CHECKING:
    from spacy.tokens import Token

_PERSONAL: Final = frozenset({"he", "she", "him", "her", "his", "hers"})
_NEUTRAL: Final = frozenset({"it", "its", "this", "that"})
_PLURAL: Final = frozenset({"they", "them", "their"})
_SUBJECTS: Final = ("nsubj", "nsubjpass", "ROOT")


@dataclass(frozen=True, slots=True)
class References:
    """Names of things by token, pronouns resolved.

    Args:
        same: Alias or short name to the name it stands for.
        person_kinds: Classes of people.
    """

    blocks: Sequence[MaskedBlock]
    names: Names
    same: dict[str, str]
    person_kinds: frozenset[str]
    ontology: Ontology
    topic: str | None = None

    def ends_of(self, block: MaskedBlock, agent: "Token", patient: "Token") -> tuple[str | None, str | None]:
        """Names of both ends of a statement."""
        source = self._named(block, agent)
        target = self._named(block, patient)
        return (
            source or self._antecedent(block, agent, self._fitting(agent), other=target),
            target or self._antecedent(block, patient, self._fitting(patient), other=source),
        )

    def _named(self, block: MaskedBlock, token: "Token") -> str | None:
        span = block.name_at(token)
        if span is not None:
            return self.same.get(span.name, span.name)
        inner = next((child for child in token.children if child.dep_ in ("compound", "appos") and block.name_at(child)), None)
        if inner is not None and inner.dep_ == "compound":
            named = block.name_at(inner)
            return self.same.get(named.name, named.name) if named else None
        return None

    def _fitting(self, token: "Token") -> frozenset[str]:
        """Classes that a pronoun or a definite class word may stand for; empty when it is neither."""
        word = token.lower_
        kinds = frozenset(c.name for c in self.ontology.classes)
        if word in _PERSONAL:
            return self.person_kinds
        if word in _NEUTRAL or word in _PLURAL:
            return kinds - self.person_kinds
        definite = any(child.dep_ == "det" and child.lower_ in ("the", "this", "that") for child in token.children)
        return frozenset(c.name for c in self.ontology.classes if definite and token.lemma_.lower() in c.cues)

    def _antecedent(self, block: MaskedBlock, token: "Token", kinds: frozenset[str], *, other: str | None) -> str | None:
        if not kinds:
            return None
        if self.topic is not None and self.topic != other and self.names.kind(self.topic) in kinds:
            return self.topic
        for earlier in reversed(self.blocks[: block.number + 1]):
            places = sorted(earlier.places.items(), reverse=True)
            before = [(idx, span) for idx, span in places if earlier.number < block.number or idx < token.idx]
            for wanted in (True, False):
                for idx, span in before:
                    name = self.same.get(span.name, span.name)
                    if name != other and self.names.kind(name) in kinds and (self._is_subject(earlier, idx) or not wanted):
                        return name
        return None

    def _is_subject(self, block: MaskedBlock, offset: int) -> bool:
        found = block.doc.char_span(offset, offset + 1, alignment_mode="expand")
        return found is not None and (block.is_heading or found.root.dep_ in _SUBJECTS)


def phrase_at(block: MaskedBlock, token: "Token") -> str:
    """A pronoun (or "the team") with up to two words behind it, as they stand in the text; names are masked and left out."""
    start = token.left_edge.i if token.pos_ == "NOUN" else token.i
    named = (word.i for word in token.doc[token.i : token.i + 3] if block.name_at(word) is not None)
    return token.doc[start : next(named, token.i + 3)].text.strip()
