"""An ontology says which classes and facts there are, and a file that does not is refused with its place."""

from pathlib import Path

import pytest
import yaml

from graphrag_assets.extractions.ontology import SHIPPED, Ontology, load_ontology, matches_name, parse_ontology
from graphrag_assets.model.errors import SettingsError
from graphrag_assets_tests.extractions.passages import shipped

PERSON, ORGANIZATION, PLACE, EVENT = "Person", "Organization", "Place", "Event"

OWN = """\
name: mills
description: Mills and their people.
classes:
  Mill: {description: "A mill."}
  Weaver: {description: "Who works there."}
facts:
  WEAVES_AT: {pairs: [[Weaver, Mill]], phrase: weaves at, description: Who works where.}
  NAMED_IN: {pairs: [[Mill, Document]], phrase: is named in, description: What the page is of.}
quotes:
  SAYS: {speakers: [Weaver], description: "Words."}
placeholders: [the mill]
"""


def product(sources: str, targets: str) -> set[tuple[str, str]]:
    return {(source, target) for source in sources.split() for target in targets.split()}


PAIRS = {
    "generic": {
        "WORKS_FOR": product(PERSON, ORGANIZATION),
        "MEMBER_OF": product("Person Organization", ORGANIZATION),
        "LOCATED_IN": product("Person Organization Event Place", PLACE),
        "PARTICIPATES_IN": product("Person Organization", EVENT),
        "PART_OF": {(kind, kind) for kind in (ORGANIZATION, PLACE, EVENT, "Concept")},
        "AUTHORED": product("Person Organization", "Document"),
        "ABOUT": product("Document", "Person Organization Place Event Concept"),
        "RELATED_TO": product("Person Organization Place Event Concept", "Person Organization Place Event Concept"),
    },
    "novel": {
        "KIN_OF": product("Character", "Character"),
        "MEMBER_OF": product("Character", "Group"),
        "LOCATED_IN": product("Character Group Place", PLACE),
        "PARTICIPATES_IN": product("Character Group", EVENT),
        "TAKES_PLACE_IN": product(EVENT, PLACE),
        "RELATED_TO": product("Character Group", "Character Group"),
    },
    "article": {
        "WORKS_FOR": product(PERSON, ORGANIZATION),
        "MEMBER_OF": product("Person Organization", ORGANIZATION),
        "LOCATED_IN": product("Person Organization Event Place", PLACE),
        "PARTICIPATES_IN": product("Person Organization", EVENT),
        "TAKES_PLACE_IN": product(EVENT, PLACE),
        "PART_OF": {(kind, kind) for kind in (ORGANIZATION, "Topic")},
        "AUTHORED": product("Person Organization", "Document"),
        "ABOUT": product("Document", "Topic Person Organization Event Place"),
        "RELATED_TO": product("Person Organization Event Topic", "Person Organization Event Topic"),
    },
    "operations": {
        "DEPENDS_ON": product("System", "System Vendor"),
        "OWNED_BY": product("System", "Team"),
        "LED_BY": product("Team", "Person"),
        "REPORTS_TO": {("Person", "Person"), ("Team", "Team"), ("Team", "Person")},
        "HOSTED_ON": product("System", "System Vendor"),
        "LOCATED_IN": product("Team Person Vendor System", PLACE),
        "AFFECTED": product("Incident", "System Vendor"),
        "CAUSED_BY": product("Incident", "System Vendor Incident"),
    },
}
QUOTES = {"generic": {}, "novel": {"SAYS": ("Character",)}, "article": {"QUOTED": ("Person", "Organization")}, "operations": {}}


def refusal(text: str) -> SettingsError:
    with pytest.raises(SettingsError) as raised:
        parse_ontology(text, "mills.yaml")
    return raised.value


def changed(old: str, new: str) -> str:
    assert old in OWN
    return OWN.replace(old, new)


def test_four_ontologies_are_shipped() -> None:
    assert SHIPPED == ("generic", "novel", "article", "operations")
    assert [shipped(name).name for name in SHIPPED] == list(SHIPPED)


@pytest.mark.parametrize("name", SHIPPED)
def test_facts_of_a_shipped_ontology_have_these_pairs_of_classes(name: str) -> None:
    assert {fact.name: set(fact.pairs) for fact in shipped(name).facts} == PAIRS[name]


@pytest.mark.parametrize("name", SHIPPED)
def test_quotes_of_a_shipped_ontology_have_these_speakers(name: str) -> None:
    assert {quote.name: quote.speakers for quote in shipped(name).quotes} == QUOTES[name]


@pytest.mark.parametrize("name", SHIPPED)
def test_every_class_and_fact_of_a_shipped_ontology_is_described(name: str) -> None:
    ontology = shipped(name)
    assert all(part.description.strip() for part in (*ontology.classes, *ontology.facts, *ontology.quotes))
    assert all(fact.phrase.strip() for fact in ontology.facts)


