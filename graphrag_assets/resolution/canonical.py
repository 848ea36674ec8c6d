"""Which id each thing of a document goes by once reviewed decisions apply: splits first, then merges.

The answer for one document rests on that document and the decisions alone, never on what other documents say. So a
document can be written with its final ids, and a decision on things it does not name leaves its fingerprint as it was.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from graphrag_assets.model.decisions import MergeDecision, canonical_ids
from graphrag_assets.model.extraction import Extraction, Thing
from graphrag_assets.model.ids import hashed, split_thing_id
from graphrag_assets.model.names import compared_name


@dataclass(frozen=True, slots=True)
class DecisionIndex:
    """Decisions in force, made ready for many documents.

    Args:
        merged: Thing id to the id it is merged into.
        parts: Thing id and document id to the name of the part that a split puts this document's thing into.
        aliases: Canonical id to reviewed names of it, sorted.
    """

    merged: Mapping[str, str]
    parts: Mapping[tuple[str, str], str]
    aliases: Mapping[str, tuple[str, ...]]

    def own_id(self, thing: Thing, document_id: str) -> str:
        """The thing's id before merges: its own, or that of the part a split puts it into."""
        part = None if thing.is_placeholder else self.parts.get((thing.thing_id, document_id))
        return thing.thing_id if part is None else split_thing_id(thing.kind, compared_name(thing.name), part)

    def canonical_id(self, thing: Thing, document_id: str) -> str:
        """The id that the thing goes by. A placeholder keeps its own: "the team" of two chunks is never one thing."""
        own = self.own_id(thing, document_id)
        return own if thing.is_placeholder else self.merged.get(own, own)

    def canonical_ids(self, extraction: Extraction) -> dict[str, str]:
        """Thing id to canonical id, sorted, for those of one document's things whose id changes."""
        pairs = ((thing.thing_id, self.canonical_id(thing, extraction.document_id)) for thing in extraction.things)
        return dict(sorted((own, canonical) for own, canonical in pairs if own != canonical))


def index_decisions(decisions: tuple[MergeDecision, ...]) -> DecisionIndex:
    """The decisions in force, in the file's order: undone ones are left out, of two splits of one thing and document the later holds."""
    undone = {decision.undoes for decision in decisions if decision.kind == "undo"}
    in_force = [decision for decision in decisions if decision.id not in undone]
    merged = canonical_ids(decisions)
    aliases: dict[str, set[str]] = {}
    for decision in in_force:
        if decision.kind == "alias" and decision.name and decision.thing_ids:
            thing_id = decision.thing_ids[0]
            aliases.setdefault(merged.get(thing_id, thing_id), set()).add(decision.name)
    parts = {
        (thing_id, document_id): decision.name or decision.id
        for decision in in_force
        if decision.kind == "split"
        for thing_id in decision.thing_ids[:1]
        for document_id in decision.document_ids
    }
    return DecisionIndex(merged, parts, {thing_id: tuple(sorted(names)) for thing_id, names in sorted(aliases.items())})


def canonical_digest(ids: Mapping[str, str]) -> str:
    """Digest of one document's canonical ids: the part of its fingerprint that rests on decisions."""
    return hashed("canonical-ids", dict(ids))
