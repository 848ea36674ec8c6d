import os
import random
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_assets.gateways.local_models import MINILM_REVISION
from graphrag_assets.gateways.minilm import MiniLmEmbedder, MiniLmTokenCounter, pieces_of
from graphrag_assets.gateways.minilm_files import Weights, model_folder, read_tokenizer, read_weights
from graphrag_assets.model.embedding_set import EmbeddingSet, checked_vector

PARAPHRASES = (
    ("How do I reset my password?", "I forgot my password and want to set a new one."),
    ("The ferry leaves the harbour at noon.", "At twelve o'clock the boat departs from the port."),
    ("The team fixed the outage within an hour.", "Engineers repaired the failure in less than sixty minutes."),
    ("Cats sleep for most of the day.", "A cat spends the greater part of its day asleep."),
    ("The committee approved the annual budget.", "The yearly budget was accepted by the committee."),
    ("Heavy rain flooded the streets.", "The roads were under water after the downpour."),
)
SENTENCES = tuple(sentence for pair in PARAPHRASES for sentence in pair)
LAYERS, HEADS, HEAD_SIZE = 6, 12, 32


@pytest.fixture(scope="module")
def folder() -> Path:
    return model_folder(os.environ)


@pytest.fixture(scope="module")
def embedder(folder: Path) -> MiniLmEmbedder:
    return MiniLmEmbedder(folder)


@pytest.fixture(scope="module")
def counter(folder: Path) -> MiniLmTokenCounter:
    return MiniLmTokenCounter(folder)


def bits(vectors: Sequence[Sequence[float]]) -> list[bytes]:
    return [np.array(vector, dtype=np.float64).tobytes() for vector in vectors]


def test_the_embedder_says_which_model_made_its_vectors(embedder: MiniLmEmbedder) -> None:
    assert (embedder.model, embedder.dimensions, embedder.max_tokens, embedder.stand_in) == ("minilm", 384, 256, False)
    assert embedder.revision == MINILM_REVISION == "all-MiniLM-L6-v2@53aa51172d14-fp32-256"


def test_paraphrases_are_nearer_than_any_other_sentence(embedder: MiniLmEmbedder) -> None:
    vectors = np.array(embedder.embed(SENTENCES).vectors)
    likeness = vectors @ vectors.T
    np.fill_diagonal(likeness, -1.0)
    assert [int(likeness[place].argmax()) for place in range(len(SENTENCES))] == [place ^ 1 for place in range(len(SENTENCES))]
    pairs = [likeness[place, place ^ 1] for place in range(0, len(SENTENCES), 2)]
    assert min(pairs) > 0.5


def test_a_known_pair_has_its_known_likeness(embedder: MiniLmEmbedder) -> None:
    first, second = np.array(embedder.embed(["That is a happy person", "That is a happy dog"]).vectors)
    assert float(first @ second) == pytest.approx(0.695, abs=0.001)


def test_a_vector_does_not_depend_on_order_batch_or_instance(folder: Path, embedder: MiniLmEmbedder) -> None:
    texts = [*SENTENCES, "Short.", "long " * 240]
    together = dict(zip(texts, bits(embedder.embed(texts).vectors), strict=True))
    mixed = random.Random(7).sample(texts, len(texts))
    other = MiniLmEmbedder(folder)
    assert dict(zip(mixed, bits(other.embed(mixed).vectors), strict=True)) == together
    assert {text: bits(other.embed([text]).vectors)[0] for text in texts} == together


def test_several_threads_get_the_same_bits(folder: Path, embedder: MiniLmEmbedder) -> None:
    shared = MiniLmEmbedder(folder)
    found: list[list[bytes]] = [[] for _ in range(4)]

    def work(lane: int) -> None:
        found[lane] = bits(shared.embed(SENTENCES).vectors)

    lanes = [threading.Thread(target=work, args=(lane,)) for lane in range(len(found))]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
    assert found == [bits(embedder.embed(SENTENCES).vectors)] * len(found)


def test_the_graph_computes_what_the_weights_say(folder: Path, embedder: MiniLmEmbedder, counter: MiniLmTokenCounter) -> None:
    text = "The ferry leaves Port Ansel at noon, and it's 🚢 late."
    expected = plain_vector(read_weights(folder), token_ids(folder, text))
    found = np.array(embedder.embed([text]).vectors[0])
    assert float(np.abs(found - expected).max()) < 1e-6
    assert counter.count(text) == len(token_ids(folder, text))


def test_every_vector_may_be_stored(embedder: MiniLmEmbedder) -> None:
    for vector in embedder.embed(["a", "?!", "שלום", "🚢", "x" * 5_000]).vectors:
        checked_vector(vector, EmbeddingSet(name="minilm"))


