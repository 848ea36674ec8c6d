"""Ontologies: the classes, facts and quotes that a home looks for. Data in YAML, validated when it is loaded."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from graphrag_assets.model.errors import SettingsError
from graphrag_assets.model.extraction import DOCUMENT_END
from graphrag_assets.model.ids import hashed
from graphrag_assets.model.names import compared_name

SHIPPED: Final = ("generic", "novel", "article", "operations")
RESERVED_CLASSES: Final = frozenset({"Thing", DOCUMENT_END, "Section", "Chunk", "IngestionRun", "GraphRagLease", "Community"})
_NAME: Final = r"^[A-Za-z][A-Za-z0-9_]{0,59}$"
PayloadField = Literal["role", "kind", "description"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class OntologyClass(_Part):
    """A class of things.

    The rest is for the offline extractor alone: ``cues`` are words that, standing beside a name, say that it is of this
    class (and belong to the name when ``name_with_cue``); ``pattern`` is a regular expression of names of this class;
    ``labels`` are labels of the named-entity recogniser that hint at it.
    """

    name: Annotated[str, Field(pattern=_NAME)]
    description: str
    cues: tuple[str, ...] = ()
    name_with_cue: bool = False
    pattern: str | None = None
    labels: tuple[str, ...] = ()

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str | None) -> str | None:
        try:
            re.compile(pattern or "")
        except re.error as error:
            raise ValueError(f"{pattern!r} is no regular expression: {error}") from error
        return pattern


class OntologyFact(_Part):
    """A type of facts.

    The rest is for the offline extractor alone: ``cues`` are verb phrases (base form) whose subject is the source,
    ``inverse_cues`` those whose subject is the target; ``nouns`` name the target's part ("the lead of X"); ``any_verb`` lets
    every other verb state it; ``present_only`` says that the past tense does not state it ("was owned by").
    """

    name: Annotated[str, Field(pattern=_NAME)]
    pairs: tuple[tuple[str, str], ...]
    phrase: str
    description: str
    payload: tuple[PayloadField, ...] = ()
    cues: tuple[str, ...] = ()
    inverse_cues: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()
    any_verb: bool = False
    present_only: bool = False


class OntologyQuote(_Part):
    """A type of spoken or quoted words."""

    name: Annotated[str, Field(pattern=_NAME)]
    speakers: tuple[str, ...]
    description: str
    addressee: bool = False


class OntologyLimits(_Part):
    """Bounds of what one chunk may state."""

    name_characters: Annotated[int, Field(ge=1, le=2_000)] = 200
    description_characters: Annotated[int, Field(ge=0, le=10_000)] = 500
    aliases: Annotated[int, Field(ge=0, le=1_000)] = 20
    payload_characters: Annotated[int, Field(ge=1, le=1_000)] = 60


class OntologyFile(_Part):
    """An ontology as its file holds it, with the names moved into the parts.

    ``default_class`` is what the offline extractor takes a name for that nothing else is known of.
    """

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$")]
    description: str = ""
    classes: Annotated[tuple[OntologyClass, ...], Field(min_length=1)]
    facts: Annotated[tuple[OntologyFact, ...], Field(min_length=1)]
    default_class: str | None = None
    quotes: tuple[OntologyQuote, ...] = ()
    placeholders: tuple[str, ...] = ()
    limits: OntologyLimits = OntologyLimits()

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        """No two names that a model's word could mean alike; facts and quotes share their names' space in the graph."""
        for what, parts in (("classes", self.classes), ("facts and quotes", (*self.facts, *self.quotes))):
            known: dict[str, str] = {}
            for name in (part.name for part in parts):
                if _plain(name) in known:
                    raise ValueError(f"{what}: {known[_plain(name)]!r} and {name!r} mean the same; choose another name")
                known[_plain(name)] = name
        return self

    @model_validator(mode="after")
    def _check(self) -> Self:
        kinds = {c.name for c in self.classes}
        if taken := sorted(kinds & RESERVED_CLASSES):
            raise ValueError(f"classes: {taken[0]!r} is a word of the graph itself; choose another name")
        if self.default_class is not None and self.default_class not in kinds:
            raise ValueError(f"default_class: {self.default_class!r} is no class; there are {sorted(kinds)}")
        ends = kinds | {DOCUMENT_END}
        for fact in self.facts:
            unknown = sorted({end for pair in fact.pairs for end in pair} - ends)
            if unknown:
                raise ValueError(f"facts.{fact.name}.pairs: {unknown[0]!r} is no class; there are {sorted(ends)}")
            if (DOCUMENT_END, DOCUMENT_END) in fact.pairs:
                raise ValueError(f"facts.{fact.name}.pairs: a fact needs a thing at one end")
        for quote in self.quotes:
            if unknown := sorted(set(quote.speakers) - kinds):
                raise ValueError(f"quotes.{quote.name}.speakers: {unknown[0]!r} is no class; there are {sorted(kinds)}")
        return self


@dataclass(frozen=True)
class Ontology:
    """A validated ontology.

    Args:
        file: What its YAML file says.
    """

    file: OntologyFile

    @property
    def name(self) -> str:
        """Its own name."""
        return self.file.name

    @property
    def classes(self) -> tuple[OntologyClass, ...]:
        """Classes of things, in the order of the file."""
        return self.file.classes

    @property
    def facts(self) -> tuple[OntologyFact, ...]:
        """Types of facts, in the order of the file."""
        return self.file.facts

    @property
    def quotes(self) -> tuple[OntologyQuote, ...]:
        """Types of quotes, in the order of the file."""
        return self.file.quotes

    @property
    def default_class(self) -> str | None:
        """What the offline extractor takes a name for that nothing else is known of."""
        return self.file.default_class

    @property
    def limits(self) -> OntologyLimits:
        """Bounds of what one chunk may state."""
        return self.file.limits

    @cached_property
    def fingerprint(self) -> str:
        """Hash of everything in it."""
        return hashed("ontology", self.file.model_dump(mode="json"))

    @cached_property
    def _pairs(self) -> frozenset[tuple[str, str, str]]:
        return frozenset((source, fact.name, target) for fact in self.facts for source, target in fact.pairs)

    @cached_property
    def _facts_by_name(self) -> Mapping[str, OntologyFact]:
        return {fact.name: fact for fact in self.facts}

    @cached_property
    def _placeholders(self) -> frozenset[str]:
        return frozenset(compared_name(name) for name in self.file.placeholders)

    def allows(self, source_kind: str, fact: str, target_kind: str) -> bool:
        """Whether a fact of this type may go from one class to the other; ``Document`` stands for the document itself."""
        return (source_kind, fact, target_kind) in self._pairs

    def fact(self, name: str) -> OntologyFact:
        """The fact type of a name."""
        return self._facts_by_name[name]

    def is_placeholder(self, name: str) -> bool:
        """Whether a name names nothing by itself ("the team", "it")."""
        return compared_name(name) in self._placeholders

    def sentence(self, source_name: str, fact: str, target_name: str) -> str:
        """A fact in words: "Harbour depends on Tally"."""
        return f"{source_name} {self._facts_by_name[fact].phrase} {target_name}"


def load_ontology(name_or_path: str, base_folder: Path) -> Ontology:
    """Load a shipped ontology by name, or a YAML file.

    Args:
        base_folder: What a relative path is relative to: the home.

    Raises:
        SettingsError: ``ontology-missing`` or ``ontology-invalid``, naming the place.
    """
    if name_or_path in SHIPPED:
        text = files("graphrag_assets.extractions").joinpath("ontologies", f"{name_or_path}.yaml").read_text(encoding="utf-8")
        return parse_ontology(text, f"{name_or_path}.yaml")
    path = base_folder / Path(name_or_path).expanduser()
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        remedy = f"Use one of {', '.join(SHIPPED)}, or the path of a YAML file."
        raise SettingsError("ontology-missing", f"the ontology {name_or_path!r} cannot be read.", remedy) from error
    return parse_ontology(text, path.name)


def parse_ontology(text: str, where: str) -> Ontology:
    """An ontology from the text of a file.

    Raises:
        SettingsError: ``ontology-invalid``.
    """
    try:
        values = yaml.safe_load(text)
        if not isinstance(values, dict):
            raise SettingsError("ontology-invalid", f"{where} is no mapping.", "See docs/ontologies.md for an example.")
        return Ontology(OntologyFile.model_validate(_named(values)))
    except yaml.YAMLError as error:
        raise SettingsError("ontology-invalid", f"{where} is not YAML: {error}.", "Mend the line that is named.") from error
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, p['loc'])) or where}: {p['msg']}" for p in error.errors(include_url=False))
        raise SettingsError("ontology-invalid", f"{where}: {problems}.", "See docs/ontologies.md for an example.") from error


def _named(values: Mapping[str, Any]) -> dict[str, Any]:
    """Mappings by name become lists of parts, and ``pairs: any`` becomes all pairs of classes; the model judges the rest."""
    result = dict(values)
    for key in ("classes", "facts", "quotes"):
        parts = result.get(key) or {}
        result[key] = [_part(name, part) for name, part in parts.items()] if isinstance(parts, dict) else parts
    kinds = [part["name"] for part in _parts(result["classes"]) if "name" in part]
    for fact in _parts(result["facts"]):
        if fact.get("pairs") == "any":
            fact["pairs"] = [[source, target] for source in kinds for target in kinds]
    return result


def _part(name: object, part: object) -> object:
    """A part with its name; one that is no mapping stays as it is, to be refused with its place."""
    return {"name": name, **part} if isinstance(part, dict) else {"name": name} if part is None else part


def _parts(parts: object) -> "list[dict[str, Any]]":
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []


def matches_name(word: str, name: str) -> bool:
    """Whether a model's word means a class or fact: equal without case, spaces, hyphens and underscores. Never more."""
    return _plain(word) == _plain(name) != ""


def _plain(word: str) -> str:
    return re.sub(r"[\s_-]+", "", word).casefold()
