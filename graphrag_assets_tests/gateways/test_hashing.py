import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_assets.gateways.blank_texts import is_blank
from graphrag_assets.gateways.hashing import HashingEmbedder
from graphrag_assets.model.embedding_set import EmbeddingSet, checked_vector

SENTENCE = "The ferry leaves the harbour at noon."


def vector(text: str, dimensions: int = 384) -> tuple[float, ...]:
    return tuple(HashingEmbedder(dimensions).embed([text]).vectors[0])


def likeness(first: str, second: str) -> float:
    return sum(x * y for x, y in zip(vector(first), vector(second), strict=True))


def test_it_says_that_it_is_a_stand_in() -> None:
    embedder = HashingEmbedder()
    assert (embedder.model, embedder.revision, embedder.stand_in, embedder.dimensions) == ("hashing", "1", True, 384)


def test_texts_that_share_words_are_nearer_than_texts_that_do_not() -> None:
    assert likeness(SENTENCE, "A ferry left the harbour.") > likeness(SENTENCE, "Cats sleep all day.") + 0.2


def test_words_that_share_letters_are_near() -> None:
    assert likeness("harbour", "harbours") > 0.3


def test_case_and_compatibility_forms_do_not_matter() -> None:
    assert vector("HARBOUR ﬁle") == vector("harbour file")


@given(text=st.text(max_size=60).filter(lambda text: not is_blank(text)), dimensions=st.sampled_from([1, 2, 4, 384]))
def test_every_text_that_shows_something_has_a_vector_of_length_one(text: str, dimensions: int) -> None:
    embedding_set = EmbeddingSet(name="h", model="hashing", dimensions=dimensions, normalize=False)
    found = checked_vector(vector(text, dimensions), embedding_set)
    assert sum(x * x for x in found) == pytest.approx(1.0)


def test_a_vector_is_the_same_in_every_process_and_hash_seed() -> None:
    script = f"from graphrag_assets.gateways.hashing import HashingEmbedder; print(HashingEmbedder(8).embed([{SENTENCE!r}]).vectors[0])"
    printed = {
        subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed},
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert printed == {str(list(vector(SENTENCE, 8)))}


def test_a_blank_text_is_refused() -> None:
    with pytest.raises(ValueError, match="blank"):
        HashingEmbedder().embed([" "])


def test_tokens_are_estimated_and_marked() -> None:
    batch = HashingEmbedder().embed(["12345678", "123"])
    assert (batch.input_tokens, batch.tokens_estimated, batch.calls) == (3, True, 1)
