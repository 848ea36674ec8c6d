"""The offline extractor: rules over a dependency parse that answer like a model would, through the same parser and checks.

A stand-in: it finds what plain sentences say in the verbs its ontology lists, and nothing between the lines.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from typing_extensions import override

from graphrag_assets.extractions.offline.aliases import person_short_names, same_numbers, stated_aliases
from graphrag_assets.extractions.offline.clauses import Statement, statements_of
from graphrag_assets.extractions.offline.masking import MaskedBlock, mask_blocks
from graphrag_assets.extractions.offline.names import CERTAIN_VOTES, Names, find_names, is_class_word, is_title_name
from graphrag_assets.extractions.offline.parser import parse
from graphrag_assets.extractions.offline.passages import blocks_of, titles_of
from graphrag_assets.extractions.offline.references import References, phrase_at
from graphrag_assets.extractions.ontology import Ontology, OntologyFact
from graphrag_assets.gateways.chat import ChatModel, ChatReply, ChatRequest, Passage

RULES_VERSION: Final = "1"
_ROLE_VOTES: Final = 2
_BYTES_PER_TOKEN: Final = 4


class RuleExtractor(ChatModel):
    """Extracts by rules; no model is behind it."""

    model = f"rule-extractor-{RULES_VERSION}"
    stand_in = True

    def __init__(self, ontology: Ontology) -> None:
        self._ontology = ontology

    @override
    def complete(self, request: ChatRequest) -> ChatReply:
        passage = request.passages[0]
        text = json.dumps(_Reading(passage, self._ontology).reply(), ensure_ascii=False)
        sent = sum(len(message["content"].encode()) for message in request.messages())
        tokens = (-(-sent // _BYTES_PER_TOKEN), -(-len(text.encode()) // _BYTES_PER_TOKEN))
        return ChatReply(text, "stop", self.model, tokens[0], tokens[1], tokens_estimated=True)


@dataclass(frozen=True, slots=True)
class _Found:
    """A statement that the ontology has a fact for, by the names of its ends."""

    fact: OntologyFact
    source: str
    target: str
    verb: str
    quote: str


@dataclass(slots=True)
class _Reading:
    """One passage, read."""

    passage: Passage
    ontology: Ontology
    names: Names = field(default_factory=Names)
    spoken_of: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    same: dict[str, str] = field(default_factory=dict[str, str])

    def reply(self) -> dict[str, object]:
        """Things and facts as a model's reply states them."""
        blocks = blocks_of(self.passage.text)
        titles = titles_of(self.passage.text, self.passage.heading)
        self.names = find_names(blocks, parse([block.text for block in blocks]), titles, self.ontology)
        people = frozenset(c.name for c in self.ontology.classes if "PERSON" in c.labels)
        self.same = {
            **person_short_names(self.names, people),
            **stated_aliases(blocks, self.names),
            **same_numbers(self.names, self.ontology),
        }
        for alias, name in self.same.items():
            self.names.votes[name].update(self.names.votes.get(alias, Counter()))
        masked = mask_blocks(blocks, self.names, self.ontology)
        references = References(masked, self.names, self.same, people, self.ontology, self._topic(titles))
        # Twice: classes learned from the first round's facts resolve more pronouns in the second.
        self._vote_by_role(list(self._found(masked, references)))
        found = list(self._found(masked, references))
        self._vote_by_role(found)
        facts = _without_echoes([item for item in found if self._allowed(item)])
        return {"things": self._things(), "facts": _fact_items(facts), **({"quotes": []} if self.ontology.quotes else {})}

    def _topic(self, titles: tuple[str, ...]) -> str | None:
        """What the passage is about: the innermost heading that is a name of its own, in the passage or above it."""
        own = next((title for title in titles if not is_class_word(title, self.ontology)), None)
        for title in titles:
            if is_title_name(title) and self.names.kind(title) is None:
                self.names.vote_for_title(title, self.ontology, outermost=title == own)
        named = [self.same.get(title, title) for title in titles if self.names.kind(title) is not None]
        return named[-1] if named else None

    def _found(self, masked: tuple[MaskedBlock, ...], references: References) -> Iterator[_Found]:
        for block in masked:
            for statement in statements_of(block.doc):
                agent, patient = references.ends_of(block, statement.agent, statement.patient)
                for token, name in ((statement.agent, agent), (statement.patient, patient)):
                    if name is not None and name == references.topic and block.name_at(token) is None:
                        self.spoken_of.setdefault(name, []).append(phrase_at(block, token))
                if agent and patient and agent != patient:
                    yield from self._facts(statement, agent, patient, quote=self._sentence(block, statement))

    def _sentence(self, block: MaskedBlock, statement: Statement) -> str:
        """The sentence of a statement as the passage has it."""
        sentence = statement.agent.sent
        return self.passage.text[block.within_passage(sentence.start_char) : block.within_passage(sentence.end_char)].strip()

    def _facts(self, statement: Statement, agent: str, patient: str, *, quote: str) -> Iterator[_Found]:
        matched = False
        for fact in self.ontology.facts:
            if fact.present_only and statement.is_past:
                continue
            forward = statement.phrase in fact.cues or statement.phrase in {f"{noun} of" for noun in fact.nouns}
            if forward or statement.phrase in fact.inverse_cues:
                matched = True
                yield _Found(fact, *((agent, patient) if forward else (patient, agent)), statement.phrase, quote)
        if not matched:
            open_facts = (fact for fact in self.ontology.facts if fact.any_verb and not statement.phrase.endswith(" of"))
            yield from (_Found(fact, agent, patient, statement.phrase, quote) for fact in open_facts)

    def _vote_by_role(self, found: list[_Found]) -> None:
        """A name without a strong class of its own gets one from the part it plays in a fact."""
        for item in found:
            if item.fact.any_verb:
                continue
            pair = self._best_pair(item)
            for name, kind in zip((item.source, item.target), pair, strict=True) if pair else ():
                if self._strength(name) < CERTAIN_VOTES:
                    self.names.votes[name][kind] += _ROLE_VOTES

    def _best_pair(self, item: _Found) -> tuple[str, str] | None:
        possible = [pair for pair in item.fact.pairs if self._may_be(item.source, pair[0]) and self._may_be(item.target, pair[1])]
        votes = self.names.votes
        return max(possible, key=lambda pair: votes[item.source][pair[0]] + votes[item.target][pair[1]], default=None)

    def _may_be(self, name: str, kind: str) -> bool:
        return self._strength(name) < CERTAIN_VOTES or self.names.kind(name) == kind

    def _strength(self, name: str) -> int:
        return max(self.names.votes[name].values(), default=0)

    def _allowed(self, item: _Found) -> bool:
        kinds = self.names.kind(item.source), self.names.kind(item.target)
        return kinds[0] is not None and kinds[1] is not None and self.ontology.allows(kinds[0], item.fact.name, kinds[1])

    def _things(self) -> list[dict[str, object]]:
        aliases: dict[str, list[str]] = {}
        mentions: dict[str, list[str]] = {}
        for other, name in self.same.items():
            (mentions if other in name.split() else aliases).setdefault(name, []).append(other)
        listed = dict.fromkeys(self.same.get(span.name, span.name) for span in self.names.spans)
        for name, phrases in self.spoken_of.items():
            # Named in the heading above and here only by pronouns: each with its next words is a mention.
            if name not in listed:
                listed[name] = None
                mentions.setdefault(name, []).extend(dict.fromkeys(phrases))
        return [_thing_item(name, kind, aliases, mentions) for name in listed if (kind := self.names.kind(name)) is not None]


def _without_echoes(facts: list[_Found]) -> list[_Found]:
    """Facts without open ones about ends of which the same sentence states a fact of its own type."""
    said = {(item.quote, *sorted((item.source, item.target))) for item in facts if not item.fact.any_verb}
    return [item for item in facts if not (item.fact.any_verb and (item.quote, *sorted((item.source, item.target))) in said)]


def _thing_item(name: str, kind: str, aliases: Mapping[str, list[str]], mentions: Mapping[str, list[str]]) -> dict[str, object]:
    found = {"aliases": sorted(aliases.get(name, ())), "mentions": [name, *sorted(mentions.get(name, ()))]}
    return {"name": name, "class": kind, "aliases": found["aliases"], "description": None, "mentions": found["mentions"]}


def _fact_items(facts: list[_Found]) -> list[dict[str, object]]:
    unique = {(item.source, item.fact.name, item.target): item for item in reversed(facts)}
    return [
        {
            "source": item.source,
            "type": item.fact.name,
            "target": item.target,
            "role": None,
            "kind": item.verb if item.fact.any_verb else None,
            "description": None,
            "quote": item.quote,
        }
        for item in reversed(unique.values())
    ]
