"""Searching: one question and one route in, evidence with its receipt out. A route that fails fails the search."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from graphrag_assets.gateways.clock import Clock
from graphrag_assets.gateways.embedder import Embedder
from graphrag_assets.gateways.graph_database import GraphDatabase
from graphrag_assets.graph.layout import Layout
from graphrag_assets.model.embedding_set import EmbeddingSet, checked_vector
from graphrag_assets.model.errors import UsageError
from graphrag_assets.model.evidence import ContextItem, Evidence, EvidenceItem, EvidenceReceipt, Route
from graphrag_assets.model.limits import Limit
from graphrag_assets.model.settings import RetrievalSettings
from graphrag_assets.retrieval.budget import Budgeted, within_budget
from graphrag_assets.retrieval.expansion import read_stated_facts
from graphrag_assets.retrieval.fusion import fuse
from graphrag_assets.retrieval.graph_route import GraphRoute
from graphrag_assets.retrieval.items import read_items
from graphrag_assets.retrieval.neighbours import neighbour_context
from graphrag_assets.retrieval.questions import checked_question
from graphrag_assets.retrieval.routes import RouteResult, full_text_route, vector_route
from graphrag_assets.retrieval.selection import Selection
from graphrag_assets.retrieval.wording import Wording

SEARCH_ROUTES: Final = ("hybrid", "vector", "full-text", "graph")
MAX_ITEMS: Final = (1, 128)


@dataclass(frozen=True, slots=True)
class Retriever:
    """Selects evidence for questions.

    Args:
        phrases: Fact type to its phrase in the ontology; these types are walked, and no others.
        embedding_set: The set that serves; its vectors and the embedder's are of one model.
        cues: Fact type or class to further words by which a question may mean it; see `ontology_wording`.
    """

    db: GraphDatabase
    layout: Layout
    phrases: Mapping[str, str]
    embedding_set: EmbeddingSet
    embedder: Embedder
    settings: RetrievalSettings
    clock: Clock
    cues: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])

    def search(self, question: str, *, route: str = "hybrid", max_items: int | None = None) -> Evidence:
        """Evidence for a question by one route, within the budget.

        ``hybrid`` fuses the ranks of ``vector`` and ``full-text`` and adds the facts that its chunks state, as context;
        ``graph`` links and walks. Every route adds neighbour chunks as context.

        Args:
            route: One of `SEARCH_ROUTES`.
            max_items: Instead of the setting, 1 to 128.

        Raises:
            UsageError: ``empty-question``, ``question-too-long``, ``route-unknown``, ``max-items-out-of-bounds``,
                ``embedding-set-differs``, or what the graph server answered.
            FailedDocument: The embedding call failed; it is not tried again.
        """
        started = self.clock.monotonic()
        asked = checked_question(question)
        wanted = _checked_count(self.settings.max_items if max_items is None else max_items)
        selection = self._select(asked, route)
        items = read_items(self.db, self.layout, selection.hits[:wanted])
        told = [_told(item, selection.why) for item in items]
        unread = max(0, len(selection.hits) - wanted)
        budgeted = within_budget(told, max_items=wanted, max_utf8_bytes=self.settings.max_utf8_bytes, unread=unread)
        context, limits = self._context(selection, budgeted, route)
        gone = min(wanted, len(selection.hits)) - len(items)
        details = {**selection.details, **({"chunks_gone": gone} if gone else {})}
        return Evidence(
            question=asked,
            items=budgeted.items,
            context=context,
            omitted=budgeted.omitted,
            limits=limits,
            receipt=EvidenceReceipt(
                route=route,
                server_version=self.db.version(),
                embedding_set=self.embedding_set.name,
                indexes=selection.indexes,
                utf8_bytes=budgeted.utf8_bytes,
                embedding_calls=selection.embedding_calls,
                stand_ins=(self.embedder.model,) if self.embedder.stand_in and selection.embedding_calls else (),
                seconds=self.clock.monotonic() - started,
                details=details,
            ),
        )

    def _select(self, question: str, route: str) -> Selection:
        if route not in SEARCH_ROUTES:
            raise UsageError("route-unknown", f"there is no route {route!r}.", f"Routes are {', '.join(SEARCH_ROUTES)}.")
        if route != "full-text":
            self._check_embedder()
        if route == "graph":
            wording = Wording(self.phrases, self.cues)
            return GraphRoute(self.db, self.layout, wording, self.embedding_set, self.embedder, self.settings).select(question)
        return self._search_chunks(question, route)

    def _search_chunks(self, question: str, route: str) -> Selection:
        found: dict[Route, RouteResult] = {}
        calls = 0
        candidates = self.settings.candidates_per_route
        if route != "full-text":
            batch = self.embedder.embed([question])
            calls = batch.calls
            vector = checked_vector(batch.vectors[0], self.embedding_set)
            found["vector"] = vector_route(self.db, self.layout, self.embedding_set.name, vector, candidates=candidates)
        if route != "vector":
            found["full-text"] = full_text_route(self.db, self.layout, question, candidates=candidates)
        return Selection(
            fuse({name: result.hits for name, result in found.items()}, self.settings.fusion_k),
            indexes=tuple(result.index for result in found.values()),
            limits=tuple(limit for result in found.values() for limit in result.limits),
            embedding_calls=calls,
            details={f"candidates_{name.replace('-', '_')}": len(result.hits) for name, result in found.items()},
        )

    def _context(self, selection: Selection, budgeted: Budgeted, route: str) -> tuple[tuple[ContextItem, ...], tuple[Limit, ...]]:
        items = budgeted.items
        limits = {*selection.limits, *budgeted.limits}
        context = list(selection.context)
        if route == "hybrid":
            stated = read_stated_facts(self.db, self.layout, items, self.phrases)
            context += stated.context
            limits |= set(stated.limits)
        context += neighbour_context(self.db, self.layout, items, self.settings.neighbour_chunks)
        return tuple(context), tuple(sorted(limits))

    def _check_embedder(self) -> None:
        """A vector of another size finds nothing, or fails in the server: it is named before anything is asked."""
        if self.embedder.dimensions != self.embedding_set.dimensions:
            raise UsageError(
                "embedding-set-differs",
                f"The embedding set {self.embedding_set.name!r} holds {self.embedding_set.dimensions} numbers "
                f"of {self.embedding_set.model!r}, the embedder {self.embedder.model!r} gives {self.embedder.dimensions}.",
                "Search with the model of the active set, or cut over to a set of this model.",
            )


def _checked_count(count: int) -> int:
    if not MAX_ITEMS[0] <= count <= MAX_ITEMS[1]:
        raise UsageError("max-items-out-of-bounds", f"max_items is {count}.", f"Use {MAX_ITEMS[0]} to {MAX_ITEMS[1]}.")
    return count


def _told(item: EvidenceItem, why: Mapping[str, str]) -> EvidenceItem:
    return replace(item, why=why.get(item.chunk_id) or ", ".join(f"{place.route} rank {place.rank}" for place in item.routes))
