"""Every stored vector has its set's size, is finite in float32 and points somewhere."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import ValidationError

from graphrag_assets.model.embedding_set import EmbeddingSet, checked_vector
from graphrag_assets.model.errors import FailedDocument

CASE = json.loads((Path(__file__).parents[1] / "cases" / "b07_embedding_responses.json").read_bytes())
FOUR = EmbeddingSet(name="four", dimensions=4)
RAW = EmbeddingSet(name="four", dimensions=4, normalize=False)


def test_of_a_providers_vectors_only_the_good_one_may_be_stored() -> None:
    codes: dict[str, str] = {}
    for name, numbers in zip(CASE["inputs"], CASE["vectors"], strict=True):
        try:
            checked_vector([float(x) for x in numbers or ()], FOUR)
        except FailedDocument as error:
            codes[name] = error.code
    assert [name for name in CASE["inputs"] if name not in codes] == CASE["may_be_stored"]
    assert codes == {
        "nan": "invalid-embedding",
        "zero": "invalid-embedding",
        "short": "embedding-dimensions",
        "missing": "embedding-dimensions",
    }


@pytest.mark.parametrize("bad", [math.inf, -math.inf, math.nan, 3.5e38, -1e300])
def test_a_number_that_float32_cannot_hold_is_refused(bad: float) -> None:
    for embedding_set in (FOUR, RAW):
        with pytest.raises(FailedDocument) as error:
            checked_vector([1.0, bad, 0.0, 0.0], embedding_set)
        assert error.value.code == "invalid-embedding"


def test_the_refusal_names_both_sizes_and_holds_no_numbers_of_the_vector() -> None:
    with pytest.raises(FailedDocument, match=r"gave 3 numbers.*has 4") as error:
        checked_vector([0.123456, 0.2, 0.3], FOUR)
    assert "0.123456" not in str(error.value)
    assert error.value.remedy


vectors = st.lists(st.floats(-1e6, 1e6, width=32), min_size=4, max_size=4)


@given(vectors)
def test_a_normalised_vector_has_length_one_and_keeps_its_direction(vector: list[float]) -> None:
    assume(max(abs(x) for x in vector) > 1e-6)
    checked = checked_vector(vector, FOUR)
    assert math.sqrt(sum(x * x for x in checked)) == pytest.approx(1.0)
    length = math.sqrt(sum(x * x for x in vector))
    assert [x * length for x in checked] == pytest.approx(vector, rel=1e-9, abs=1e-9)


@given(vectors)
def test_without_normalising_a_vector_is_stored_as_it_came(vector: list[float]) -> None:
    assume(max(abs(x) for x in vector) > 1e-6)
    assert checked_vector(vector, RAW) == tuple(vector)


@pytest.mark.parametrize("name", ["", "Mini", "1st", "a-b", "a b", "é", "a" * 32, "a\n"])
def test_a_name_that_cannot_be_part_of_other_names_is_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        EmbeddingSet(name=name)


def test_a_sets_property_is_made_of_its_name() -> None:
    assert EmbeddingSet(name="mini_2").chunk_property == "embedding_mini_2"


@pytest.mark.parametrize(("field", "value"), [("dimensions", 0), ("dimensions", 4_097), ("similarity", "dot"), ("colour", "red")])
def test_a_value_out_of_bounds_or_unknown_is_refused(field: str, value: object) -> None:
    with pytest.raises(ValidationError, match=field):
        EmbeddingSet.model_validate({"name": "a", field: value})


def test_a_declared_set_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        FOUR.dimensions = 8  # type: ignore[misc]
