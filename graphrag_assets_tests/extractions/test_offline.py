"""The offline extractor finds what plain sentences say, and states nothing that a sentence denies, supposes or asks."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from graphrag_assets.extractions.extract import ask, build_extraction
from graphrag_assets.extractions.offline.extractor import RuleExtractor
from graphrag_assets.extractions.prompts import extraction_request
from graphrag_assets.extractions.replies import ReplyItems, outcome_of, read_items
from graphrag_assets.gateways.chat import ChatReply
from graphrag_assets.model.documents import LoadedDocument
from graphrag_assets.model.extraction import Extraction
from graphrag_assets_tests.builders.corpus import loaded, planned
from graphrag_assets_tests.extractions.passages import SETTINGS, chunk_of, facts, kept_of, names, reasons, said, shipped

OPERATIONS = RuleExtractor(shipped("operations"))
TEAM, OTHER = "Anvil team", "Thistle team"


def answer(text: str, context: str = "", ontology: str = "operations") -> ChatReply:
    extractor = OPERATIONS if ontology == "operations" else RuleExtractor(shipped(ontology))
    return extractor.complete(extraction_request(chunk_of(text, context=context), shipped(ontology), SETTINGS))


def found(text: str, context: str = "", ontology: str = "operations") -> list[tuple[str, str, str]]:
    """Facts that stand, sorted; the reply must be readable and nothing of it pruned."""
    reply = answer(text, context, ontology)
    assert outcome_of(reply) == ("read", "")
    kept = kept_of(chunk_of(text, context=context), reply.text, ontology)
    assert reasons(kept) == {}
    return sorted(facts(kept))


def owned(*systems: str, team: str = TEAM) -> list[tuple[str, str, str]]:
    return [(system, "OWNED_BY", team) for system in systems]


def needs(source: str, *targets: str) -> list[tuple[str, str, str]]:
    return [(source, "DEPENDS_ON", target) for target in targets]


LED = (TEAM, "LED_BY", "Oda Fenn")
REPORTS = ("Oda Fenn", "REPORTS_TO", "Piet Vorst")
LIVES = ("Oda Fenn", "LOCATED_IN", "Lindow")

STATED: dict[str, tuple[str, Sequence[tuple[str, str, str]]]] = {
    "active": ("Quern depends on Marl.", needs("Quern", "Marl")),
    "passive": ("Marl is owned by the Anvil team.", owned("Marl")),
    "active of the inverse": ("The Anvil team owns Marl.", owned("Marl")),
    "perfect": ("The Anvil team has owned Marl since May.", owned("Marl")),
    "particle": ("The Anvil team looks after Quern.", owned("Quern")),
    "adjective": ("The Anvil team is responsible for Quern.", owned("Quern")),
    "phrase": ("Oda Fenn is in charge of the Anvil team.", [LED]),
    "past event": ("INC-4711 took down Quern.", [("INC-4711", "AFFECTED", "Quern")]),
    "past event, passive": ("Quern was hit by INC-4711.", [("INC-4711", "AFFECTED", "Quern")]),
    "two prepositions": ("INC-4711 was traced back to Marl.", [("INC-4711", "CAUSED_BY", "Marl")]),
    "joined objects": ("The Anvil team maintains Quern, Marl and Tansy.", owned("Marl", "Quern", "Tansy")),
    "joined subjects": (
        "Oda Fenn and Piet Vorst report to Ilse Kamm.",
        [("Oda Fenn", "REPORTS_TO", "Ilse Kamm"), ("Piet Vorst", "REPORTS_TO", "Ilse Kamm")],
    ),
    "joined verbs": ("Every night Quern reads from Marl and writes to Tansy.", needs("Quern", "Marl", "Tansy")),
    "which, object": ("Marl, which the Anvil team owns, reads from Tansy.", [*needs("Marl", "Tansy"), *owned("Marl")]),
    "which, subject": ("The Anvil team, which owns Marl, sits in Lindow.", [(TEAM, "LOCATED_IN", "Lindow"), *owned("Marl")]),
    "who": ("Oda Fenn, who leads the Anvil team, reports to Piet Vorst.", [LED, REPORTS]),
    "apposition": ("Oda Fenn, the lead of the Anvil team, lives in Lindow.", [LED, LIVES]),
    "apposition of a class": ("Brightwell is a hosting company. Quern is hosted on Brightwell.", [("Quern", "HOSTED_ON", "Brightwell")]),
    "noun of": ("The lead of the Anvil team is Oda Fenn.", [LED]),
    "possessive": ("The Anvil team's lead is Oda Fenn.", [LED]),
    "possessive pronoun": ("The Anvil team owns Marl. Its lead is Oda Fenn.", [LED, *owned("Marl")]),
    "it": ("Quern is a service. It depends on Marl.", needs("Quern", "Marl")),
    "she": ("Oda Fenn leads the Anvil team. She reports to Piet Vorst.", [LED, REPORTS]),
    "the service": ("Quern is the billing service. The service calls Marl.", needs("Quern", "Marl")),
    "last name": ("Oda Fenn works from Lindow. Fenn leads the Anvil team.", [LED, LIVES]),
    "alias": (
        "Marl, also known as the Quarry, calls Tansy. The Quarry is owned by the Anvil team.",
        [*needs("Marl", "Tansy"), *owned("Marl")],
    ),
    "short form": (
        "Ledger Pump (LP) reads from Marl. LP is owned by the Anvil team.",
        [*needs("Ledger Pump", "Marl"), *owned("Ledger Pump")],
    ),
    "one number": (
        "Incident 4711 took down Quern. INC-4711 was caused by Marl.",
        [("Incident 4711", "AFFECTED", "Quern"), ("Incident 4711", "CAUSED_BY", "Marl")],
    ),
    "instead of": ("Quern calls Tansy instead of Marl.", needs("Quern", "Tansy")),
    "rather than": ("Quern depends on Tansy rather than Marl.", needs("Quern", "Tansy")),
    "only": ("Only Quern depends on Marl.", needs("Quern", "Marl")),
    "said twice": ("Quern depends on Marl. Quern depends on Marl.", needs("Quern", "Marl")),
    "said and denied of another": ("Quern depends on Marl but not on Tansy.", needs("Quern", "Marl")),
    "thought": ("We know that Quern depends on Marl.", needs("Quern", "Marl")),
}


@pytest.mark.parametrize(("text", "expected"), STATED.values(), ids=STATED)
def test_a_plain_sentence_states_its_facts_and_no_other(text: str, expected: Sequence[tuple[str, str, str]]) -> None:
    assert found(text) == sorted(expected)


@pytest.mark.parametrize(
    "text",
    [
        "Quern does not depend on Marl.",
        "Quern never calls Marl.",
        "Quern no longer depends on Marl.",
        "The Anvil team does not yet own Marl.",
        "The Anvil team no longer owns Marl.",
        "The Anvil team is not the owner of Marl.",
        "Oda Fenn is no longer the lead of the Anvil team.",
        "INC-4711 did not affect Quern.",
        "INC-4711 nearly took down Quern.",
        "At no time did INC-4711 affect Quern.",
        "Neither Quern nor Marl calls Tansy.",
        "Quern depends on neither Tansy nor Marl.",
        "Quern calls neither Tansy nor Marl.",
        "Marl is owned neither by the Anvil team nor by the Thistle team.",
        "It is not true that Quern depends on Marl.",
        "We never said that Quern depends on Marl.",
        "Oda Fenn doubts that Quern depends on Marl.",
        "Oda Fenn denied that she leads the Anvil team.",
    ],
)
def test_what_a_sentence_denies_is_no_fact(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "If Quern depends on Marl, the Anvil team should know.",
        "Unless Quern calls Marl, nothing happens.",
        "Quern would depend on Marl if the Anvil team owned it.",
        "Quern might call Marl.",
        "INC-4711 could have hit Quern.",
        "Suppose that Quern depends on Marl.",
        "Let Quern call Marl.",
        "Quern is supposed to depend on Marl.",
        "Oda Fenn pretends to lead the Anvil team.",
    ],
)
def test_what_a_sentence_supposes_is_no_fact(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "The Anvil team plans to own Marl.",
        "Oda Fenn wants to lead the Anvil team.",
        "Quern is going to depend on Marl.",
        "Quern will depend on Marl next year.",
        "Oda Fenn is the next lead of the Anvil team.",
        "Marl is expected to be owned by the Anvil team.",
    ],
)
def test_what_is_yet_to_come_is_no_fact(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Marl was owned by the Anvil team until May.",
        "The Anvil team owned Marl for years.",
        "The Anvil team had owned Marl for years.",
        "Marl used to be owned by the Anvil team.",
        "Quern used to depend on Marl.",
        "Quern stopped calling Marl.",
        "Oda Fenn was the lead of the Anvil team.",
        "The former lead of the Anvil team is Oda Fenn.",
    ],
)
def test_what_is_over_is_no_fact(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Oda Fenn, formerly the lead of the Anvil team, lives in Lindow.",
        "Oda Fenn, the former lead of the Anvil team, lives in Lindow.",
        "Oda Fenn, the deputy lead of the Anvil team, lives in Lindow.",
    ],
)
def test_a_lead_of_another_time_or_rank_is_not_the_lead(text: str) -> None:
    assert found(text) == [LIVES]


@pytest.mark.parametrize(
    "text",
    [
        "Does Quern depend on Marl?",
        "Why does Quern call Marl? Nobody knows.",
        "Who owns Marl, the Anvil team?",
        'Oda asked: "Quern calls Marl?"',
    ],
)
def test_what_is_asked_is_no_fact(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    ["Quern or Marl calls Tansy.", "Quern calls either Marl or Tansy.", "Marl is owned by the Anvil team or the Thistle team."],
)
def test_one_of_two_is_no_fact_about_either(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Quern depends on Tansy, not Marl.", needs("Quern", "Tansy")),
        ("The Anvil team, not the Thistle team, owns Marl.", owned("Marl")),
        ("Marl is owned by the Thistle team instead of the Anvil team.", owned("Marl", team=OTHER)),
    ],
)
def test_a_name_that_is_ruled_out_has_no_part_in_the_fact(text: str, expected: Sequence[tuple[str, str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Marl is owned not by the Anvil team but by the Thistle team.",
        "Marl is not owned by the Anvil team but by the Thistle team.",
        "Quern, not Marl, depends on Tansy.",
        "The Anvil team and not the Thistle team owns Marl.",
    ],
)
def test_a_contrast_may_be_missed_but_is_never_turned_round(text: str) -> None:
    assert set(found(text)) <= {*owned("Marl", team=TEAM if "and not" in text else OTHER), *needs("Quern", "Tansy")}


def test_a_verb_without_cue_is_no_fact_of_a_closed_ontology() -> None:
    assert found("The Anvil team took over Marl from the Thistle team.") == []


@pytest.mark.parametrize(
    ("text", "context", "expected"),
    [
        ("It calls Marl.", "Quern", needs("Quern", "Marl")),
        ("It calls Marl.\n\nThe Anvil team owns it.\n", "Services > Quern", [*needs("Quern", "Marl"), *owned("Quern")]),
        ("# Quern\n\nIt calls Marl. The Anvil team owns it.\n", "", [*needs("Quern", "Marl"), *owned("Quern")]),
        ("# Quern\n\nIt calls Marl and Tansy.\n\nThe Anvil team owns it.\n", "", [*needs("Quern", "Marl", "Tansy"), *owned("Quern")]),
        ("# Anvil Team\n\nIts lead is Oda Fenn.\n", "", [("Anvil Team", "LED_BY", "Oda Fenn")]),
        ("Its lead is Oda Fenn.\n", "Anvil Team", [("Anvil Team", "LED_BY", "Oda Fenn")]),
    ],
    ids=["context", "innermost-heading", "own-heading", "two-paragraphs", "own-heading-possessive", "context-possessive"],
)
def test_a_pronoun_under_a_heading_speaks_of_the_heading(text: str, context: str, expected: Sequence[tuple[str, str, str]]) -> None:
    assert found(text, context) == sorted(expected)


@pytest.mark.parametrize(
    "text",
    [
        "**Quern** depends on [Marl](https://example.org/marl) and `Tansy`.",
        "- Quern depends on Marl.\n- Quern depends on Tansy.\n",
        "1. Quern depends on Marl.\n2. Quern depends on Tansy.\n",
        "> Quern depends on Marl and Tansy.\n",
        "Quern depends on Marl\r\nand Tansy.\r\n",
        "## Overview\n\nQuern depends on Marl and Tansy.\n\n```yaml\nQuern depends on Burdock.\n```\n",
        "Quern depends on Marl\x00 and \x1b Tansy.",
    ],
    ids=["marks", "list", "numbers", "quote", "crlf", "fence", "control-characters"],
)
def test_marks_are_no_words(text: str) -> None:
    assert found(text) == needs("Quern", "Marl", "Tansy")


def test_rows_of_a_table_state_nothing() -> None:
    assert found("| System | Owner |\n|---|---|\n| Quern | Anvil team |\n| Marl | Thistle team |\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "---",
        "12:30 14:00 99 % !!",
        "```\nQuern depends on Marl.\n```",
        "\N{SNOWMAN}\N{GRINNING FACE}",
        "The quarterly review went well and everyone enjoyed the soup.",
        "Every service calls a database, and every database is owned by a team.",
        "On Monday in July the team met.",
        "- - -\n\n***\n",
    ],
)
def test_a_passage_that_names_nothing_gets_empty_lists(text: str) -> None:
    assert read_items(answer(text).text) == ReplyItems()


@pytest.mark.parametrize(
    ("text", "ontology", "expected"),
    [
        ("Oda Fenn attended the Lindow Conference.", "generic", [("Oda Fenn", "PARTICIPATES_IN", "Lindow Conference")]),
        ("Oda Fenn admires Piet Vorst.", "generic", [("Oda Fenn", "RELATED_TO", "Piet Vorst")]),
        ("Oda Fenn does not admire Piet Vorst.", "generic", []),
        ("Quarrel Ltd is based in Lindow.", "generic", [("Quarrel Ltd", "LOCATED_IN", "Lindow")]),
        ("Oda Fenn lives in Lindow and loves Lindow.", "generic", [LIVES]),
        ("Oda Fenn lives in Lindow. She admires Piet Vorst.", "novel", [LIVES, ("Oda Fenn", "RELATED_TO", "Piet Vorst")]),
    ],
)
def test_other_ontologies_bring_their_own_cues(text: str, ontology: str, expected: Sequence[tuple[str, str, str]]) -> None:
    assert found(text, ontology=ontology) == expected


def test_an_open_fact_says_its_verb() -> None:
    items = read_items(answer("Oda Fenn admires Piet Vorst.", ontology="generic").text)
    assert isinstance(items, ReplyItems)
    assert [fact["kind"] for fact in items.facts if isinstance(fact, dict)] == ["admire"]


def test_a_reply_keeps_the_schema_of_the_request() -> None:
    request = extraction_request(chunk_of("Quern depends on Marl."), shipped("operations"), SETTINGS)
    items = read_items(OPERATIONS.complete(request).text)
    assert isinstance(items, ReplyItems)
    properties = request.schema["properties"]
    assert isinstance(properties, dict)
    for part, listed in (("things", items.things), ("facts", items.facts)):
        assert listed
        for item in listed:
            assert isinstance(item, dict)
            assert sorted(item) == sorted(properties[part]["items"]["required"])


def test_names_carry_their_classes_and_aliases() -> None:
    text = "Marl, also called the Quarry, is hosted at Brightwell, a hosting company. Oda Fenn of the Anvil team lives in Lindow."
    kept = kept_of(chunk_of(text), answer(text).text, "operations")
    assert set(names(kept)) == {("Marl", "System"), ("Brightwell", "Vendor"), ("Oda Fenn", "Person"), (TEAM, "Team"), ("Lindow", "Place")}
    assert {thing.name: thing.aliases for thing in kept.things}["Marl"] == ("Quarry",)


def test_the_stand_in_says_what_it_is_and_estimates_tokens() -> None:
    reply = answer("Quern depends on Marl.")
    assert (OPERATIONS.stand_in, reply.model, reply.finish_reason) == (True, OPERATIONS.model, "stop")
    assert OPERATIONS.model.startswith("rule-extractor-")
    assert reply.tokens_estimated
    assert reply.input_tokens > 0 < reply.output_tokens


PASSAGES = [text for text, _ in STATED.values()]


def test_two_extractors_give_equal_replies() -> None:
    first, second = RuleExtractor(shipped("operations")), RuleExtractor(shipped("operations"))
    requests = [extraction_request(chunk_of(text), shipped("operations"), SETTINGS) for text in PASSAGES]
    assert [first.complete(request) for request in requests] == [second.complete(request) for request in reversed(requests)][::-1]


def test_four_threads_get_what_one_gets() -> None:
    requests = [extraction_request(chunk_of(text), shipped("operations"), SETTINGS) for text in PASSAGES]
    alone = [OPERATIONS.complete(request).text for request in requests]
    with ThreadPoolExecutor(4) as pool:
        together = [reply.text for reply in pool.map(OPERATIONS.complete, requests * 2)]
    assert together == alone * 2


def extracted(document: LoadedDocument) -> Extraction:
    plan, ontology = planned(document), shipped("operations")
    replies = ask(plan, ontology, SETTINGS, OPERATIONS, reuse=lambda _: None, on_paid=lambda _: None)
    return build_extraction(document, plan, replies, ontology, SETTINGS)


def test_a_document_is_extracted_offline_from_end_to_end() -> None:
    document = loaded(
        "quern.md", "Quern depends on Marl \N{GRINNING FACE}.\nThe Anvil team owns Quern, and Oda Fenn leads the Anvil team.\n"
    )
    extraction = extracted(document)
    assert said(extraction) == [LED, *needs("Quern", "Marl"), *owned("Quern")]
    assert all(m.span.text(document.text) == m.quote for m in extraction.mentions)
    assert extraction == extracted(document)
