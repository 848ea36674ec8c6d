"""Reviewed decisions on which things are one, kept as lines of ``merge_decisions.jsonl``; never edited, only appended."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

DecisionKind = Literal["accept", "reject", "split", "alias", "undo"]


class MergeDecision(BaseModel):
    """One line of the decisions file.

    Args:
        id: Unique within the file.
        kind: ``accept`` merges ``thing_ids[1:]`` into ``thing_ids[0]``; ``alias`` makes ``name`` an alias of it;
            ``reject`` keeps them apart; ``undo`` takes the decision ``undoes`` back.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    time: str
    who: str
    kind: DecisionKind
    thing_ids: tuple[str, ...] = ()
    name: str | None = None
    document_ids: tuple[str, ...] = ()
    note: str = ""
    undoes: str | None = None


def canonical_ids(decisions: tuple[MergeDecision, ...]) -> dict[str, str]:
    """Thing id to the id it is merged into, by the accepted decisions that were not undone."""
    undone = {d.undoes for d in decisions if d.kind == "undo"}
    parent: dict[str, str] = {}

    def root(thing: str) -> str:
        while thing in parent:
            thing = parent[thing]
        return thing

    for decision in decisions:
        if decision.kind != "accept" or decision.id in undone or not decision.thing_ids:
            continue
        kept = root(decision.thing_ids[0])
        for merged in decision.thing_ids[1:]:
            source = root(merged)
            if source != kept:
                parent[source] = kept
    return {thing: root(thing) for thing in sorted(parent)}
