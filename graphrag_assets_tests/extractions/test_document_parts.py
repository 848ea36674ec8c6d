"""What a document states over all its chunks is a pure function of its replies."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_assets.extractions.extract import EXTRACTOR_VERSION, build_extraction
from graphrag_assets.model.extraction import ExtractionReply, ReplyOutcome
from graphrag_assets.model.ids import fact_id, placeholder_id, thing_id
from graphrag_assets.model.limits import QUARANTINED_TEXT_CHARACTERS
from graphrag_assets_tests.builders.corpus import loaded, planned
from graphrag_assets_tests.extractions.mills import MILLS, SETTINGS, extracted, fact, names, reasons, reply, stated, thing
from graphrag_assets_tests.gateways.case_files import json_case


def test_chunks_that_name_one_thing_make_one_thing_with_all_mentions() -> None:
    found = extracted(
        "Mara Lind spins.\nMARA LIND weaves.\n",
        reply([thing("Mara Lind", description=None)]),
        reply([thing("MARA LIND", description="A weaver.")]),
    )
    assert [(t.name, t.description) for t in found.things] == [("MARA LIND", "A weaver.")]
    assert found.things[0].thing_id == thing_id("Person", "mara lind")
    assert [m.quote for m in sorted(found.mentions, key=lambda m: m.span)] == ["Mara Lind", "MARA LIND"]


def test_the_first_description_in_chunk_order_wins() -> None:
    texts = ["Z first.", "A second."]
    found = extracted("Mara Lind is one.\nMara Lind is two.\n", *(reply([thing("Mara Lind", description=text)]) for text in texts))
    assert found.things[0].description == "Z first."


def test_aliases_add_up_sorted_and_without_the_name() -> None:
    found = extracted(
        "Mara Lind, or Em.\nMara Lind, the Weaver, or em.\n",
        reply([thing("Mara Lind", aliases=["Em", "Mara Lind"])]),
        reply([thing("Mara Lind", aliases=["the Weaver", "em"])]),
    )
    assert found.things[0].aliases == ("em", "the Weaver")


def test_one_name_of_two_classes_is_two_things() -> None:
    cases = [case for case in json_case("b28_mentions.json")["mentions"] if case["name"] == "Robin Vale"]
    kinds = {"Person": "Person", "Place": "Company"}
    found = [extracted(case["context"], reply([thing(case["name"], kinds[case["type"]])]), name=case["doc"]) for case in cases]
    assert len({extraction.things[0].thing_id for extraction in found}) == 2


def test_a_fact_of_two_chunks_lists_both_and_keeps_the_first_payload() -> None:
    things = [thing("Mara Lind"), thing("Orrin Mills", "Company")]
    text = "Mara Lind works at Orrin Mills.\nMara Lind of Orrin Mills.\n"
    found = extracted(
        text,
        reply(things, [fact("Mara Lind", "WORKS_AT", "Orrin Mills", weight=2)]),
        reply(things, [fact("Mara Lind", "WORKS_AT", "Orrin Mills", role="weaver", weight=5)]),
    )
    (only,) = found.facts
    assert (only.role, only.weight) == ("weaver", 5.0)
    assert only.chunk_ids == tuple(sorted(c.chunk_id for c in planned(loaded("mills.md", text)).chunks))
    assert only.fact_id == fact_id(only.source_id, "WORKS_AT", only.target_id)


def test_placeholders_are_flagged_and_never_merge() -> None:
    text = "She knows Tam Orr.\nShe left.\n"
    found = extracted(text, reply([thing("She"), thing("Tam Orr")], [fact("She", "KNOWS", "Tam Orr")]), reply([thing("She")]))
    nameless = [t for t in found.things if t.is_placeholder]
    chunks = planned(loaded("mills.md", text)).chunks
    starts = [c.span.start for c in chunks]
    assert {t.thing_id for t in nameless} == {placeholder_id("Person", c.chunk_id, s, s + 3) for c, s in zip(chunks, starts, strict=True)}
    assert stated(found) == [("She", "KNOWS", "Tam Orr")]


def test_a_thing_named_by_an_alias_that_another_chunk_states_is_that_thing() -> None:
    found = extracted(
        "Em knows Tam Orr.\nMara Lind, also called Em.\n",
        reply([thing("Em"), thing("Tam Orr")], [fact("Em", "KNOWS", "Tam Orr")]),
        reply([thing("Mara Lind", aliases=["Em"])]),
    )
    assert names(found) == [("Person", "Mara Lind"), ("Person", "Tam Orr")]
    assert stated(found) == [("Mara Lind", "KNOWS", "Tam Orr")]
    assert {t.name: t.aliases for t in found.things} == {"Mara Lind": ("Em",), "Tam Orr": ()}


@pytest.mark.parametrize(
    "second",
    [
        [thing("Mara Lind", aliases=["Em"]), thing("Em")],
        [thing("Mara Lind", aliases=["Em"]), thing("Tam Orr", aliases=["Em"])],
        [thing("Mara Lind", "Company", aliases=["Em"])],
    ],
    ids=["listed beside it", "claimed by two", "of another class"],
)
def test_an_alias_that_may_be_anothers_name_merges_nothing(second: list[dict[str, object]]) -> None:
    found = extracted("Em is here.\nMara Lind, Tam Orr, Em.\n", reply([thing("Em")]), reply(second))
    assert ("Person", "Em") in names(found)


def test_two_things_that_claim_each_others_name_become_one_whatever_the_order() -> None:
    one, two = reply([thing("Mara Lind", aliases=["Em"])]), reply([thing("Em", aliases=["Mara Lind"])])
    text = "Mara Lind, Em.\nEm, Mara Lind.\n"
    ids = {tuple(t.thing_id for t in extracted(text, *answers).things) for answers in ((one, two), (two, one))}
    assert len(ids) == 1
    assert len(next(iter(ids))) == 1


def test_a_fact_that_a_merge_turns_on_itself_is_dropped_under_its_own_number() -> None:
    found = extracted(
        "Em knows Mara Lind.\nMara Lind, also called Em.\n",
        reply([thing("Em"), thing("Mara Lind")], [fact("x", "KNOWS", "y"), fact("Em", "KNOWS", "Mara Lind")]),
        reply([thing("Mara Lind", aliases=["Em"])]),
    )
    assert (found.facts, reasons(found)) == ((), [("fact[0]", "end-not-kept"), ("fact[1]", "self-fact")])


@pytest.mark.parametrize("outcome", ["truncated", "refused", "filtered", "empty-reply", "unreadable-reply"])
def test_a_reply_that_cannot_be_used_is_quarantined_and_the_others_stand(outcome: ReplyOutcome) -> None:
    document = loaded("mills.md", "Mara Lind.\nTam Orr.\n")
    plan = planned(document)
    bad = ExtractionReply(plan.chunks[0].chunk_id, "h", "p", "m", "x" * 9_000, "stop", outcome, 1, 1, 1)
    good = ExtractionReply(plan.chunks[1].chunk_id, "i", "p", "m", reply([thing("Tam Orr")]), "stop", "read", 1, 1, 1)
    found = build_extraction(document, plan, [bad, good], MILLS, SETTINGS)
    assert names(found) == [("Person", "Tam Orr")]
    assert [(q.chunk_id, q.code, len(q.text)) for q in found.quarantined] == [
        (plan.chunks[0].chunk_id, outcome, QUARANTINED_TEXT_CHARACTERS)
    ]


def test_the_extraction_names_its_ontology_and_its_code() -> None:
    found = extracted("Mara Lind.", reply())
    assert (found.ontology_fingerprint, found.extractor_version) == (MILLS.fingerprint, EXTRACTOR_VERSION)


_WORDS = st.sampled_from(["Mara Lind", "Em", "Tam Orr", "She", "Orrin Mills"])
_THINGS = st.lists(
    st.builds(lambda name, kind, alias: thing(name, kind, aliases=[alias]), _WORDS, st.sampled_from(["Person", "Company"]), _WORDS)
)
_FACTS = st.lists(st.builds(fact, _WORDS, st.sampled_from(["KNOWS", "WORKS_AT", "ABOUT"]), _WORDS))
_REPLIES = st.lists(st.builds(reply, _THINGS, _FACTS), min_size=3, max_size=3)
LINES = "Mara Lind, Em, Tam Orr.\nShe and Em of Orrin Mills.\nTam Orr, Mara Lind, She.\n"


@settings(deadline=None)
@given(_REPLIES)
def test_all_parts_are_sorted_fit_together_and_are_the_same_in_a_second_run(replies: list[str]) -> None:
    found = extracted(LINES, *replies)
    assert extracted(LINES, *replies) == found
    ids = [t.thing_id for t in found.things]
    assert ids == sorted(set(ids))
    assert [f.fact_id for f in found.facts] == sorted({f.fact_id for f in found.facts})
    for stated_fact in found.facts:
        ends = {stated_fact.source_id, stated_fact.target_id} - {found.document_id}
        assert ends <= set(ids)
        assert stated_fact.source_id != stated_fact.target_id
        for chunk in stated_fact.chunk_ids:
            assert ends <= {m.thing_id for m in found.mentions if m.chunk_id == chunk}
    assert {m.thing_id for m in found.mentions} == set(ids)
    content = LINES.encode()
    assert all(m.span.cut(content).decode() == m.quote for m in found.mentions)


def test_the_order_of_things_in_a_reply_decides_no_id() -> None:
    things = [thing(name) for name in ("Mara Lind", "Em", "Tam Orr")]
    shuffled = random.Random(7).sample(things, 3)
    first, second = (extracted("Mara Lind, Em, Tam Orr.", reply(listed)) for listed in (things, shuffled))
    assert (first.things, first.mentions) == (second.things, second.mentions)
