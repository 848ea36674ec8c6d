"""What many documents say together is a function of all of them, in whatever order they come."""

import json
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_assets.model.decisions import MergeDecision
from graphrag_assets.model.extraction import Extraction, Fact, Thing
from graphrag_assets.model.ids import fact_id
from graphrag_assets.model.limits import Limit
from graphrag_assets.resolution.resolve import resolve
from graphrag_assets_tests.resolution.documents import (
    about,
    chunk,
    corpus_of,
    decision,
    document,
    fact,
    placeholder,
    read_aloud,
    states,
    thing,
    thing_id,
)

CASES = Path(__file__).parents[1] / "cases"


def test_nothing_extracted_gives_an_empty_corpus() -> None:
    corpus = corpus_of()
    assert (corpus.things, corpus.facts, corpus.limits) == ((), (), ())


def test_a_name_in_three_byte_forms_is_one_thing() -> None:
    names = [(CASES / f"b26_{form}.md").read_bytes().decode().strip() for form in ("nfc", "nfd", "radical")]
    assert len(set(names)) == 3
    corpus = corpus_of(*(states(f"d{number}", thing(name)) for number, name in enumerate(names)))
    assert len(corpus.things) == 1
    assert corpus.things[0].name in names
    assert corpus.things[0].aliases == ()
    assert corpus.things[0].mentions == 3


def test_the_spelling_with_most_mentions_is_shown() -> None:
    corpus = corpus_of(states("d1", (thing("harbour"), 2)), states("d2", (thing("Harbour"), 3)), states("d3", thing("HARBOUR")))
    assert corpus.things[0].name == "Harbour"


def test_of_equally_many_mentions_the_spelling_of_more_documents_is_shown() -> None:
    corpus = corpus_of(states("d1", (thing("HARBOUR"), 2)), states("d2", thing("Harbour")), states("d3", thing("Harbour")))
    assert corpus.things[0].name == "Harbour"


def test_of_equal_votes_the_spelling_that_sorts_first_is_shown() -> None:
    assert corpus_of(states("d1", thing("harbour")), states("d2", thing("Harbour"))).things[0].name == "Harbour"


def test_aliases_are_sorted_and_never_repeat_the_name() -> None:
    first = thing("Harbour", aliases=("the quay", "HARBOUR", "Port"))
    second = thing("Harbour", aliases=("port", "Dock", " "))
    assert corpus_of(states("d1", first), states("d2", second)).things[0].aliases == ("Dock", "Port", "the quay")


def test_the_description_is_that_of_the_document_with_the_smallest_id_that_has_one() -> None:
    by_id = sorted(("d1", "d2", "d3"), key=document)
    texts = (" ", "of the second", "of the third")
    corpus = corpus_of(*(states(name, thing("Harbour", description=text)) for name, text in zip(by_id, texts, strict=True)))
    assert corpus.things[0].description == "of the second"


def test_a_description_over_its_bound_is_cut_and_said() -> None:
    corpus = corpus_of(states("d1", thing("Harbour", description="x" * 501)), states("d2", thing("Quay", description="y" * 500)))
    assert {len(t.description or "") for t in corpus.things} == {500}
    assert corpus.limits == (Limit("thing-description-characters", 500),)


def test_things_know_the_documents_and_chunks_that_name_them() -> None:
    resolved = corpus_of(states("d1", (thing("Harbour"), 2)), states("d2", thing("Harbour"))).things[0]
    assert resolved.document_ids == tuple(sorted([document("d1"), document("d2")]))
    assert resolved.chunk_ids == tuple(sorted([chunk("d1"), chunk("d2")]))
    assert resolved.mentions == 3


def test_kinds_keep_one_name_apart() -> None:
    corpus = corpus_of(states("d1", thing("Robin Vale", "Person")), states("d2", thing("Robin Vale", "Place")))
    assert sorted(t.kind for t in corpus.things) == ["Person", "Place"]


def test_placeholders_never_become_one_and_are_flagged() -> None:
    corpus = corpus_of(states("d1", placeholder("the team", "d1")), states("d2", placeholder("the team", "d2")))
    assert [t.is_placeholder for t in corpus.things] == [True, True]


