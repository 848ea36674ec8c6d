"""The stand-in that only quotes: what it answers, what it ties together, and when it says insufficient."""

import json

import pytest

from graphrag_assets.answers.extractive import ExtractiveChat
from graphrag_assets.gateways.chat import ChatRequest, Passage
from graphrag_assets.gateways.hashing import HashingEmbedder
from graphrag_assets.model.errors import UsageError
from graphrag_assets.retrieval.wording import Wording

PASSAGES = (
    Passage("loom", "# Loom\n\nLoom weaves the nightly summary. It stores about nine gigabytes. The Kiln team looks after it.", "Loom"),
    Passage("kiln", "# Kiln team\n\nPer Holt is in charge of the Kiln team. The team has five members and works from Leith.", "Kiln team"),
    Passage("holt", "# Per Holt\n\nPer Holt answers to Mo Grand. He joined in 2019.", "Per Holt"),
    Passage("hedge", "# Hedge team\n\nThe Hedge team is led by Lia Fonda. It maintains Spindle.", "Hedge team"),
    Passage("fair", "# Herb fair\n\nThe herb fair takes place in June. Bring your own basket.", "Herb fair"),
)
FACTS = (
    Passage("context-1", "Loom (System) is owned by Kiln team (Team); Kiln team (Team) is led by Per Holt (Person)", "graph-path: to read"),
    Passage("context-2", "Per Holt (Person) reports to Mo Grand (Person)", "graph-path: to read"),
)
WORDING = Wording(
    {"OWNED_BY": "is owned by", "LED_BY": "is led by", "REPORTS_TO": "reports to"},
    {"OWNED_BY": ("own", "run"), "LED_BY": ("lead", "head")},
)


def ask(question: str, *passages: Passage, chat: ExtractiveChat | None = None) -> dict[str, list[str]] | None:
    """Quotes by chunk id in the order given; None when it says insufficient."""
    request = ChatRequest("answer", "instructions", question, passages or PASSAGES, "schema", {})
    reply = json.loads((chat or ExtractiveChat()).complete(request).text)
    if reply["insufficient"]:
        assert reply["statements"] == []
        return None
    quotes: dict[str, list[str]] = {}
    for statement in reply["statements"]:
        (cited,) = statement["citations"]
        assert statement["text"] == cited["quote"]
        quotes.setdefault(cited["chunk_id"], []).append(cited["quote"])
    return quotes


ANSWERED = {
    "Who leads the Hedge team?": ("hedge", "The Hedge team is led by Lia Fonda."),
    "Where does the Kiln team work?": ("kiln", "The team has five members and works from Leith."),
    "How many members does the kiln team have?": ("kiln", "The team has five members and works from Leith."),
    "When did Per Holt join?": ("holt", "He joined in 2019."),
    "When is the herb fair?": ("fair", "The herb fair takes place in June."),
    "What does Loom weave?": ("loom", "Loom weaves the nightly summary."),
}


@pytest.mark.parametrize(("question", "quote"), ANSWERED.items())
def test_it_quotes_the_sentence_that_says_the_questions_words(question: str, quote: tuple[str, str]) -> None:
    answer = ask(question)
    assert answer is not None
    assert quote[1] in answer.get(quote[0], [])


UNANSWERED = [
    "What is the salary of Per Holt?",
    "Which team owns Paprika?",
    "Who leads the Cellar team?",
    "When was the Hedge team founded?",
    "How many members does the Hedge team have?",
    "What programming language is Loom written in?",
    "Why?",
]


@pytest.mark.parametrize("question", UNANSWERED)
def test_it_says_insufficient_when_a_name_or_too_many_words_are_left_unsaid(question: str) -> None:
    assert ask(question) is None


def test_it_follows_names_from_one_passage_to_the_next() -> None:
    answer = ask("Who is in charge of the team that looks after Loom?")
    assert answer is not None
    assert answer["kiln"] == ["Per Holt is in charge of the Kiln team."]
    assert answer["loom"] == ["The Kiln team looks after it."]


def test_a_fact_line_lends_its_words_to_the_sentence_that_carries_the_fact() -> None:
    question = "To whom does the head of the team that owns Loom report?"
    assert ask(question, *PASSAGES) is None
    answer = ask(question, *PASSAGES, *FACTS, chat=ExtractiveChat(wording=WORDING))
    assert answer == {
        "loom": ["The Kiln team looks after it."],
        "kiln": ["Per Holt is in charge of the Kiln team."],
        "holt": ["Per Holt answers to Mo Grand."],
    }


def test_names_that_share_a_word_are_not_one_name() -> None:
    incidents = [
        Passage(f"i{n}", f"# Incident {n}\n\nIt began at noon. {cause}", f"Incident {n}")
        for n, cause in ((2058, "Pellucid was the first suspect."), (2067, "The cause was Bollard."), (2063, "Nobody was awake."))
    ]
    assert ask("What caused Incident 2058?", *incidents) is None
    answer = ask("What caused Incident 2067?", *incidents)
    assert answer == {"i2067": ["The cause was Bollard."]}


def test_a_part_of_a_name_ties_to_the_whole() -> None:
    passages = [
        Passage("p1", "Mirela Castan manages one person, Juno Adair.", ""),
        Passage("p2", "When she is at home, Adair lives in Tallinn.", ""),
    ]
    answer = ask("Where does the person live whom Mirela Castan manages?", *passages)
    assert answer is not None
    assert set(answer) == {"p1", "p2"}


def test_context_is_never_cited() -> None:
    only_context = [Passage("context-1", "Lia Fonda leads the Hedge team.", "neighbour-after: to read")]
    assert ask("Who leads the Hedge team?", PASSAGES[0], *only_context) is None


def test_it_gives_at_most_three_statements() -> None:
    answer = ask("What does Loom weave, what does it store, who is in charge of the Kiln team, and when did Per Holt join?")
    assert answer is not None
    assert sum(map(len, answer.values())) == 3


def test_the_same_request_gives_the_same_reply_with_or_without_an_embedder() -> None:
    request = ChatRequest("answer", "i", "Who leads the Hedge team?", PASSAGES, "s", {})
    for chat in (ExtractiveChat(), ExtractiveChat(HashingEmbedder())):
        assert chat.complete(request) == chat.complete(request)
        assert chat.complete(request).tokens_estimated
    assert ask("Who leads the Hedge team?", chat=ExtractiveChat(HashingEmbedder())) == {"hedge": ["The Hedge team is led by Lia Fonda."]}


def test_other_roles_are_refused() -> None:
    with pytest.raises(UsageError) as refused:
        ExtractiveChat().complete(ChatRequest("extract", "i", "q", PASSAGES, "s", {}))
    assert refused.value.code == "stand-in-role"


def test_without_passages_it_says_insufficient() -> None:
    assert ask("Who leads the Hedge team?", Passage("context-1", "x", "neighbour-after")) is None
