"""Checking a reply's items one by one: what the ontology, the text or the limits do not bear is pruned, with its reason."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from graphrag_assets.extractions.grounding import ChunkText, searchable
from graphrag_assets.extractions.kept_items import KeptFact, KeptItems, KeptQuote, KeptThing
from graphrag_assets.extractions.ontology import Ontology, matches_name
from graphrag_assets.extractions.replies import ReplyItems, without_surrogates
from graphrag_assets.model.extraction import DOCUMENT_END, Pruned
from graphrag_assets.model.names import clean_name, compared_name
from graphrag_assets.model.plans import Chunk
from graphrag_assets.model.settings import ExtractionSettings

WEIGHTS: Final = (1.0, 10.0)
_PAYLOAD: Final = ("role", "kind", "description")
_Ends = tuple[int | None, int | None]
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
    text: ChunkText = field(init=False)

    def __post_init__(self) -> None:
        self.text = ChunkText(searchable(self.chunk.text))

    def prune(self, items: ReplyItems) -> KeptItems:
        """All items that stand."""
        for position, item in enumerate(items.things):
            self._thing(item, f"thing[{position}]")
        for position, item in enumerate(items.facts):
            self._fact(item, position)
        for position, item in enumerate(items.quotes):
            self._quote(item, f"quote[{position}]")
        for position in range(items.unknown):
            self._drop("not-storable", f"reply.unknown[{position}]")
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
        spans = self.text.mentions(name, aliases, _texts(item.get("mentions")))
        if not spans:
            return self._drop("quote-not-found", where)
        self._unstorable(item, ("name", "class", "type", "aliases", "description", "mentions"), where)
        content = self.text.text.encode()
        thing = KeptThing(
            kind=kind,
            name=name,
            aliases=aliases,
            description=self._bounded(item.get("description"), self.ontology.limits.description_characters, f"{where}.description"),
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
            if not self.text.places(alias):
                self._drop("quote-not-found", f"{where}.aliases[{position}]")
            elif len(kept) >= self.ontology.limits.aliases:
                self._drop("over-limit", f"{where}.aliases[{position}]")
            else:
                kept.setdefault(compared_name(alias), alias)
        return tuple(sorted(kept.values()))

    def _unstorable(self, item: Mapping[object, object], known: tuple[str, ...], where: str) -> None:
        """Fields that the schema does not have are dropped, each counted: nothing nested ever reaches the graph."""
        for position in range(sum(1 for key in item if key not in known)):
            self._drop("not-storable", f"{where}.unknown[{position}]")

    def _bounded(self, value: object, limit: int, where: str) -> str | None:
        """Text of at most ``limit`` characters; what is no text, or too long, is counted."""
        text = clean_name(_text(value) or "")
        if value is not None and not isinstance(value, str):
            self._drop("not-storable", where)
        elif len(text) > limit:
            self._drop("over-limit", where)
        return text[:limit] or None

    def _fact(self, item: object, position: int) -> None:
        where = f"fact[{position}]"
        if not isinstance(item, Mapping):
            return self._drop("not-storable", where)
        name = _named(item.get("type"), [fact.name for fact in self.ontology.facts])
        if name is None:
            return self._drop("unknown-fact", where)
        found = self._ends(item, name)
        if found is None:
            return self._drop("end-not-kept", where)
        ends = source, target = found
        if not self.ontology.allows(self._kind(source), name, self._kind(target)):
            return self._drop("triple-not-allowed", where)
        if self._same(source, target):
            return self._drop("self-fact", where)
        if not self._is_stated(item, ends):
            return self._drop("quote-not-found", where)
        if len(self.facts) >= self.settings.max_relationships_per_chunk:
            return self._drop("over-limit", where)
        self._unstorable(item, ("source", "type", "target", "quote", "weight", *_PAYLOAD), where)
        return self._keep_fact(item, name, ends, where=where, position=position)

    def _keep_fact(self, item: Mapping[object, object], name: str, ends: _Ends, *, where: str, position: int) -> None:
        source, target = ends
        fact = KeptFact(
            type=name,
            source=source,
            target=target,
            **self._payload(item, self.ontology.fact(name).payload, where),
            weight=self._weight(item.get("weight"), where),
            position=position,
        )
        if any((fact.type, fact.source, fact.target) == (f.type, f.source, f.target) for f in self.facts):
            return self._drop("duplicate", where)
        things = [None if end is None else self.things[end] for end in ends]
        if self.verifier is not None and self.verifier.refuse_fact(fact, things[0], things[1], self.chunk):
            return self._drop("verifier", where)
        return self.facts.append(fact)

    def _payload(self, item: Mapping[object, object], allowed: Collection[str], where: str) -> dict[str, str | None]:
        """Role, kind and description, where the fact has them; others are counted and left out."""
        limits = self.ontology.limits
        bounds = {"role": limits.payload_characters, "kind": limits.payload_characters, "description": limits.description_characters}
        for name in _PAYLOAD:
            if name not in allowed and item.get(name) is not None:
                self._drop("not-storable", f"{where}.{name}")
        return {name: self._bounded(item.get(name), bounds[name], f"{where}.{name}") if name in allowed else None for name in _PAYLOAD}

    def _is_stated(self, item: Mapping[object, object], ends: _Ends) -> bool:
        mentions = [self.things[end].spans for end in ends if end is not None]
        quote = _text(item.get("quote"))
        return self.text.states(mentions, quote=quote or None, context=self.chunk.context, pronouns=self.ontology.file.placeholders)

    def _weight(self, value: object, where: str) -> float:
        if value is None:
            return WEIGHTS[0]
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
            self._drop("not-storable", f"{where}.weight")
            return WEIGHTS[0]
        clamped = float(min(max(value, WEIGHTS[0]), WEIGHTS[1]))
        if clamped != value:
            self._drop("over-limit", f"{where}.weight")
        return clamped

    def _same(self, source: int | None, target: int | None) -> bool:
        if source is None or target is None:
            return False
        a, b = self.things[source], self.things[target]
        return source == target or (a.kind == b.kind and compared_name(a.name) == compared_name(b.name) and not a.is_placeholder)

    def _ends(self, item: Mapping[object, object], fact: str) -> _Ends | None:
        """Both ends of a fact, or None. Where a name could mean several things, the first two that the fact may join."""
        sources, targets = self._candidates(item.get("source")), self._candidates(item.get("target"))
        pairs = [(source, target) for source in sources for target in targets]
        allowed = (pair for pair in pairs if self.ontology.allows(self._kind(pair[0]), fact, self._kind(pair[1])))
        return next(allowed, pairs[0] if pairs else None)

    def _kind(self, end: int | None) -> str:
        return DOCUMENT_END if end is None else self.things[end].kind

    def _candidates(self, value: object) -> list[int | None]:
        """What an end may mean: things by name, else by alias, else by the words of a mention; else the document itself."""
        name = compared_name(_text(value) or "")
        rules: tuple[Callable[[KeptThing], tuple[str, ...]], ...] = (
            lambda thing: (thing.name,),
            lambda thing: thing.aliases,
            lambda thing: thing.phrases,
        )
        for words in rules:
            found = [p for p, thing in enumerate(self.things) if name and name in {compared_name(word) for word in words(thing)}]
            if found:
                return [*found]
        return [None] if name in _DOCUMENT_NAMES else []

    def _quote(self, item: object, where: str) -> None:
        if not isinstance(item, Mapping):
            return self._drop("not-storable", where)
        name = _named(item.get("type"), [quote.name for quote in self.ontology.quotes])
        if name is None:
            return self._drop("unknown-fact", where)
        speakers = [speaker for speaker in self._candidates(item.get("speaker")) if speaker is not None]
        if not speakers:
            return self._drop("end-not-kept", where)
        rule = next(quote for quote in self.ontology.quotes if quote.name == name)
        speaker = next((speaker for speaker in speakers if self._kind(speaker) in rule.speakers), None)
        if speaker is None:
            return self._drop("triple-not-allowed", where)
        span = self.text.quote(_text(item.get("words")) or "")
        if span is None:
            return self._drop("quote-not-found", where)
        self._unstorable(item, ("type", "speaker", "words", "addressee"), where)
        limit = self.ontology.limits.name_characters
        addressee = self._bounded(item.get("addressee"), limit, f"{where}.addressee") if rule.addressee else None
        return self.quotes.append(KeptQuote(name, speaker, span, addressee))


def _text(value: object) -> str | None:
    return without_surrogates(value) if isinstance(value, str) else None


def _texts(value: object) -> list[str]:
    if not isinstance(value, list | tuple):
        return []
    quoted = (item.get("quote") if isinstance(item, Mapping) else item for item in value)
    return [without_surrogates(item) for item in quoted if isinstance(item, str)]


def _named(value: object, names: list[str]) -> str | None:
    """The class or fact a word means, by the written rule of `matches_name`; None for anything else."""
    return next((name for name in names if isinstance(value, str) and matches_name(value, name)), None)
