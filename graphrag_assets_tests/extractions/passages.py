"""Chunks, documents and replies out of a few words, for tests of extraction."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from graphrag_assets.extractions.kept_items import KeptItems
from graphrag_assets.extractions.ontology import Ontology, load_ontology
from graphrag_assets.extractions.pruning import ChunkPruner
from graphrag_assets.extractions.replies import ReplyItems, read_items
from graphrag_assets.model.extraction import Extraction
from graphrag_assets.model.plans import Chunk
from graphrag_assets.model.settings import ExtractionSettings
from graphrag_assets.model.spans import ByteSpan

CASES = Path(__file__).parents[1] / "cases"
SETTINGS = ExtractionSettings()


@cache
def shipped(name: str) -> Ontology:
    """A shipped ontology, loaded once."""
    return load_ontology(name, Path())


def chunk_of(text: str, *, chunk_id: str = "chunk-1", context: str = "") -> Chunk:
    """A chunk at the beginning of its document."""
    return Chunk(chunk_id, 0, ByteSpan(0, len(text.encode())), text, None, 1, context, blank=not text.strip())


def named(name: str, kind: str = "System", **more: object) -> dict[str, object]:
    """A thing as a reply lists it."""
    return {"name": name, "class": kind, "aliases": [], "description": None, "mentions": [], **more}


def stated(source: object, kind: object, target: object, **more: object) -> dict[str, object]:
    """A fact as a reply lists it."""
    return {"source": source, "type": kind, "target": target, "role": None, "kind": None, "description": None, **more}


def reply_text(things: Sequence[object] = (), facts: Sequence[object] = (), quotes: Sequence[object] = ()) -> str:
    """The text of a reply."""
    return json.dumps({"things": list(things), "facts": list(facts), "quotes": list(quotes)}, ensure_ascii=False)


def prune(text: str, things: Sequence[object] = (), facts: Sequence[object] = ()) -> KeptItems:
    """What stands of these items in this text, by the ontology ``operations``."""
    return kept_of(chunk_of(text), reply_text(things, facts), "operations")


def kept_of(chunk: Chunk, text: str, ontology: str) -> KeptItems:
    """What stands of a reply's text about a chunk."""
    items = read_items(text)
    assert isinstance(items, ReplyItems), items
    return ChunkPruner(chunk, shipped(ontology), SETTINGS).prune(items)


def reasons(kept: KeptItems | Extraction) -> dict[str, str]:
    """Each pruned item with its reason."""
    return {pruned.item: pruned.reason for pruned in kept.pruned}


def names(kept: KeptItems) -> list[tuple[str, str]]:
    """Names and classes of the things that stand, in order."""
    return [(thing.name, thing.kind) for thing in kept.things]


def facts(kept: KeptItems) -> list[tuple[str, str, str]]:
    """The facts that stand, in words, in order; ``Document`` stands for the document."""
    ends = [(None if f.source is None else kept.things[f.source].name, f.type, f.target) for f in kept.facts]
    return [(source or "Document", kind, "Document" if target is None else kept.things[target].name) for source, kind, target in ends]


def said(extraction: Extraction) -> list[tuple[str, str, str]]:
    """The facts of an extraction in names, sorted."""
    by_id: Mapping[str, str] = {thing.thing_id: thing.name for thing in extraction.things}
    return sorted((by_id.get(f.source_id, "Document"), f.type, by_id.get(f.target_id, "Document")) for f in extraction.facts)
