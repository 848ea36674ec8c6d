"""Each passage is paid for once, at once; a failure later on loses nothing; an unreadable reply is asked for once more."""

from collections.abc import Sequence

import pytest

from graphrag_assets.extractions.extract import ask
from graphrag_assets.model.errors import FailedDocument, TransientError
from graphrag_assets.model.extraction import ExtractionReply
from graphrag_assets.model.plans import ChunkPlan
from graphrag_assets.model.settings import ExtractionSettings
from graphrag_assets_tests.builders.corpus import loaded, planned
from graphrag_assets_tests.extractions.mills import MILLS, SETTINGS, reply
from graphrag_assets_tests.fakes.chat import Answer, ScriptedChat, chat_reply

SIX = planned(loaded("six.md", "".join(f"Line {n} of six.\n" for n in range(6))))
GOOD = reply()


class _Paid:
    """Replies that were paid for, by request hash."""

    def __init__(self) -> None:
        self.replies: dict[str, ExtractionReply] = {}

    def ask(self, plan: ChunkPlan, answers: Sequence[Answer], settings: ExtractionSettings = SETTINGS) -> tuple[ExtractionReply, ...]:
        self.chat = ScriptedChat(answers)
        return ask(plan, MILLS, settings, self.chat, reuse=self.replies.get, on_paid=lambda r: self.replies.update({r.request_hash: r}))


def test_blank_chunks_are_not_asked_about_and_the_others_in_order() -> None:
    plan = planned(loaded("a.md", "One.\n\n  \nTwo.\n"))
    paid = _Paid()
    replies = paid.ask(plan, [GOOD, GOOD])
    assert [r.chunk_id for r in replies] == [c.chunk_id for c in plan.chunks if not c.blank]
    assert [r.passages[0].text.strip() for r in paid.chat.requests] == ["One.", "Two."]
    assert {r.passages[0].label for r in paid.chat.requests} == {"P1"}


def test_a_failure_at_the_fourth_chunk_keeps_three_and_the_next_run_pays_for_the_missing_ones_alone() -> None:
    paid = _Paid()
    with pytest.raises(TransientError):
        paid.ask(SIX, [GOOD, GOOD, GOOD, TransientError("rate-limited", "too fast")])
    assert len(paid.replies) == 3
    replies = paid.ask(SIX, [GOOD, GOOD, GOOD])
    assert [r.reused for r in replies] == [True, True, True, False, False, False]


def test_no_choices_fails_the_document_and_is_no_reply() -> None:
    paid = _Paid()
    with pytest.raises(FailedDocument) as failed:
        paid.ask(SIX, [FailedDocument("extraction-failed", "no choices")])
    assert (failed.value.code, paid.replies) == ("extraction-failed", {})


def test_a_passage_that_stands_twice_is_paid_once() -> None:
    plan = planned(loaded("a.md", "The same.\nThe same.\n"))
    chat = ScriptedChat([GOOD])
    replies = ask(plan, MILLS, SETTINGS, chat, reuse=lambda _: None, on_paid=lambda _: None)
    assert [r.reused for r in replies] == [False, True]
    assert len({r.chunk_id for r in replies}) == 2


def test_a_reused_reply_belongs_to_the_chunk_that_reuses_it() -> None:
    paid = _Paid()
    paid.ask(planned(loaded("a.md", "Line 0 of six.\n")), [GOOD])
    replies = paid.ask(SIX, [GOOD] * 5)
    assert (replies[0].reused, replies[0].chunk_id) == (True, SIX.chunks[0].chunk_id)


ONE = planned(loaded("one.md", "Mara Lind works."))


def test_an_unreadable_reply_is_asked_for_once_more_and_both_are_counted() -> None:
    paid = _Paid()
    (found,) = paid.ask(ONE, [chat_reply("no JSON", input_tokens=10, output_tokens=5), chat_reply(GOOD, input_tokens=12, output_tokens=7)])
    assert (found.outcome, found.repaired, found.attempts) == ("read", True, 2)
    assert (found.input_tokens, found.output_tokens, found.text) == (22, 12, GOOD)
    first, second = paid.chat.requests
    assert (first.follow_up, bool(second.follow_up)) == ("", True)
    assert found.request_hash == first.hash(paid.chat.model)


def test_a_reply_that_stays_unreadable_is_an_outcome() -> None:
    (found,) = _Paid().ask(ONE, ["no JSON", "none still"])
    assert (found.outcome, found.repaired, found.attempts, found.text) == ("unreadable-reply", False, 2, "none still")


def test_the_second_ask_can_be_switched_off() -> None:
    (found,) = _Paid().ask(ONE, ["no JSON"], ExtractionSettings(retry_unreadable_replies=False))
    assert (found.outcome, found.attempts) == ("unreadable-reply", 1)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (chat_reply('{"things": [', "length"), "truncated"),
        (chat_reply("no", "refusal"), "refused"),
        (chat_reply("", "content-filter"), "filtered"),
        (chat_reply("", "empty"), "empty-reply"),
    ],
    ids=["truncated", "refused", "filtered", "empty"],
)
def test_a_reply_that_another_ask_would_not_mend_is_asked_for_once(answer: Answer, outcome: str) -> None:
    (found,) = _Paid().ask(ONE, [answer])
    assert (found.outcome, found.attempts) == (outcome, 1)


def test_a_second_ask_that_ends_early_is_named_by_its_own_end() -> None:
    (found,) = _Paid().ask(ONE, ["no JSON", chat_reply("{", "length")])
    assert (found.outcome, found.finish_reason) == ("truncated", "length")


def test_half_a_surrogate_pair_does_not_reach_the_store() -> None:
    (found,) = _Paid().ask(ONE, [GOOD + "\ud83d"], ExtractionSettings(retry_unreadable_replies=False))
    assert found.text == GOOD + "?"


def test_an_unreadable_reply_is_asked_for_again_once_second_asks_are_allowed() -> None:
    paid = _Paid()
    once = SETTINGS.model_copy(update={"retry_unreadable_replies": False})
    plan = planned(loaded("a.md", "One.\n"))
    (unreadable,) = paid.ask(plan, ["no JSON"], once)
    assert (unreadable.outcome, unreadable.attempts) == ("unreadable-reply", 1)
    (kept,) = paid.ask(plan, [], once)
    assert kept.reused
    (read,) = paid.ask(plan, [GOOD])
    assert (read.outcome, read.reused) == ("read", False)
