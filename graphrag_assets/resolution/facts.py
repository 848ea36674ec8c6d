"""Facts over all documents: one per source, type and target, with every document and chunk that states it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from graphrag_assets.model.corpus import ResolvedFact
from graphrag_assets.model.extraction import Extraction, Fact
from graphrag_assets.model.ids import fact_id
from graphrag_assets.resolution.elections import cut_description, elect_by_documents

Phrase = Callable[[str, str, str], str]
"""Reads a fact as a sentence: name of the source, type, name of the target."""


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact as one document states it, between canonical ids."""

    source_id: str
    target_id: str
    document_id: str
    fact: Fact

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes two statements one fact."""
        return (self.source_id, self.fact.type, self.target_id)

    @property
    def is_self_fact(self) -> bool:
        """Whether both ends are one thing, as they are when its two ends were merged."""
        return self.source_id == self.target_id


def stated_facts(extraction: Extraction, canonical: Mapping[str, str]) -> tuple[StatedFact, ...]:
    """The facts of one document between canonical ids; an end that is the document keeps the document's id."""
    return tuple(
        StatedFact(
            source_id=fact.source_id if fact.source_is_document else canonical.get(fact.source_id, fact.source_id),
            target_id=fact.target_id if fact.target_is_document else canonical.get(fact.target_id, fact.target_id),
            document_id=extraction.document_id,
            fact=fact,
        )
        for fact in extraction.facts
    )


def resolve_fact(stated: Sequence[StatedFact], phrase: Phrase, names: Mapping[str, str]) -> tuple[ResolvedFact, bool]:
    """One fact from all documents that state it, and whether its description was cut.

    The weight is the greatest that a document gives, not the sum: how many documents state it is already in
    ``document_ids``, and a sum would count a document that repeats itself as further evidence.

    Args:
        stated: At least one, all of one key, in any order.
        phrase: Reads the fact as a sentence.
        names: Names of things and titles of documents by id; both ends are in it.
    """
    source, fact_type, target = stated[0].key
    description = elect_by_documents((s.fact.description, s.document_id) for s in stated)
    cut, was_cut = (None, False) if description is None else cut_description(description)
    resolved = ResolvedFact(
        fact_id=fact_id(source, fact_type, target),
        type=fact_type,
        source_id=source,
        target_id=target,
        document_ids=tuple(sorted({s.document_id for s in stated})),
        chunk_ids=tuple(sorted({chunk for s in stated for chunk in s.fact.chunk_ids})),
        sentence=phrase(names[source], fact_type, names[target]),
        role=elect_by_documents((s.fact.role, s.document_id) for s in stated),
        kind=elect_by_documents((s.fact.kind, s.document_id) for s in stated),
        description=cut,
        weight=max(s.fact.weight for s in stated),
        source_is_document=stated[0].fact.source_is_document,
        target_is_document=stated[0].fact.target_is_document,
    )
    return resolved, was_cut
