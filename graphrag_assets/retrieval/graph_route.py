"""The graph route: link the question to things, walk their facts, rank the paths, and take the chunks that state them.

When the question names nothing that the graph knows, the evidence of this route is empty and the receipt says so; it
never falls back to another route.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from graphrag_assets.gateways.embedder import Embedder
from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.graph.layout import Layout
from graphrag_assets.model.embedding_set import EmbeddingSet
from graphrag_assets.model.evidence import ContextItem
from graphrag_assets.model.limits import Limit
from graphrag_assets.model.settings import RetrievalSettings
from graphrag_assets.retrieval.fusion import RouteHit, fuse
from graphrag_assets.retrieval.linking import Link, QuestionSpan, link_names, link_nearest, open_spans, question_spans
from graphrag_assets.retrieval.path_ranking import (
    KeptPaths,
    chunks_of_facts,
    first_by_words,
    keep_paths,
    question_words,
    rank_paths,
)
from graphrag_assets.retrieval.paths import FactPath, distinct_paths, fact_sentence, path_line, path_sentence, simple_paths
from graphrag_assets.retrieval.selection import Selection
from graphrag_assets.retrieval.walking import (
    CHUNKS_PER_FACT,
    read_mentioning_chunks,
    read_named_things,
    read_nearest_things,
    read_neighbourhood,
)
from graphrag_assets.retrieval.wording import Wording

# Sentences embedded for one question: at 10 ms each, the dearest part of the route.
COMPARED_PATHS: Final = 24
PATH_REASON: Final = "graph-path"


@dataclass(frozen=True, slots=True)
class GraphRoute:
    """What the route works with."""

    db: GraphDatabase
    layout: Layout
    wording: Wording
    embedding_set: EmbeddingSet
    embedder: Embedder
    settings: RetrievalSettings

    def select(self, question: str) -> Selection:
        """Hits in the order of the paths they state, and the paths as context."""
        linked = self._link(question)
        used = Selection((), indexes=self._indexes(linked), limits=linked.limits, embedding_calls=linked.calls)
        if not linked.links:
            return replace(used, details={"outcome": "no-thing-linked"})
        walked = self._walk(linked.links)
        kept, calls = self._rank(question, linked, walked.paths)
        selected = self._stating(kept) if kept.paths else self._naming(linked.links)
        details: dict[str, int | float | str] = {
            "things_linked": len(linked.links),
            "linked_by_name": sum(1 for link in linked.links if link.by == "name"),
            "facts_read": walked.facts,
            "steps_walked": walked.steps,
            "paths_found": len(walked.paths),
            "paths_kept": len(kept.paths),
            **({} if kept.paths else {"outcome": "no-path"}),
        }
        limits = (*linked.limits, *walked.limits, *selected.limits)
        return replace(selected, indexes=used.indexes, limits=limits, embedding_calls=linked.calls + calls, details=details)

    def _indexes(self, linked: "_Linked") -> tuple[str, ...]:
        names = self.layout.thing_names_index
        return (names, self.layout.thing_vector_index(self.embedding_set.name)) if linked.by_vector else (names,)

    def _link(self, question: str) -> "_Linked":
        """Names first; the stretches that they leave are embedded, with the question itself, in one call."""
        spans = question_spans(question)
        by_name = link_names(spans.spans, read_named_things(self.db, self.layout, spans.spans))
        left = open_spans(spans.spans, by_name)
        batch = self.embedder.embed([question, *(span.text for span in left)])
        vectors: dict[QuestionSpan, Sequence[float]] = dict(zip(left, batch.vectors[1:], strict=True))
        near = link_nearest(read_nearest_things(self.db, self.layout, self.embedding_set, vectors), self.settings.link_threshold)
        taken = {link.thing.thing_id for link in by_name}
        links = (*by_name, *(link for link in near if link.thing.thing_id not in taken))
        return _Linked(links, tuple(batch.vectors[0]), spans.limits, batch.calls, bool(left))

    def _walk(self, links: Sequence[Link]) -> "_Walked":
        seeds = [link.thing.thing_id for link in links]
        around = read_neighbourhood(self.db, self.layout, seeds, fact_types=list(self.wording.phrases), max_hops=self.settings.max_hops)
        walks = [simple_paths(seed, around.facts, max_hops=self.settings.max_hops, limit=self.settings.paths_per_seed) for seed in seeds]
        limits = {*around.limits, *(limit for walk in walks for limit in walk.limits)}
        return _Walked(
            distinct_paths(path for walk in walks for path in walk.paths), tuple(sorted(limits)), len(around.facts), around.reads
        )

    def _rank(self, question: str, linked: "_Linked", paths: Sequence[FactPath]) -> tuple[KeptPaths, int]:
        measured = first_by_words(paths, question_words(question, linked.links), self.wording, COMPARED_PATHS)
        if not measured:
            return KeptPaths((), ()), 0
        batch = self.embedder.embed([path_sentence(path, self.wording.phrases) for path, _ in measured])
        similarities = [cosine(linked.vector, vector) for vector in batch.vectors]
        return keep_paths(rank_paths(measured, similarities, self.settings.fusion_k), self.settings.paths_kept), batch.calls

    def _stating(self, kept: KeptPaths) -> Selection:
        """The chunks that state the kept paths' facts."""
        phrases = self.wording.phrases
        chunks = chunks_of_facts(kept.facts)
        score = {fact.fact_id: ranked.similarity for ranked in reversed(kept.paths) for fact in ranked.path.facts}
        hits = fuse({"graph": [RouteHit(chunk, max(score.get(f.fact_id, 0.0) for f in facts)) for chunk, facts in chunks]})
        return Selection(
            hits,
            why={chunk: "; ".join(fact_sentence(fact, phrases) for fact in facts) for chunk, facts in chunks},
            context=tuple(ContextItem(path_line(ranked.path, phrases), PATH_REASON) for ranked in kept.paths),
            limits=_limits_of_kept(kept),
        )

    def _naming(self, links: Sequence[Link]) -> Selection:
        """Of things without facts, the chunks that name them: all that the graph has to show."""
        candidates = self.settings.candidates_per_route
        found = read_mentioning_chunks(self.db, self.layout, [link.thing.thing_id for link in links], count=candidates + 1)
        names = ", ".join(sorted({link.thing.name for link in links}))
        hits = fuse({"graph": [RouteHit(chunk, 0.0) for chunk in found[:candidates]]})
        limits = (Limit("candidates-per-route", candidates),) if len(found) > candidates else ()
        return Selection(hits, why=dict.fromkeys(found, f"names {names}"), limits=limits)


@dataclass(frozen=True, slots=True)
class _Linked:
    links: tuple[Link, ...]
    vector: tuple[float, ...]
    limits: tuple[Limit, ...]
    calls: int
    by_vector: bool


@dataclass(frozen=True, slots=True)
class _Walked:
    paths: tuple[FactPath, ...]
    limits: tuple[Limit, ...]
    facts: int
    steps: int


def _limits_of_kept(kept: KeptPaths) -> tuple[Limit, ...]:
    return (Limit("chunks-per-fact", CHUNKS_PER_FACT),) if any(fact.stated > CHUNKS_PER_FACT for fact in kept.facts) else ()


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Cosine of two vectors of any length; 0 for a vector of zeros."""
    size = math.sqrt(sum(x * x for x in one)) * math.sqrt(sum(x * x for x in other))
    return sum(x * y for x, y in zip(one, other, strict=True)) / size if size else 0.0
