"""A plain sentence states its facts; one that denies, supposes, asks or looks back states none."""

from collections.abc import Sequence

import pytest

from graphrag_assets_tests.extractions.offline_reading import LED, LIVES, OTHER, REPORTS, TEAM, found, needs, owned

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
