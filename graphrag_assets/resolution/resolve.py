"""Resolution: what all documents say together, as things and facts. A pure function of all extractions and decisions.

Exact matching only: things are one when kind and compared name are equal or a person decided so. Nothing is merged by
likeness. The order in which documents come, or came into the project, changes nothing.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from graphrag_assets.model.corpus import ResolvedCorpus, ResolvedFact, ResolvedThing
from graphrag_assets.model.decisions import MergeDecision
from graphrag_assets.model.extraction import Extraction
from graphrag_assets.model.limits import Limit
from graphrag_assets.resolution.canonical import index_decisions
from graphrag_assets.resolution.elections import DESCRIPTION_CHARACTERS
from graphrag_assets.resolution.facts import Phrase, StatedFact, resolve_fact, stated_facts
from graphrag_assets.resolution.things import StatedThing, resolve_thing, stated_things


def resolve(
    extractions: Sequence[Extraction],
    decisions: tuple[MergeDecision, ...],
    *,
    phrases: Phrase,
    documents: Mapping[str, str],
    missing_documents: Iterable[str] = (),
) -> ResolvedCorpus:
    """All things and facts of a corpus, sorted by id.

    Args:
        extractions: One a document, in any order.
        decisions: Reviewed decisions; one that names only things which no document states has no effect.
        phrases: Reads a fact as a sentence: name of the source, type, name of the target.
        documents: Document id to title, for facts that have the document as an end; one without a title reads as its id.
        missing_documents: Ids of documents that have no extraction now; passed on, so that the corpus says so.

    Raises:
        ValueError: Two extractions of one document, or a fact with an end that nothing states: the artifacts
            contradict each other.
    """
    ordered = _one_a_document(extractions)
    index = index_decisions(decisions)
    by_thing: dict[str, list[StatedThing]] = defaultdict(list)
    for extraction in ordered:
        for stated in stated_things(extraction, index):
            by_thing[stated.canonical_id].append(stated)
    resolved = [resolve_thing(stated, index.aliases.get(thing_id, ())) for thing_id, stated in sorted(by_thing.items())]
    things = tuple(thing for thing, _ in resolved)
    all_facts = [fact for extraction in ordered for fact in stated_facts(extraction, index.canonical_ids(extraction))]
    facts, fact_was_cut = _resolve_facts(all_facts, things, phrases=phrases, documents=documents)
    return ResolvedCorpus(
        things=things,
        facts=facts,
        self_facts_dropped=len({stated.fact.fact_id for stated in all_facts if stated.is_self_fact}),
        missing_documents=tuple(sorted(set(missing_documents))),
        limits=_limits(any(was_cut for _, was_cut in resolved), fact_was_cut),
    )


def canonical_for(extraction: Extraction, decisions: tuple[MergeDecision, ...]) -> dict[str, str]:
    """Thing id to canonical id for those of one document's things whose id a decision changes, sorted.

    Empty when no decision is about its things. `resolve` uses exactly these ids.
    """
    return index_decisions(decisions).canonical_ids(extraction)


def _one_a_document(extractions: Sequence[Extraction]) -> list[Extraction]:
    ordered = sorted(extractions, key=lambda extraction: extraction.document_id)
    for before, after in pairwise(ordered):
        if before.document_id == after.document_id:
            raise ValueError(f"two extractions of the document {after.document_id!r}; a document has one")
    return ordered


def _resolve_facts(
    stated: Sequence[StatedFact], things: Iterable[ResolvedThing], *, phrases: Phrase, documents: Mapping[str, str]
) -> tuple[tuple[ResolvedFact, ...], bool]:
    titles = {fact.document_id: documents.get(fact.document_id, fact.document_id) for fact in stated}
    names = {**titles, **{thing.thing_id: thing.name for thing in things}}
    by_key: dict[tuple[str, str, str], list[StatedFact]] = defaultdict(list)
    for fact in stated:
        for end in (fact.source_id, fact.target_id):
            if end not in names:
                raise ValueError(f"the fact {fact.fact.fact_id!r} of the document {fact.document_id!r} has an unknown end {end!r}")
        if not fact.is_self_fact:
            by_key[fact.key].append(fact)
    resolved = [resolve_fact(statements, phrases, names) for statements in by_key.values()]
    return tuple(sorted((fact for fact, _ in resolved), key=lambda fact: fact.fact_id)), any(was_cut for _, was_cut in resolved)


def _limits(thing_was_cut: bool, fact_was_cut: bool) -> tuple[Limit, ...]:
    reached = {"fact-description-characters": fact_was_cut, "thing-description-characters": thing_was_cut}
    return tuple(Limit(name, DESCRIPTION_CHARACTERS) for name, was_cut in reached.items() if was_cut)