def test_no_decision_merges_a_placeholder_into_another_thing() -> None:
    nameless = placeholder("the team", "d1")
    merge = decision("m1", "accept", thing_id("Harbour"), nameless.thing_id)
    corpus = corpus_of(states("d1", nameless, thing("Harbour")), decisions=(merge,))
    assert {t.thing_id for t in corpus.things} == {nameless.thing_id, thing_id("Harbour")}


def test_a_fact_lists_every_document_and_chunk_that_states_it() -> None:
    harbour, quay = thing("Harbour"), thing("Quay")
    corpus = corpus_of(
        states("d1", harbour, quay, facts=(fact(harbour, "OWNS", quay, "d1", number=4),)),
        states("d2", harbour, quay, facts=(fact(harbour, "OWNS", quay, "d2"),)),
    )
    (resolved,) = corpus.facts
    assert resolved.document_ids == tuple(sorted([document("d1"), document("d2")]))
    assert resolved.chunk_ids == tuple(sorted([chunk("d1", 4), chunk("d2")]))
    assert resolved.sentence == "Harbour OWNS Quay"


def test_facts_of_two_directions_or_types_stay_two() -> None:
    harbour, quay = thing("Harbour"), thing("Quay")
    facts = (fact(harbour, "OWNS", quay, "d1"), fact(quay, "OWNS", harbour, "d1"), fact(harbour, "NEAR", quay, "d1"))
    assert len(corpus_of(states("d1", harbour, quay, facts=facts)).facts) == 3


def test_a_facts_payload_is_what_most_documents_say() -> None:
    harbour, quay = thing("Harbour"), thing("Quay")

    def stating(name: str, role: str | None, weight: float) -> Extraction:
        return states(name, harbour, quay, facts=(replace(fact(harbour, "OWNS", quay, name), role=role, weight=weight),))

    corpus = corpus_of(stating("d1", "b", 0.5), stating("d2", "c", 2.0), stating("d3", "c", 1.0), stating("d4", None, 1.0))
    assert (corpus.facts[0].role, corpus.facts[0].kind, corpus.facts[0].weight) == ("c", None, 2.0)
    assert corpus_of(stating("d1", "b", 1.0), stating("d2", "a", 1.0)).facts[0].role == "a"


def test_a_document_can_be_the_end_of_a_fact_and_reads_by_its_title() -> None:
    harbour = thing("Harbour")
    extraction = states("d1", harbour, facts=(about("d1", harbour),))
    corpus = resolve([extraction], (), phrases=read_aloud, documents={document("d1"): "Pilot book"})
    assert corpus.facts[0].source_is_document
    assert not corpus.facts[0].target_is_document
    assert corpus.facts[0].source_id == document("d1")
    assert corpus.facts[0].sentence == "Pilot book ABOUT Harbour"
    untitled = resolve([extraction], (), phrases=read_aloud, documents={})
    assert untitled.facts[0].sentence == f"{document('d1')} ABOUT Harbour"


def test_missing_documents_are_said_and_stop_nothing() -> None:
    corpus = resolve([states("d1", thing("Harbour"))], (), phrases=read_aloud, documents={}, missing_documents=["b", "a", "b"])
    assert corpus.missing_documents == ("a", "b")
    assert len(corpus.things) == 1


def test_two_extractions_of_one_document_are_refused() -> None:
    with pytest.raises(ValueError, match="two extractions"):
        corpus_of(states("d1"), states("d1"))


def test_a_fact_with_an_unknown_end_is_refused_by_name() -> None:
    harbour = thing("Harbour")
    with pytest.raises(ValueError, match=thing_id("Quay")):
        corpus_of(states("d1", harbour, facts=(fact(harbour, "OWNS", thing("Quay"), "d1"),)))


