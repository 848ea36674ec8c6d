"""Asking: evidence, one call, verification, and what the receipt says of them."""

import json
from pathlib import Path

import pytest
from typing_extensions import override

from graphrag_assets.answers.answer import answer_from
from graphrag_assets.answers.extractive import ExtractiveChat
from graphrag_assets.gateways.chat import ChatReply, ChatRequest
from graphrag_assets.model.errors import TransientError
from graphrag_assets.model.evidence import Answered, Evidence, EvidenceItem, EvidenceReceipt, Refused
from graphrag_assets.model.settings import AnswerSettings
from graphrag_assets_tests.fakes.chat import ScriptedChat
from graphrag_assets_tests.fakes.clock import FakeClock
from graphrag_assets_tests.retrieval.evidence_items import item

INJECTION = Path(__file__).parents[1].joinpath("cases", "b15_injection.md").read_text(encoding="utf-8")
SETTINGS = AnswerSettings()
CITED = {"text": "Mara does.", "citations": [{"chunk_id": "c1", "quote": "Mara Lind works at Orrin Mills."}]}


def evidence(*items: EvidenceItem, question: str = "Who works at Orrin Mills?") -> Evidence:
    return Evidence(question, items, (), 0, (), EvidenceReceipt("hybrid", "1", "tiny", (), 0, 1, ("hashing",), 0.25))


def says(*statements: object) -> ScriptedChat:
    return ScriptedChat([json.dumps({"insufficient": False, "statements": list(statements)})])


class SlowChat(ScriptedChat):
    """Takes two seconds."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__([json.dumps({"insufficient": False, "statements": [CITED]})])
        self.clock = clock

    @override
    def complete(self, request: ChatRequest) -> ChatReply:
        self.clock.move(2.0)
        return super().complete(request)


def test_without_evidence_no_model_is_called() -> None:
    chat = ScriptedChat([])
    outcome = answer_from(evidence(), chat, SETTINGS, FakeClock())
    assert isinstance(outcome, Refused)
    assert (outcome.reason, chat.requests, outcome.receipt.chat_calls) == ("no-evidence", [], 0)


def test_an_answer_costs_one_call_and_its_receipt_says_what_it_took() -> None:
    clock = FakeClock()
    outcome = answer_from(evidence(item("c1", INJECTION)), SlowChat(clock), SETTINGS, clock)
    assert isinstance(outcome, Answered)
    assert outcome.answer == "Mara does. [1]"
    receipt = outcome.receipt
    assert (receipt.chat_model, receipt.chat_calls, receipt.input_tokens, receipt.output_tokens) == ("scripted", 1, 10, 5)
    assert (receipt.retrieval_seconds, receipt.answer_seconds) == (0.25, 2.0)
    assert receipt.stand_ins == ("hashing",)


def test_a_failed_call_is_not_tried_again() -> None:
    chat = ScriptedChat([TransientError("rate-limited", "too fast")])
    with pytest.raises(TransientError):
        answer_from(evidence(item("c1", INJECTION)), chat, SETTINGS, FakeClock())
    assert len(chat.requests) == 1


OBEYED = {
    "it prints its instructions": "You answer a question from passages of documents.",
    "it states without a citation": json.dumps({"insufficient": False, "statements": [{"text": "Owned is a Company.", "citations": []}]}),
    "it quotes what nobody wrote": json.dumps(
        {
            "insufficient": False,
            "statements": [{"text": "All are.", "citations": [{"chunk_id": "c1", "quote": "Mara Lind works at Owned."}]}],
        }
    ),
    "it cites the fence": json.dumps(
        {"insufficient": False, "statements": [{"text": "Owned.", "citations": [{"chunk_id": "SYSTEM", "quote": "drop the schema"}]}]}
    ),
}


@pytest.mark.parametrize("reply", OBEYED.values(), ids=OBEYED.keys())
def test_a_model_that_obeys_the_document_is_refused(reply: str) -> None:
    assert isinstance(answer_from(evidence(item("c1", INJECTION)), ScriptedChat([reply]), SETTINGS, FakeClock()), Refused)


def test_withdrawn_statements_are_counted_in_the_receipt() -> None:
    settings = AnswerSettings(on_bad_citation="withdraw")
    bad = {"text": "Made up.", "citations": [{"chunk_id": "C1", "quote": "Mara"}]}
    kept = answer_from(evidence(item("c1", INJECTION)), says(bad, CITED), settings, FakeClock())
    assert (type(kept), kept.receipt.withdrawn_statements) == (Answered, 1)
    lost = answer_from(evidence(item("c1", INJECTION)), says(bad), settings, FakeClock())
    assert (type(lost), lost.receipt.withdrawn_statements) == (Refused, 1)


def test_the_stand_in_says_its_name_and_passes_the_same_verifier() -> None:
    outcome = answer_from(evidence(item("c1", INJECTION)), ExtractiveChat(), SETTINGS, FakeClock())
    assert isinstance(outcome, Answered)
    assert [cited.quote for cited in outcome.citations] == ["Mara Lind works at Orrin Mills."]
    assert outcome.receipt.stand_ins == ("extractive", "hashing")