def test_any_stands_for_every_pair_of_classes() -> None:
    related = parse_ontology(changed("[[Weaver, Mill]]", "any"), "mills.yaml").fact("WEAVES_AT")
    assert set(related.pairs) == product("Mill Weaver", "Mill Weaver")


@pytest.mark.parametrize(
    ("source", "fact", "target", "allowed"),
    [
        ("System", "OWNED_BY", "Team", True),
        ("Team", "OWNED_BY", "System", False),
        ("System", "OWNED_BY", "Person", False),
        ("System", "ADMIRES", "Team", False),
        ("system", "owned_by", "team", False),
        ("Document", "OWNED_BY", "Team", False),
    ],
)
def test_a_fact_goes_only_between_the_classes_of_its_pairs(source: str, fact: str, target: str, allowed: bool) -> None:
    assert shipped("operations").allows(source, fact, target) is allowed


def test_the_document_is_an_end_where_a_pair_says_so() -> None:
    assert shipped("generic").allows("Document", "ABOUT", "Place")
    assert not shipped("generic").allows("Place", "ABOUT", "Document")


@pytest.mark.parametrize("name", ["it", "The Team", "  the   SYSTEM ", "They"])
def test_a_word_that_names_nothing_is_a_placeholder_in_any_case(name: str) -> None:
    assert shipped("operations").is_placeholder(name)


@pytest.mark.parametrize("name", ["Tally", "the Dock team", "item"])
def test_a_name_is_no_placeholder(name: str) -> None:
    assert not shipped("operations").is_placeholder(name)


@pytest.mark.parametrize(("source", "target"), [("Loom", "Warp"), ("{0}", "%s")])
def test_a_fact_reads_as_a_sentence(source: str, target: str) -> None:
    assert shipped("operations").sentence(source, "DEPENDS_ON", target) == f"{source} depends on {target}"


@pytest.mark.parametrize(
    ("word", "name", "same"),
    [
        ("PERSON", "Person", True),
        (" person ", "Person", True),
        ("works-at", "WORKS_AT", True),
        ("Works At", "WORKS_AT", True),
        ("worksat", "WORKS_AT", True),
        ("Person, Place", "Person", False),
        ("Person,Place", "Person", False),
        ("Persons", "Person", False),
        ("CONCEPT/LOGO", "Concept", False),
        ("", "Person", False),
        ("-_ ", "Person", False),
        ("", "", False),
    ],
)
def test_a_word_means_a_class_by_case_spaces_hyphens_and_underscores_alone(word: str, name: str, same: bool) -> None:
    assert matches_name(word, name) is same


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (changed("description: Mills and their people.", "colour: red"), "colour"),
        (changed('{description: "A mill."}', '{description: "A mill.", shape: round}'), "classes.0.shape"),
        (changed("phrase: weaves at,", "phrase: weaves at, weight: 3,"), "facts.0.weight"),
        (changed("  Mill: ", "  Thing: "), "'Thing' is a word of the graph itself"),
        (changed("  Mill: ", "  Document: "), "'Document' is a word of the graph itself"),
        (changed("[[Weaver, Mill]]", "[[Weaver, Guild]]"), "facts.WEAVES_AT.pairs: 'Guild' is no class"),
        (changed("[[Mill, Document]]", "[[Document, Document]]"), "facts.NAMED_IN.pairs: a fact needs a thing"),
        (changed("speakers: [Weaver]", "speakers: [Document]"), "quotes.SAYS.speakers: 'Document' is no class"),
        (changed("name: mills", "name: My Mills"), "name"),
        (changed("  Mill: ", "  Mill`) DETACH DELETE n //: "), "classes.0.name"),
        (changed("phrase: weaves at, ", ""), "facts.0.phrase"),
        (OWN + "default_class: Guild\n", "default_class: 'Guild' is no class"),
        (OWN + "limits: {name_characters: 0}\n", "limits.name_characters"),
        (changed("  Weaver: {", "  MILL: {"), "classes: 'Mill' and 'MILL' mean the same"),
        (changed("  Mill: {", "  - {name: Weaver, ").replace("  Weaver: {", "  - {name: Weaver, "), "'Weaver' and 'Weaver' mean the same"),
        (changed("  NAMED_IN: {", "  WeavesAt: {"), "'WEAVES_AT' and 'WeavesAt' mean the same"),
        (changed("  SAYS: {", "  Weaves_At: {"), "'WEAVES_AT' and 'Weaves_At' mean the same"),
        (changed('{description: "A mill."}', '{description: "A mill.", pattern: "M(ill"}'), "classes.0.pattern"),
        ("name: mills\nfacts: {}\n", "classes"),
        (OWN.replace("classes:", "classes: [", 1), "line"),
        ("- a\n- list\n", "mills.yaml is no mapping"),
        ("", "mills.yaml is no mapping"),
    ],
)
def test_a_file_that_is_no_ontology_is_refused_with_its_place(text: str, named: str) -> None:
    error = refusal(text)
    assert error.code == "ontology-invalid"
    assert named in str(error)
    assert "mills.yaml" in str(error)