class TestMerges:
    """A reviewed merge of Quay into Harbour."""

    merge = (decision("m1", "accept", thing_id("Harbour"), thing_id("Quay")),)

    def test_the_kept_thing_keeps_its_name_and_takes_the_other_as_alias(self) -> None:
        corpus = corpus_of(
            states("d1", thing("Harbour", aliases=("Port",))),
            states("d2", (thing("Quay", aliases=("Pier",), description="of the quay"), 5)),
            decisions=self.merge,
        )
        (resolved,) = corpus.things
        assert resolved.thing_id == thing_id("Harbour")
        assert (resolved.name, resolved.aliases) == ("Harbour", ("Pier", "Port", "Quay"))
        assert (resolved.mentions, resolved.merged_ids) == (6, (thing_id("Quay"),))
        assert resolved.description == "of the quay"

    def test_the_kept_things_description_goes_first(self) -> None:
        for kept, merged in permutations(("d1", "d2")):
            extractions = (states(kept, thing("Harbour", description="kept")), states(merged, thing("Quay", description="merged")))
            assert corpus_of(*extractions, decisions=self.merge).things[0].description == "kept"

    def test_a_fact_between_the_two_is_dropped_and_counted_once(self) -> None:
        harbour, quay = thing("Harbour"), thing("Quay")
        corpus = corpus_of(
            *(states(name, harbour, quay, facts=(fact(harbour, "OWNS", quay, name),)) for name in ("d1", "d2")), decisions=self.merge
        )
        assert corpus.facts == ()
        assert corpus.self_facts_dropped == 1

    def test_facts_of_both_become_one_fact_with_all_documents(self) -> None:
        harbour, quay, town = thing("Harbour"), thing("Quay"), thing("Town")
        corpus = corpus_of(
            states("d1", harbour, town, facts=(fact(harbour, "IN", town, "d1"),)),
            states("d2", quay, town, facts=(fact(quay, "IN", town, "d2"),)),
            decisions=self.merge,
        )
        (resolved,) = corpus.facts
        assert resolved.fact_id == fact_id(thing_id("Harbour"), "IN", thing_id("Town"))
        assert len(resolved.document_ids) == 2

    def test_one_place_that_names_both_is_one_mention(self) -> None:
        extraction = states("d1", thing("Harbour"), thing("Quay"))
        first = extraction.mentions[0]
        same_place = replace(extraction, mentions=(first, replace(first, thing_id=thing_id("Quay"))))
        assert corpus_of(same_place, decisions=self.merge).things[0].mentions == 1

    def test_without_the_kept_thing_the_merged_one_gives_the_name_under_the_kept_id(self) -> None:
        (resolved,) = corpus_of(states("d1", thing("Quay")), decisions=self.merge).things
        assert (resolved.thing_id, resolved.name) == (thing_id("Harbour"), "Quay")

    def test_a_decision_on_absent_things_has_no_effect(self) -> None:
        extraction = states("d1", thing("Town"))
        alias = decision("a1", "alias", thing_id("Quay"), name="Pier")
        assert corpus_of(extraction, decisions=(*self.merge, alias)) == corpus_of(extraction)

    def test_an_undone_merge_leaves_no_trace(self) -> None:
        extractions = (states("d1", thing("Harbour")), states("d2", thing("Quay")))
        undo = decision("u1", "undo", undoes="m1")
        assert corpus_of(*extractions, decisions=(*self.merge, undo)) == corpus_of(*extractions)

    def test_merges_chain(self) -> None:
        onward = decision("m2", "accept", thing_id("Town"), thing_id("Harbour"))
        extractions = [states(name, thing(name)) for name in ("Harbour", "Quay", "Town")]
        (resolved,) = corpus_of(*extractions, decisions=(*self.merge, onward)).things
        assert (resolved.name, resolved.aliases) == ("Town", ("Harbour", "Quay"))
        assert resolved.merged_ids == tuple(sorted([thing_id("Harbour"), thing_id("Quay")]))

    def test_a_reviewed_alias_of_a_merged_thing_goes_to_the_kept_one(self) -> None:
        alias = decision("a1", "alias", thing_id("Quay"), name="Pier")
        (resolved,) = corpus_of(states("d1", thing("Harbour"), thing("Quay")), decisions=(*self.merge, alias)).things
        assert resolved.aliases == ("Pier", "Quay")


