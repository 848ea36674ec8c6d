"""Every mention and quote is found in the stored bytes; what is kept is what stands there."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_assets.extractions.grounding import ChunkText, searchable
from graphrag_assets_tests.builders.corpus import loaded
from graphrag_assets_tests.extractions.mills import extracted, fact, names, reasons, reply, stated, thing, whole
from graphrag_assets_tests.gateways.case_files import CASES, json_case


def _texts(text: str, name: str) -> list[str]:
    return [span.text(text.encode()) for span in ChunkText(text).places(name)]


@pytest.mark.parametrize("case", json_case("b25_quotes.json")["quotes"], ids=lambda case: case["text"][:30])
def test_typography_is_forgiven_and_paraphrase_is_not(case: dict[str, str]) -> None:
    source = json_case("b25_quotes.json")["source"]
    span = ChunkText(source).quote(case["text"])
    assert (span is not None) is (case["want"] == "verified")


def test_a_found_quote_is_the_stored_bytes_and_not_the_models_spelling() -> None:
    source = json_case("b25_quotes.json")["source"]
    said = {"type": "SAYS", "speaker": "council", "words": '"no loom may run - day or night"', "addressee": None}
    found = extracted(source, reply([thing("council")], quotes=[said]))
    assert [q.words for q in found.quotes] == ["no loom may run \u2013 day or night"]


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        ("Tally and Tallyho, retally, Tally's", "Tally", ["Tally", "Tally"]),
        ("Tally_2, _Tally_, **Tally**", "Tally", ["Tally", "Tally"]),
        ("INC-2044 and INC-20", "INC-20", ["INC-20"]),
        ("the Route\n  Planner runs", "Route Planner", ["Route\n  Planner"]),
        ("the **Route** Planner runs", "Route Planner", ["Route** Planner"]),
        ("ALPHA runs", "Alpha", ["ALPHA"]),
        ("Alpha, not alpha or ALPHA", "Alpha", ["Alpha"]),
        ("Zoe\u0308 M\u00fcller", "Zo\u00eb Mu\u0308ller", ["Zoe\u0308 M\u00fcller"]),
        ("Fu\u0308r \ufb01ne", "f\u00fcr fine", ["Fu\u0308r \ufb01ne"]),
        ("in \u6c11\u751f\u8def", "\u6c11\u751f", ["\u6c11\u751f"]),
        ("O\u2019Neill spins", "O'Neill", ["O\u2019Neill"]),
        ("Alphabet", "Alpha", []),
        ("art of the start", "tart", []),
    ],
)
def test_a_name_is_found_by_itself_in_any_form(text: str, name: str, found: list[str]) -> None:
    assert _texts(text, name) == found


@settings(deadline=None)
@given(
    st.text(st.sampled_from("ab \n\u0308\u00e4_*\u6c11\ufb01\x00\x85."), max_size=30),
    st.text(st.sampled_from("ab \u0308\u00e4\u6c11f"), max_size=4),
)
def test_a_place_never_cuts_a_character(text: str, name: str) -> None:
    for span in ChunkText(searchable(text)).places(name):
        assert len(span) > 0
        span.text(text.encode())


@pytest.mark.parametrize("control", ["\x00", "\x0c", "\x1b", "\x7f", "\x80", "\x85", "\x9f"])
def test_a_control_character_is_searched_as_a_space_of_its_size(control: str) -> None:
    found = searchable(control)
    assert found.isspace()
    assert (len(found), len(found.encode())) == (1, len(control.encode()))


def test_mentions_are_all_places_of_name_and_alias_and_quotes_in_other_words() -> None:
    text = "Mara Lind came. The weaver, or Em, left. Mara Lind slept."
    spans = ChunkText(text).mentions("Mara Lind", ["Em"], ["Mara Lind came.", "The weaver", "a stranger"])
    assert [span.text(text.encode()) for span in spans] == ["Mara Lind", "The weaver", "Em", "Mara Lind"]


def test_control_characters_reach_no_name_and_move_no_span() -> None:
    content = (CASES / "b17_control_chars.txt").read_bytes()
    things = [thing("Alpha Beta"), thing("Orrin Mills", "Company"), thing("end  done", mentions=[])]
    found = whole(
        content.decode(), reply(things, [fact("Alpha Beta", "WORKS_AT", "Orrin Mills", quote="Alpha Beta works at Orrin Mills.")])
    )
    assert names(found) == [("Company", "Orrin Mills"), ("Person", "Alpha Beta"), ("Person", "end done")]
    assert stated(found) == [("Alpha Beta", "WORKS_AT", "Orrin Mills")]
    assert sorted(mention.span.cut(content) for mention in found.mentions) == [b"Alpha\0Beta", b"Orrin Mills", b"end \xc2\x85 done"]
    assert all(mention.quote.encode() == mention.span.cut(content) for mention in found.mentions)


@pytest.mark.parametrize("copied", [True, False], ids=["names as copied", "names as another file spells them"])
def test_three_byte_forms_of_a_name_are_one_thing_whose_spans_cut_their_own_file(copied: bool) -> None:
    ids: set[tuple[str, ...]] = set()
    spelled = (CASES / "b26_nfc.md").read_text(encoding="utf-8").split()
    for name in ("b26_nfc.md", "b26_nfd.md", "b26_radical.md"):
        content = (CASES / name).read_bytes()
        words = content.decode().split() if copied else spelled
        listed = [thing(" ".join(words[:2])), thing(" ".join(words[3:5]), "Company"), thing(words[6].rstrip("."), "Company")]
        found = extracted(content.decode(), reply(listed))
        assert reasons(found) == []
        assert all(mention.span.cut(content).decode() == mention.quote for mention in found.mentions)
        ids.add(tuple(thing.thing_id for thing in found.things))
    assert len(ids) == 1


def test_spans_count_the_documents_bytes_in_every_chunk() -> None:
    text = "# \u00c4rger\nMara Lind is here.\n\u00e9\u00e9 Mara Lind\n"
    found = extracted(text, reply(), reply([thing("Mara Lind")]), reply([thing("Mara Lind")]))
    content = loaded("mills.md", text).text
    assert [mention.span.cut(content) for mention in sorted(found.mentions, key=lambda m: m.span)] == [b"Mara Lind"] * 2
    assert len({mention.chunk_id for mention in found.mentions}) == 2
