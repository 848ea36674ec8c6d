"""The offline extractor reads Markdown and headings, answers like a model, and answers the same each time."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from graphrag_assets.extractions.extract import ask, build_extraction
from graphrag_assets.extractions.offline.extractor import RuleExtractor
from graphrag_assets.extractions.prompts import extraction_request
from graphrag_assets.extractions.replies import ReplyItems, read_items
from graphrag_assets.model.documents import LoadedDocument
from graphrag_assets.model.extraction import Extraction
from graphrag_assets_tests.builders.corpus import loaded, planned
from graphrag_assets_tests.extractions.offline_reading import LED, LIVES, OPERATIONS, REPORTS, TEAM, answer, found, needs, owned
from graphrag_assets_tests.extractions.passages import SETTINGS, chunk_of, kept_of, names, said, shipped


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


PAGE = """\
# Quern #

A small service.

It calls Marl.

```yaml
Quern calls Burdock.
```

- The Anvil team owns it.
- Oda Fenn leads the Anvil team.

| System | Owner |
|--------|-------|
| Tansy  | Thistle team |

Heading of old
--------------

Oda Fenn reports to Piet Vorst.
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_page_says_the_same_with_either_line_end(end: str) -> None:
    assert found(f"\n{PAGE}".replace("\n", end)) == sorted([LED, REPORTS, *needs("Quern", "Marl"), *owned("Quern")])


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


PASSAGES = [
    *PAGE.split("\n\n"),
    PAGE,
    "Quern reads from Marl and Tansy, which the Anvil team owns.",
    "Oda Fenn, who leads the Anvil team, lives in Lindow.",
]


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
