"""Putting the chunks of a document together: one thing a class and compared name, facts with all chunks that state them.

Within one document, a thing listed under a name that another thing of the same class states as its alias is that thing.
Not so when two things claim the name, or when the passage that states the alias lists a thing of its own under it: who wrote
both down in one place meant two. Placeholders ("the team") never merge: their ids come from their place.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from graphrag_assets.extractions.kept_items import KeptFact, KeptItems, KeptThing
from graphrag_assets.model.documents import LoadedDocument
from graphrag_assets.model.extraction import Fact, Mention, Pruned, SpokenQuote, Thing
from graphrag_assets.model.ids import fact_id, mention_key, placeholder_id, quote_key, thing_id
from graphrag_assets.model.names import compared_name
from graphrag_assets.model.plans import Chunk

_Key = tuple[str, str]
Kept = Sequence[tuple[Chunk, KeptItems]]


@dataclass(frozen=True, slots=True)
class Merged:
    """All that a document states, sorted by id."""

    things: tuple[Thing, ...]
    facts: tuple[Fact, ...]
    mentions: tuple[Mention, ...]
    quotes: tuple[SpokenQuote, ...]
    pruned: tuple[Pruned, ...]


def merge_chunks(document: LoadedDocument, kept: Kept) -> Merged:
    """One document's things, facts, mentions and quotes over all of its chunks."""
    aliases = _alias_owners(kept)
    ids = [[_thing_id(thing, chunk, aliases) for thing in items.things] for chunk, items in kept]
    pruned: list[Pruned] = []
    return Merged(
        things=_things(kept, ids),
        facts=_facts(document, kept, ids, pruned),
        mentions=_mentions(kept, ids),
        quotes=_quotes(kept, ids),
        pruned=tuple(pruned),
    )


def _alias_owners(kept: Kept) -> dict[_Key, str]:
    """Class and compared alias to the compared name of the one thing that states it."""
    owners: dict[_Key, set[str]] = defaultdict(set)
    for _, items in kept:
        listed = {(thing.kind, compared_name(thing.name)) for thing in items.things}
        for thing in items.things:
            stated = {(thing.kind, compared_name(alias)) for alias in thing.aliases if not thing.is_placeholder}
            for key in stated - listed:
                owners[key].add(compared_name(thing.name))
    sole = {key: next(iter(names)) for key, names in owners.items() if len(names) == 1}
    # Two things that state each other as aliases would chase each other: the smaller name by order keeps both.
    return {(kind, alias): name for (kind, alias), name in sole.items() if not ((kind, name) in sole and name > alias)}


def _thing_id(thing: KeptThing, chunk: Chunk, aliases: dict[_Key, str]) -> str:
    if thing.is_placeholder:
        first = thing.spans[0].shifted(chunk.span.start)
        return placeholder_id(thing.kind, chunk.chunk_id, first.start, first.end)
    name = compared_name(thing.name)
    seen = {name}
    while (thing.kind, name) in aliases and aliases[thing.kind, name] not in seen:
        name = aliases[thing.kind, name]
        seen.add(name)
    return thing_id(thing.kind, name)


def _things(kept: Kept, ids: list[list[str]]) -> tuple[Thing, ...]:
    """Each thing under its most frequent spelling of the name that gives its id; other spellings are aliases."""
    listed: dict[str, list[KeptThing]] = defaultdict(list)
    for (_, items), chunk_ids in zip(kept, ids, strict=True):
        for thing, key in zip(items.things, chunk_ids, strict=True):
            listed[key].append(thing)
    return tuple(_thing(key, listed[key]) for key in sorted(listed))


def _thing(key: str, listed: list[KeptThing]) -> Thing:
    own = [thing for thing in listed if thing.is_placeholder or thing_id(thing.kind, compared_name(thing.name)) == key] or listed
    spellings = Counter(thing.name for thing in own)
    name = min(spellings, key=lambda spelling: (-spellings[spelling], spelling))
    others = {compared_name(a): a for t in listed for a in sorted((t.name, *t.aliases)) if compared_name(a) != compared_name(name)}
    description = next((thing.description for thing in listed if thing.description), None)
    return Thing(key, listed[0].kind, name, tuple(sorted(others.values())), description, listed[0].is_placeholder)


def _mentions(kept: Kept, ids: list[list[str]]) -> tuple[Mention, ...]:
    """Mentions by key. A span in the overlap of two chunks is a mention of both, each citing its own chunk."""
    found: dict[str, Mention] = {}
    for (chunk, items), chunk_ids in zip(kept, ids, strict=True):
        content = chunk.text.encode()
        for thing, key in zip(items.things, chunk_ids, strict=True):
            for span in thing.spans:
                placed = span.shifted(chunk.span.start)
                found[mention_key(chunk.chunk_id, placed.start, key)] = Mention(chunk.chunk_id, key, placed, span.text(content))
    return tuple(found[key] for key in sorted(found))


def _facts(document: LoadedDocument, kept: Kept, ids: list[list[str]], pruned: list[Pruned]) -> tuple[Fact, ...]:
    found: dict[str, Fact] = {}
    for (chunk, items), chunk_ids in zip(kept, ids, strict=True):
        for stated in items.facts:
            fact = _fact(document, chunk, stated, chunk_ids)
            if fact.source_id == fact.target_id:
                pruned.append(Pruned(chunk.chunk_id, "self-fact", f"fact[{stated.position}]"))
            else:
                found[fact.fact_id] = _union(found.get(fact.fact_id), fact)
    return tuple(found[key] for key in sorted(found))


def _fact(document: LoadedDocument, chunk: Chunk, stated: KeptFact, ids: list[str]) -> Fact:
    source = document.document_id if stated.source is None else ids[stated.source]
    target = document.document_id if stated.target is None else ids[stated.target]
    return Fact(
        fact_id=fact_id(source, stated.type, target),
        type=stated.type,
        source_id=source,
        target_id=target,
        chunk_ids=(chunk.chunk_id,),
        role=stated.role,
        kind=stated.kind,
        description=stated.description,
        weight=stated.weight,
        source_is_document=stated.source is None,
        target_is_document=stated.target is None,
    )


def _union(earlier: Fact | None, fact: Fact) -> Fact:
    """The first payload in chunk order stays, the chunks add up."""
    if earlier is None:
        return fact
    return replace(
        earlier,
        chunk_ids=tuple(sorted({*earlier.chunk_ids, *fact.chunk_ids})),
        role=earlier.role or fact.role,
        kind=earlier.kind or fact.kind,
        description=earlier.description or fact.description,
        weight=max(earlier.weight, fact.weight),
    )


def _quotes(kept: Kept, ids: list[list[str]]) -> tuple[SpokenQuote, ...]:
    found: dict[str, SpokenQuote] = {}
    for (chunk, items), chunk_ids in zip(kept, ids, strict=True):
        content = chunk.text.encode()
        for quote in items.quotes:
            placed = quote.span.shifted(chunk.span.start)
            speaker = chunk_ids[quote.speaker]
            key = quote_key(chunk.chunk_id, placed.start, speaker)
            found[key] = SpokenQuote(key, quote.type, chunk.chunk_id, speaker, placed, quote.span.text(content), quote.addressee)
    return tuple(found[key] for key in sorted(found))
