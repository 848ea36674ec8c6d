"""Asking: evidence, one chat call, verification. Nothing is retried: a person is waiting."""

from dataclasses import dataclass

from graphrag_assets.answers.prompts import answer_request
from graphrag_assets.answers.verify import Verified, verify_reply
from graphrag_assets.gateways.chat import ChatModel
from graphrag_assets.gateways.clock import Clock
from graphrag_assets.model.evidence import Answer, Answered, AnswerReceipt, Evidence, Refused
from graphrag_assets.model.settings import AnswerSettings
from graphrag_assets.retrieval.search import Retriever


@dataclass(frozen=True, slots=True)
class Answerer:
    """Answers questions from a corpus, verified or refused.

    Args:
        chat: The model of the role ``answer``.
    """

    retriever: Retriever
    chat: ChatModel
    settings: AnswerSettings
    clock: Clock

    def ask(self, question: str, *, route: str = "hybrid") -> Answer:
        """Answer one question.

        Raises:
            UsageError: As `Retriever.search` does.
            FailedDocument: The embedding or chat call failed; it is not tried again.
        """
        return self.answer_from(self.retriever.search(question, route=route))

    def answer_from(self, evidence: Evidence) -> Answer:
        """Answer from evidence at hand; without items no model is called."""
        return answer_from(evidence, self.chat, self.settings, self.clock)


def answer_from(evidence: Evidence, chat: ChatModel, settings: AnswerSettings, clock: Clock) -> Answer:
    """One chat call over ``evidence`` and its verification."""
    stand_ins = tuple(sorted({*evidence.receipt.stand_ins, *((chat.model,) if chat.stand_in else ())}))
    if not evidence.items:
        return Refused("no-evidence", evidence, AnswerReceipt(chat.model, 0, 0, 0, evidence.receipt.seconds, 0.0, 0, stand_ins))
    started = clock.monotonic()
    reply = chat.complete(answer_request(evidence, settings))
    outcome = verify_reply(reply, evidence.items, settings.on_bad_citation)
    receipt = AnswerReceipt(
        chat_model=reply.model,
        chat_calls=1,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        retrieval_seconds=evidence.receipt.seconds,
        answer_seconds=clock.monotonic() - started,
        withdrawn_statements=outcome.withdrawn,
        stand_ins=stand_ins,
    )
    if isinstance(outcome, Verified):
        return Answered(outcome.answer, outcome.citations, evidence, receipt)
    return Refused(outcome.reason, evidence, receipt)