class TestSplits:
    """One name and kind that is two things: a reviewed split keeps the documents of the part apart."""

    case = json.loads((CASES / "b28_mentions.json").read_bytes())

    def groups(self, *decisions: MergeDecision) -> list[list[str]]:
        extractions = [states(m["doc"], thing(m["name"], m["type"])) for m in self.case["mentions"]]
        names = {document(m["doc"]): m["doc"] for m in self.case["mentions"]}
        return sorted(sorted(names[d] for d in t.document_ids) for t in corpus_of(*extractions, decisions=decisions).things)

    bank = thing_id("First Harbour Bank", "Company")

    def test_the_documents_of_a_split_are_a_thing_of_their_own(self) -> None:
        split = decision("s1", "split", self.bank, name="Tulsa", document_ids=[document("d2")])
        assert self.groups(split) == self.case["want_groups"]

    def test_two_splits_of_one_part_name_are_one_part(self) -> None:
        splits = [decision(f"s{n}", "split", self.bank, name="Tulsa", document_ids=[document(f"d{n}")]) for n in (2, 3)]
        assert self.groups(*splits) == [["d1"], ["d2", "d3"], ["d4"], ["d5"]]

    def test_an_undone_split_is_one_thing_again(self) -> None:
        split = decision("s1", "split", self.bank, document_ids=[document("d2")])
        assert self.groups(split, decision("u1", "undo", undoes="s1")) == self.groups()


NAMES = ("Harbour", "harbour", "Quay", "Town", "Ward", "WARD")


@st.composite
def extraction_sets(draw: st.DrawFn) -> tuple[list[Extraction], tuple[MergeDecision, ...]]:
    """Up to five documents with things and facts drawn from few names, so that documents meet, and some merges."""
    extractions: list[Extraction] = []
    for number in range(draw(st.integers(0, 5))):
        name = f"d{number}"
        spelled = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique_by=thing_id))
        things = [
            thing(
                spelling,
                aliases=tuple(sorted(draw(st.sets(st.sampled_from(("Port", "port", "Dock")), max_size=2)))),
                description=draw(st.none() | st.sampled_from(("one", "two", ""))),
            )
            for spelling in spelled
        ]
        extractions.append(states(name, *((t, draw(st.integers(0, 3))) for t in things), facts=draw(facts_between(name, things))))
    pairs = st.lists(st.sampled_from([thing_id(name) for name in NAMES]), min_size=2, max_size=3, unique=True)
    merges = [decision(f"m{number}", "accept", *draw(pairs)) for number in range(draw(st.integers(0, 3)))]
    return extractions, tuple(merges)


@st.composite
def facts_between(draw: st.DrawFn, name: str, things: list[Thing]) -> tuple[Fact, ...]:
    pairs = draw(st.lists(st.tuples(st.sampled_from(things), st.sampled_from(things), st.sampled_from(("OWNS", "IN"))), max_size=4))
    return tuple(
        replace(
            fact(source, fact_type, target, name),
            role=draw(st.none() | st.sampled_from(("a", "b"))),
            weight=draw(st.sampled_from((0.5, 1.0, 2.0))),
        )
        for source, target, fact_type in pairs
        if source.thing_id != target.thing_id
    )


@given(extraction_sets(), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_documents_changes_nothing(drawn: tuple[list[Extraction], tuple[MergeDecision, ...]], draw: Random) -> None:
    extractions, decisions = drawn
    shuffled = list(extractions)
    draw.shuffle(shuffled)
    assert corpus_of(*shuffled, decisions=decisions) == corpus_of(*extractions, decisions=decisions)


@given(extraction_sets())
@settings(deadline=None)
def test_every_end_of_every_fact_is_a_thing_and_everything_is_sorted(drawn: tuple[list[Extraction], tuple[MergeDecision, ...]]) -> None:
    extractions, decisions = drawn
    corpus = corpus_of(*extractions, decisions=decisions)
    thing_ids = [t.thing_id for t in corpus.things]
    assert thing_ids == sorted(set(thing_ids))
    assert [f.fact_id for f in corpus.facts] == sorted({f.fact_id for f in corpus.facts})
    assert {end for f in corpus.facts for end in (f.source_id, f.target_id)} <= set(thing_ids)
    assert all(f.source_id != f.target_id for f in corpus.facts)


@given(extraction_sets())
@settings(deadline=None)
def test_no_statement_is_lost_but_facts_within_a_merge(drawn: tuple[list[Extraction], tuple[MergeDecision, ...]]) -> None:
    extractions, decisions = drawn
    corpus = corpus_of(*extractions, decisions=decisions)
    assert {d for t in corpus.things for d in t.document_ids} == {e.document_id for e in extractions}
    stated = {f.fact_id for e in extractions for f in e.facts}
    assert len(corpus.facts) + corpus.self_facts_dropped <= len(stated)
    if not decisions:
        assert {f.fact_id for f in corpus.facts} == stated
