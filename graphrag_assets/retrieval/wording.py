"""How an ontology speaks of its facts and classes, as linking, ranking and reading need it. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from graphrag_assets.extractions.ontology import Ontology


@dataclass(frozen=True, slots=True)
class Wording:
    """How facts and classes are spoken of.

    Args:
        phrases: Fact type to phrase, ``is owned by``.
        cues: Fact type or class to further words by which a question may mean it.
    """

    phrases: Mapping[str, str]
    cues: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])


def ontology_wording(ontology: Ontology) -> Wording:
    """The phrases and cue words of an ontology: verbs of its facts in both directions, words of its classes."""
    facts = {fact.name: (*fact.cues, *fact.inverse_cues) for fact in ontology.facts}
    classes = {kind.name: kind.cues for kind in ontology.classes}
    return Wording({fact.name: fact.phrase for fact in ontology.facts}, {name: words for name, words in (facts | classes).items() if words})