def test_tokens_are_counted_as_read(embedder: MiniLmEmbedder, counter: MiniLmTokenCounter) -> None:
    batch = embedder.embed(SENTENCES)
    assert (batch.input_tokens, batch.tokens_estimated, batch.calls) == (sum(counter.count_many(list(SENTENCES))), False, 1)


def test_a_text_beyond_the_window_is_read_to_its_end_only(embedder: MiniLmEmbedder) -> None:
    window = "tide " * 254
    batch = embedder.embed([window, window + "harbour " * 50])
    assert batch.input_tokens == 2 * 256
    assert bits(batch.vectors)[0] == bits(batch.vectors)[1]


def test_a_blank_text_is_refused(embedder: MiniLmEmbedder) -> None:
    with pytest.raises(ValueError, match="text 1 of 2 is blank"):
        embedder.embed(["tide", "\u200b \n"])


def test_no_texts_give_no_vectors_and_no_call(embedder: MiniLmEmbedder) -> None:
    batch = embedder.embed([])
    assert (batch.vectors, batch.calls) == ((), 0)


@pytest.mark.parametrize(("text", "tokens"), [("", 2), ("tide", 3), ("tide tables", 4), ("tide " * 1_000, 1_002)])
def test_a_count_holds_the_special_tokens_and_has_no_limit(counter: MiniLmTokenCounter, text: str, tokens: int) -> None:
    assert counter.count(text) == tokens


@settings(deadline=None)
@given(texts=st.lists(st.text(alphabet=st.sampled_from("ab .,\n\t\r-é\u0301\u200b漢🚢#["), max_size=40), max_size=5))
def test_many_texts_are_counted_as_each_alone(counter: MiniLmTokenCounter, texts: list[str]) -> None:
    assert counter.count_many(texts) == [counter.count(text) for text in texts]


@settings(deadline=None)
@given(
    text=st.text(alphabet=st.sampled_from("abcd   .,\n\t\r-'é\u0301\u00a0\u200b漢🚢#[]"), max_size=120),
    characters=st.integers(1, 30),
)
def test_tokens_of_the_pieces_add_up_to_those_of_the_whole(folder: Path, text: str, characters: int) -> None:
    pieces = list(pieces_of(text, characters))
    assert "".join(pieces) == text
    assert [token for piece in pieces for token in token_ids(folder, piece)[1:-1]] == token_ids(folder, text)[1:-1]


def test_a_long_text_is_counted_piece_by_piece_as_in_one(folder: Path, counter: MiniLmTokenCounter) -> None:
    text = "The tide turns at six; the ferry waits, though nobody knows why. " * 400 + "x" * 9_000 + " end"
    assert counter.count(text) == len(token_ids(folder, text))


_TOKENIZERS: dict[Path, object] = {}


def token_ids(folder: Path, text: str) -> list[int]:
    from tokenizers import Tokenizer

    tokenizer = _TOKENIZERS.get(folder)
    if not isinstance(tokenizer, Tokenizer):
        tokenizer = Tokenizer.from_str(read_tokenizer(folder))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        _TOKENIZERS[folder] = tokenizer
    return tokenizer.encode(text).ids


Array = npt.NDArray[np.float32]


def plain_vector(weights: Weights, ids: list[int]) -> Array:
    """The model written out in numpy, as its paper describes it."""

    def linear(x: Array, name: str) -> Array:
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def norm(x: Array, name: str) -> Array:
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12) * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def heads(x: Array) -> Array:
        return x.reshape(len(ids), HEADS, HEAD_SIZE).transpose(1, 0, 2)

    def gelu(x: Array) -> Array:
        from scipy.special import erf

        return x * (1.0 + erf(x / np.sqrt(2.0))) / 2.0

    words = weights["embeddings.word_embeddings.weight"][ids] + weights["embeddings.token_type_embeddings.weight"][0]
    x = norm(words + weights["embeddings.position_embeddings.weight"][: len(ids)], "embeddings.LayerNorm")
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        query, key, value = (heads(linear(x, f"{name}.attention.self.{part}")) for part in ("query", "key", "value"))
        scores = np.exp(query @ key.transpose(0, 2, 1) / np.sqrt(HEAD_SIZE))
        mixed = (scores / scores.sum(-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(len(ids), -1)
        x = norm(linear(mixed, f"{name}.attention.output.dense") + x, f"{name}.attention.output.LayerNorm")
        x = norm(linear(gelu(linear(x, f"{name}.intermediate.dense")), f"{name}.output.dense") + x, f"{name}.output.LayerNorm")
    pooled = x.mean(0)
    return pooled / np.linalg.norm(pooled)
