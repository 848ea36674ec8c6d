"""A corpus resolved the plainest way: every value is the smallest one that a document gives. For tests of the graph alone."""

from collections.abc import Mapping, Sequence

from graphrag_assets.graph.document import DocumentContent
from graphrag_assets.model.corpus import Community, ResolvedCorpus, ResolvedFact, ResolvedThing
from graphrag_assets.model.ids import community_id, fact_id


def resolved(contents: Sequence[DocumentContent], canonical: Mapping[str, str] | None = None) -> ResolvedCorpus:
    """Things and facts over all documents, merged by ``canonical``."""
    merged = dict(canonical or {})
    names: dict[str, set[str]] = {}
    kinds: dict[str, str] = {}
    mentions: dict[str, set[tuple[str, int]]] = {}
    documents: dict[str, set[str]] = {}
    facts: dict[tuple[str, str, str], tuple[set[str], set[str]]] = {}
    for one in contents:
        for thing in one.extraction.things:
            key = merged.get(thing.thing_id, thing.thing_id)
            names.setdefault(key, set()).update({thing.name, *thing.aliases})
            kinds[key] = thing.kind
            documents.setdefault(key, set()).add(one.document.document_id)
        for mention in one.extraction.mentions:
            key = merged.get(mention.thing_id, mention.thing_id)
            mentions.setdefault(key, set()).add((mention.chunk_id, mention.span.start))
        for fact in one.extraction.facts:
            ends = (merged.get(fact.source_id, fact.source_id), fact.type, merged.get(fact.target_id, fact.target_id))
            if ends[0] != ends[2]:
                lists = facts.setdefault(ends, (set(), set()))
                lists[0].add(one.document.document_id)
                lists[1].update(fact.chunk_ids)
    things = [
        ResolvedThing(
            thing_id=key,
            kind=kinds[key],
            name=min(names[key]),
            aliases=tuple(sorted(names[key] - {min(names[key])})),
            description=f"{min(names[key])}, in {len(documents[key])} documents",
            is_placeholder=False,
            document_ids=tuple(sorted(documents[key])),
            chunk_ids=tuple(sorted({chunk for chunk, _ in mentions[key]})),
            mentions=len(mentions[key]),
            merged_ids=tuple(sorted(old for old, new in merged.items() if new == key)),
            rank=len(documents[key]) / 3,
        )
        for key in sorted(names)
    ]
    settled = [
        ResolvedFact(fact_id(s, t, o), t, s, o, tuple(sorted(docs)), tuple(sorted(chunks)), f"{t} in {len(docs)} documents")
        for (s, t, o), (docs, chunks) in sorted(facts.items())
    ]
    return ResolvedCorpus(tuple(things), tuple(sorted(settled, key=lambda f: f.fact_id)))


def community(level: int, members: Sequence[str], parent: str | None = None) -> Community:
    """A community of these things."""
    return Community(community_id(level, members), level, tuple(sorted(members)), parent)
