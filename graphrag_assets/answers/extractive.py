"""The offline stand-in for an answering model: it only quotes. Every receipt that it took part in says its name.

It ranks sentences by the question's words they say, ties a chain of up to three of them by names, and says that the
evidence is insufficient when the chain leaves a name or too many words of the question unsaid.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Final

from typing_extensions import override

from graphrag_assets.answers.prompts import CONTEXT_LABEL, FACT_REASON
from graphrag_assets.answers.reading import Reading, Wanted, fact_lines, read_question, read_sentences
from graphrag_assets.answers.selection import Rules, best_chain, coverage, is_answer
from graphrag_assets.answers.sentences import sentences_of
from graphrag_assets.gateways.chat import ChatModel, ChatReply, ChatRequest, Passage
from graphrag_assets.gateways.embedder import Embedder
from graphrag_assets.gateways.tokens import ByteTokenCounter
from graphrag_assets.model.errors import UsageError
from graphrag_assets.retrieval.wording import Wording

# Embedding is the dear part of this stand-in: only the sentences that say most of the question are compared by vector.
COMPARED_SENTENCES: Final = 24


class ExtractiveChat(ChatModel):
    """Answers the role ``answer`` by quoting, without a model; refuses every other role.

    Args:
        embedder: When given, nearness of a sentence to the question counts beside its words.
        wording: How the ontology speaks of its facts, so that a fact line in the context is known by other words too.
    """

    model = "extractive"
    stand_in = True

    def __init__(self, embedder: Embedder | None = None, wording: Wording | None = None, *, rules: Rules | None = None) -> None:
        self._embedder = embedder
        self._wording = wording or Wording({})
        self._rules = rules or Rules()

    @override
    def complete(self, request: ChatRequest) -> ChatReply:
        if request.role != "answer":
            raise UsageError(
                "stand-in-role", f"the extractive stand-in only answers questions, not {request.role!r}.", "Choose the profile live."
            )
        text = json.dumps(self._reply(request.question, request.passages), ensure_ascii=False)
        count = ByteTokenCounter().count
        sent = sum(count(message["content"]) for message in request.messages())
        return ChatReply(text, "stop", self.model, input_tokens=sent, output_tokens=count(text), tokens_estimated=True)

    def _reply(self, question: str, passages: Sequence[Passage]) -> dict[str, object]:
        citable = [passage for passage in passages if not passage.label.startswith(CONTEXT_LABEL)]
        context = [p.text for p in passages if p.label.startswith(CONTEXT_LABEL) and p.heading.startswith(FACT_REASON)]
        sentences = [s for place, passage in enumerate(citable) for s in sentences_of(place, passage.text, passage.heading)]
        readings = read_sentences(sentences, [line for text in context for line in fact_lines(text, self._wording)])
        wanted = read_question(question, readings)
        chain = best_chain(readings, wanted, self._nearness(question, readings, wanted))
        if chain is None or not is_answer(chain, readings, wanted, self._rules):
            return {"insufficient": True, "statements": []}
        chosen = [readings[place].sentence for place in chain.places]
        return {"insufficient": False, "statements": [_statement(citable[s.passage].label, s.text) for s in chosen]}

    def _nearness(self, question: str, readings: Sequence[Reading], wanted: Wanted) -> Mapping[int, float]:
        if self._embedder is None or not readings:
            return {}
        ranked = sorted(range(len(readings)), key=lambda place: (-coverage(readings[place].stems, wanted), place))[:COMPARED_SENTENCES]
        texts = [f"{'. '.join(readings[place].sentence.headings)}. {readings[place].sentence.text}" for place in ranked]
        first, *others = self._embedder.embed([question, *texts]).vectors
        return {place: _cosine(first, vector) for place, vector in zip(ranked, others, strict=True)}


def _statement(label: str, quote: str) -> dict[str, object]:
    return {"text": quote, "citations": [{"chunk_id": label, "quote": quote}]}


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    size = math.sqrt(sum(x * x for x in one)) * math.sqrt(sum(x * x for x in other))
    return sum(x * y for x, y in zip(one, other, strict=True)) / size if size else 0.0