@pytest.mark.parametrize(
    "text",
    [
        changed("  Mill: ", "  Mill: word #"),
        changed("facts:\n", "facts: [1]\nunused:\n"),
        changed("  WEAVES_AT: {", "  WEAVES_AT: [{").replace("works where.}", "works where.}]"),
        changed("classes:\n", "classes: 3\nunused:\n"),
        changed("classes:\n", "classes: [Mill, Weaver]\nunused:\n"),
        changed("facts:\n", "facts:\n  12: {pairs: any, phrase: x, description: y}\n"),
    ],
    ids=["class-is-a-word", "fact-is-a-number", "fact-is-a-list", "classes-are-a-number", "classes-are-words", "name-is-a-number"],
)
def test_a_part_of_the_wrong_shape_is_refused_and_never_an_accident(text: str) -> None:
    assert refusal(text).code == "ontology-invalid"


def test_a_file_that_is_not_there_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as raised:
        load_ontology("nowhere.yaml", tmp_path)
    assert raised.value.code == "ontology-missing"
    assert "'nowhere.yaml'" in str(raised.value)
    assert all(name in str(raised.value.remedy) for name in SHIPPED)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    tmp_path.joinpath("mills.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError) as raised:
        load_ontology("mills.yaml", tmp_path)
    assert raised.value.code == "ontology-missing"


def test_a_path_is_relative_to_the_home(tmp_path: Path) -> None:
    tmp_path.joinpath("mills.yaml").write_text(OWN)
    own = load_ontology("mills.yaml", tmp_path)
    assert [c.name for c in own.classes] == ["Mill", "Weaver"]
    assert own.allows("Mill", "NAMED_IN", "Document")
    assert own.is_placeholder("The Mill")


def _edits(value: object, path: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """Where a text stands in a tree of mappings and lists."""
    if isinstance(value, dict):
        return [place for key in value for place in _edits(value[key], (*path, key))]
    if isinstance(value, list):
        return [place for key, item in enumerate(value) for place in _edits(item, (*path, key))]
    return [path]


def test_any_other_word_gives_another_fingerprint() -> None:
    seen = {parse_ontology(OWN, "mills.yaml").fingerprint}
    tree = yaml.safe_load(OWN)
    places = [place for place in _edits(tree) if place[-1] in ("description", "phrase") or place[0] == "placeholders"]
    assert len(places) == 9
    for place in places:
        edited = yaml.safe_load(OWN)
        inner = edited
        for key in place[:-1]:
            inner = inner[key]
        inner[place[-1]] += " indeed"
        seen.add(parse_ontology(yaml.safe_dump(edited, sort_keys=False), "mills.yaml").fingerprint)
    assert len(seen) == 1 + len(places)


@pytest.mark.parametrize("more", ["default_class: Mill\n", "limits: {aliases: 3}\n"])
def test_a_default_or_a_limit_counts_in_the_fingerprint(more: str) -> None:
    assert parse_ontology(OWN + more, "mills.yaml").fingerprint != parse_ontology(OWN, "mills.yaml").fingerprint


def test_the_fingerprint_is_that_of_what_the_file_says_and_not_of_its_layout() -> None:
    spaced = yaml.safe_dump(yaml.safe_load(OWN), sort_keys=False)
    assert spaced != OWN
    assert parse_ontology(spaced, "other.yaml").fingerprint == parse_ontology(OWN, "mills.yaml").fingerprint


def test_equal_files_are_equal_ontologies() -> None:
    assert parse_ontology(OWN, "a.yaml") == Ontology(parse_ontology(OWN, "b.yaml").file)


DOCS = Path(__file__).parents[2] / "docs"


def documented(name: str) -> dict[str, tuple[set[tuple[str, str]], str, str]]:
    """Facts of a shipped ontology as the page on ontologies gives them: pairs, payload and phrase."""
    page = DOCS.joinpath("ontologies.md").read_text(encoding="utf-8")
    table = page.split(f"### {name}\n")[1].split("\n## ")[0].split("\n### ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line.startswith("| `")]
    return {fact.strip("`"): (pairs_of(cell, name), payload, phrase) for fact, cell, payload, phrase in rows}


def pairs_of(cell: str, name: str) -> set[tuple[str, str]]:
    kinds = ", ".join(kind.name for kind in shipped(name).classes)
    sides = [part.replace("any", kinds).split(" → ") for part in cell.split("; ")]
    return {pair for sources, targets in sides for pair in product(sources.replace(",", ""), targets.replace(",", ""))}


@pytest.mark.parametrize("name", SHIPPED)
def test_the_tables_of_the_documentation_are_those_of_the_files(name: str) -> None:
    facts = shipped(name).facts
    assert documented(name) == {fact.name: (set(fact.pairs), ", ".join(fact.payload) or "–", fact.phrase) for fact in facts}
