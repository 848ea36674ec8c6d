"""Ids are made of content alone and never change: stored graphs and artifacts rest on them."""

import json
import re
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_assets.model import ids

DOCUMENT = ids.document_id("notes:/team/caf%C3%A9.md")
CASES = Path(__file__).parents[1] / "cases"
NAMES = json.loads((CASES / "b01_doc_names.json").read_bytes())

STORED_IDS = {
    "document": (DOCUMENT, "e0ac55b256fd98d109c6694b425ff60071fc59701d72dbc0fb4ebf40e13d2d7c"),
    "section": (ids.section_id("d", "c", "f", 0, 0, 10), "0381184b04c27d67624e80f7e7831f8f8a4b1af7a4b0046412a3fbee9e770239"),
    "chunk": (ids.chunk_id("d", "c", "f", 0, 10), "c150c80187da35672e9b8a3927692f8dedcaf619d1294676d9fe6aa1f3f48127"),
    "thing": (ids.thing_id("Team", "zoë 民生"), "ee3ee1a7e6cc85de9a208d8b5de2123bbb1736008c25e0abe871be9e73428b3e"),
    "placeholder": (ids.placeholder_id("Team", "c", 3, 9), "166d057e885236b7765c19b09eb1e92f0b726438348e7f95b5da1b5b7b9f468d"),
    "split thing": (ids.split_thing_id("Team", "quay", "north"), "6497104b6b20616c0aad96cfca1c389e215d013ffccb0bcc78b6930deec70b53"),
    "mention": (ids.mention_key("c", 3, "t"), "ebbebbf902e4660ac23f2580413a7cd83f156509fb01860e9db1cfd57bd69d1e"),
    "quote": (ids.quote_key("c", 3, "t"), "906141256e924ed4ec2dddf05556000965f55072b2681c506bfdbd665b13cd82"),
    "fact": (ids.fact_id("a", "OWNS", "b"), "c893078a1c1eea905f5ef3fb128c670143ba5ce12beb583b238a4af1f4f34eaa"),
    "community": (ids.community_id(0, ["b", "a"]), "3c2b615c21375be15eed534c98da9c86c53e7b8a7b4adae34f3321de2e61bb46"),
    "request": (
        ids.request_hash("chat", ["m", 1, None, {"b": 1, "a": [True, 0.5]}]),
        "15ff67d22a4ba25e5503dcebf37ba36e7880d56205de35dfe1c6ce9bc144d344",
    ),
    "fingerprint": (
        ids.fingerprint("chunk_plans", "1", {"max": 2}, {"documents": "x"}),
        "5c47e41ab0a9ab8a2b6c08572a575f63a673157d58973f07b644494ded40969f",
    ),
}


@pytest.mark.parametrize(("made", "stored"), STORED_IDS.values(), ids=STORED_IDS.keys())
def test_ids_are_what_they_always_were(made: str, stored: str) -> None:
    assert made == stored


def test_every_kind_of_id_is_its_own_even_for_equal_parts() -> None:
    same_parts = [ids.mention_key("a", 1, "b"), ids.quote_key("a", 1, "b"), ids.hashed("other", "a", 1, "b")]
    assert len(set(same_parts)) == 3


def test_a_community_is_its_level_and_members_whatever_their_order() -> None:
    assert ids.community_id(1, ["b", "a"]) == ids.community_id(1, ["a", "b"])
    assert ids.community_id(1, ["a", "b"]) != ids.community_id(0, ["a", "b"])


def test_a_fact_has_a_direction() -> None:
    assert ids.fact_id("a", "OWNS", "b") != ids.fact_id("b", "OWNS", "a")


@given(st.lists(st.text(), min_size=1, max_size=4), st.lists(st.text(), min_size=1, max_size=4))
def test_parts_cannot_run_into_each_other(first: list[str], second: list[str]) -> None:
    assert (ids.hashed("kind", *first) == ids.hashed("kind", *second)) == (first == second)


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.none(), max_size=5))
def test_equal_values_give_equal_bytes_whatever_their_order(value: dict[str, object]) -> None:
    assert ids.canonical_json(dict(reversed(value.items()))) == ids.canonical_json(value)
    assert json.loads(ids.canonical_json(value)) == value


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_json_cannot_hold_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        ids.canonical_json([number])


def keys_of(names: list[str]) -> list[str]:
    return [ids.partition_key(name, ids.document_id(name)) for name in names]


def test_names_that_break_partition_keys_give_safe_and_different_ones() -> None:
    keys = keys_of(NAMES)
    assert len(set(keys)) == len(NAMES) == 10
    assert all(re.fullmatch(r"[a-z0-9-]+", key) for key in keys)
    assert max(len(key) for key in keys) == ids.PARTITION_KEY_MAX_BYTES


def test_a_partition_key_can_be_read() -> None:
    assert ids.partition_key("Team/Café notes.md", DOCUMENT) == "team-cafe-notes-md-e0ac55b256fd"
    assert ids.partition_key("文", DOCUMENT) == "doc-e0ac55b256fd"


@given(st.text(max_size=200))
def test_every_name_gives_a_safe_partition_key(name: str) -> None:
    key = ids.partition_key(name, DOCUMENT)
    assert set(key) <= set(string.ascii_lowercase + string.digits + "-")
    assert len(key) <= ids.PARTITION_KEY_MAX_BYTES
    assert re.fullmatch(r"[a-z0-9].*[a-z0-9]-e0ac55b256fd|[a-z0-9]-e0ac55b256fd", key)
