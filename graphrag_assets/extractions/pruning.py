"""Checking a reply's items one by one: what the ontology, the text or the limits do not bear is pruned, with its reason."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from graphrag_assets.extractions.grounding import locate_mentions
from graphrag_assets.extractions.kept_items import KeptFact, KeptItems, KeptQuote, KeptThing
from graphrag_assets.extractions.ontology import Ontology, matches_name
from graphrag_assets.extractions.replies import ReplyItems
from graphrag_assets.model.extraction import DOCUMENT_END, Pruned
from graphrag_assets.model.names import clean_name, compared_name
from graphrag_assets.model.plans import Chunk
from graphrag_assets.model.quotes import locate_quote
from graphrag_assets.model.settings import ExtractionSettings

WEIGHTS: Final = (1.0, 10.0)
_DOCUMENT_NAMES: Final = frozenset({"document", "the document", "this document"})


class ExtractionVerifier(ABC):
    """An optional second opinion on items that passed every check."""

    @abstractmethod
    def refuse_thing(self, thing: KeptThing, chunk: Chunk) -> bool:
        """Whether to prune a thing."""

    @abstractmethod
    def refuse_fact(self, fact: KeptFact, source: KeptThing | None, target: KeptThing | None, chunk: Chunk) -> bool:
        """Whether to prune a fact."""


@dataclass(slots=True)
class ChunkPruner:
    """Prunes the reply of one chunk."""

    chunk: Chunk
    ontology: Ontology
    settings: ExtractionSettings
    verifier: ExtractionVerifier | None = None
    things: list[KeptThing] = field(default_factory=list[KeptThing])
    facts: list[KeptFact] = field(default_factory=list[KeptFact])
    quotes: list[KeptQuote] = field(default_factory=list[KeptQuote])
    pruned: list[Pruned] = field(default_factory=list[Pruned])

    def prune(self, items: ReplyItems) -> KeptItems:
        """All items that stand."""
        for position, item in enumerate(items.things):
            self._thing(item, f"thing[{position}]")
        for position, item in enumerate(items.facts):
            self._fact(item, f"fact[{position}]")
        for position, item in enumerate(items.quotes):
            self._quote(item, f"quote[{position}]")
        return KeptItems(tuple(self.things), tuple(self.facts), tuple(self.quotes), tuple(self.pruned))

    def _drop(self, reason: str, item: str) -> None:
        self.pruned.append(Pruned(self.chunk.chunk_id, reason, item))

    def _thing(self, item: object, where: str) -> None:
        if not isinstance(item, Mapping):
            return self._drop("not-storable", where)
        name = clean_name(_text(item.get("name")) or "")
        kind = _named(item.get("class", item.get("type")), [c.name for c in self.ontology.classes])
        if not name:
            return self._drop("no-name", where)
        if kind is None:
            return self._drop("unknown-kind", where)
        if len(name) > self.ontology.limits.name_characters:
            return self._drop("name-too-long", where)
        if len(self.things) >= self.settings.max_entities_per_chunk:
            return self._drop("over-limit", where)
        aliases = self._aliases(item.get("aliases"), name, where)
        spans = locate_mentions(self.chunk.text, name, aliases, _texts(item.get("mentions")))
        if not spans:
            return self._drop("quote-not-found", where)
        self._unstorable(item, ("name", "class", "type", "aliases", "description", "mentions"), where)
        content = self.chunk.text.encode()
        thing = KeptThing(
            kind=kind,
            name=name,
            aliases=aliases,
            description=self._bounded(item.get("description"), self.ontology.limits.description_characters),
            spans=spans,
            phrases=tuple(span.text(content) for span in spans),
            is_placeholder=self.ontology.is_placeholder(name),
        )
        if self.verifier is not None and self.verifier.refuse_thing(thing, self.chunk):
            return self._drop("verifier", where)
        return self.things.append(thing)

    def _aliases(self, value: object, name: str, where: str) -> tuple[str, ...]:
        """Aliases that stand in the text themselves; no placeholder, and no second spelling of the name."""
        kept: dict[str, str] = {}
        for position, alias in enumerate(map(clean_name, _texts(value))):
            if not alias or compared_name(alias) == compared_name(name) or self.ontology.is_placeholder(alias):
                continue
            if locate_quote(self.chunk.text, alias) is None:
                self._drop("quote-not-found", f"{where}.aliases[{position}]")
            elif len(kept) >= self.ontology.limits.aliases:
                self._drop("over-limit", f"{where}.aliases[{position}]")
            else:
                kept.setdefault(compared_name(alias), alias)
        return tuple(sorted(kept.values()))

    def _unstorable(self, item: Mapping[object, object], known: tuple[str, ...], where: str) -> None:
        """Fields that the schema does not have are dropped, each counted: nothing nested ever reaches the graph."""
        for name in sorted(str(key) for key in item if key not in known):
            self._drop("not-storable", f"{where}.{name[:40]}")

    def _bounded(self, value: object, limit: int) -> str | None:
        text = clean_name(_text(value) or "")
        return text[:limit] or None

    def _fact(self, item: object, where: str) -> None:
        if not isinstance(item, Mapping):
            return self._drop("not-storable", where)
        name = _named(item.get("type"), [fact.name for fact in self.ontology.facts])
        if name is None:
            return self._drop("unknown-fact", where)
        source, target = self._end(item.get("source")), self._end(item.get("target"))
        if source == _ABSENT or target == _ABSENT:
            return self._drop("end-not-kept", where)
        ends = (source.thing, target.thing)
        kinds = [DOCUMENT_END if end is None else self.things[end].kind for end in ends]
        if not self.ontology.allows(kinds[0], name, kinds[1]):
            return self._drop("triple-not-allowed", where)
        if self._same(*ends):
            return self._drop("self-fact", where)
        if len(self.facts) >= self.settings.max_relationships_per_chunk:
            return self._drop("over-limit", where)
        self._unstorable(item, ("source", "type", "target", "role", "kind", "description", "weight"), where)
        return self._keep_fact(item, name, ends, where)

    def _keep_fact(self, item: Mapping[object, object], name: str, ends: tuple[int | None, int | None], where: str) -> None:
        payload = self.ontology.fact(name).payload
        limits = self.ontology.limits
        fact = KeptFact(
            type=name,
            source=ends[0],
            target=ends[1],
            role=self._bounded(item.get("role"), limits.payload_characters) if "role" in payload else None,
            kind=self._bounded(item.get("kind"), limits.payload_characters) if "kind" in payload else None,
            description=self._bounded(item.get("description"), limits.description_characters) if "description" in payload else None,
            weight=self._weight(item.get("weight"), where),
        )
        if any((fact.type, fact.source, fact.target) == (f.type, f.source, f.target) for f in self.facts):
            return self._drop("duplicate", where)
        source, target = (None if end is None else self.things[end] for end in ends)
        if self.verifier is not None and self.verifier.refuse_fact(fact, source, target, self.chunk):
            return self._drop("verifier", where)
        return self.facts.append(fact)

    def _weight(self, value: object, where: str) -> float:
        if value is None:
            return WEIGHTS[0]
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            self._drop("not-storable", f"{where}.weight")
            return WEIGHTS[0]
        clamped = min(max(float(value), WEIGHTS[0]), WEIGHTS[1])
        if clamped != value:
            self._drop("over-limit", f"{where}.weight")
        return clamped

    def _same(self, source: int | None, target: int | None) -> bool:
        if source is None or target is None:
            return False
        a, b = self.things[source], self.things[target]
        return source == target or (a.kind == b.kind and compared_name(a.name) == compared_name(b.name) and not a.is_placeholder)

    def _end(self, value: object) -> "_End":
        """An end by name, then alias, then the words of a mention; or the document itself."""
        name = compared_name(_text(value) or "")
        if not name:
            return _ABSENT
        rules = (
            lambda thing: [thing.name],
            lambda thing: list(thing.aliases),
            lambda thing: list(thing.phrases),
        )
        for names in rules:
            for position, thing in enumerate(self.things):
                if any(compared_name(n) == name for n in names(thing)):
                    return _End(position)
        return _End(None) if name in _DOCUMENT_NAMES else _ABSENT

    def _quote(self, item: object, where: str) -> None:
        if not isinstance(item, Mapping):
            return self._drop("not-storable", where)
        name = _named(item.get("type"), [quote.name for quote in self.ontology.quotes])
        if name is None:
            return self._drop("unknown-fact", where)
        speaker = self._end(item.get("speaker"))
        if speaker.thing is None:
            return self._drop("end-not-kept", where)
        rule = next(quote for quote in self.ontology.quotes if quote.name == name)
        if self.things[speaker.thing].kind not in rule.speakers:
            return self._drop("triple-not-allowed", where)
        span = locate_quote(self.chunk.text, _text(item.get("words")) or "")
        if span is None:
            return self._drop("quote-not-found", where)
        addressee = self._bounded(item.get("addressee"), self.ontology.limits.name_characters) if rule.addressee else None
        return self.quotes.append(KeptQuote(name, speaker.thing, span, addressee))


@dataclass(frozen=True, slots=True)
class _End:
    """An end of a fact: a position among the kept things, or the document. -1 stands for neither."""

    thing: int | None


_ABSENT: Final = _End(-1)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _texts(value: object) -> list[str]:
    if not isinstance(value, list | tuple):
        return []
    quoted = (item.get("quote") if isinstance(item, Mapping) else item for item in value)
    return [item for item in quoted if isinstance(item, str)]


def _named(value: object, names: list[str]) -> str | None:
    """The class or fact a word means, by the written rule of `matches_name`; None for anything else."""
    return next((name for name in names if isinstance(value, str) and matches_name(value, name)), None)
