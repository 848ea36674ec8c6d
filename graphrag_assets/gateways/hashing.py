"""A stand-in for an embedder: hashed words and letter groups. Needs nothing, knows nothing of meaning, and says so."""

import math
import re
import unicodedata
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from typing_extensions import override

from graphrag_assets.gateways.blank_texts import refuse_blank_texts
from graphrag_assets.gateways.embedder import Embedder, EmbeddingBatch
from graphrag_assets.gateways.local_models import HASHING, HASHING_REVISION
from graphrag_assets.gateways.tokens import ByteTokenCounter

NO_WINDOW: Final = 1_000_000
_WORD: Final = re.compile(r"\w+")
_WORD_WEIGHT: Final = 1.0
_PAIR_WEIGHT: Final = 0.5
_LETTERS_WEIGHT: Final = 0.3
_LETTER_GROUPS: Final = (3, 4, 5)
_SIGN_BIT: Final = 1 << 31


class HashingEmbedder(Embedder):
    """Vectors of hashed features: words, pairs of neighbouring words, and groups of 3 to 5 letters of each word.

    A feature's CRC-32 chooses its place and sign; its weight is the square root of its sum over the text; the vector has
    length one. Equal in every process and on every machine with the same Python. Texts are near when they share words;
    paraphrases are not.

    Args:
        dimensions: Numbers of a vector.
    """

    model = HASHING
    revision = HASHING_REVISION
    max_tokens = NO_WINDOW
    stand_in = True

    def __init__(self, dimensions: int = 384) -> None:
        self.dimensions = dimensions

    @override
    def embed(self, texts: Sequence[str]) -> EmbeddingBatch:
        refuse_blank_texts(texts)
        vectors = tuple(self._vector(text) for text in texts)
        tokens = sum(ByteTokenCounter().count_many(list(texts)))
        return EmbeddingBatch(vectors, tokens, calls=1 if texts else 0, tokens_estimated=True)

    def _vector(self, text: str) -> list[float]:
        vector = [0.0] * self.dimensions
        for feature, weight in _features(text).items():
            code = zlib.crc32(feature.encode())
            vector[code % self.dimensions] += math.copysign(math.sqrt(weight), -1.0 if code & _SIGN_BIT else 1.0)
        # Should features ever cancel out to the last bit, zeros are given, which no set stores.
        length = math.sqrt(sum(x * x for x in vector)) or 1.0
        return [x / length for x in vector]


def _features(text: str) -> dict[str, float]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    # A text of signs alone still needs a vector that is not all zero.
    words = _WORD.findall(folded) or folded.split()
    weights: defaultdict[str, float] = defaultdict(float)
    for word in words:
        weights[f"word {word}"] += _WORD_WEIGHT
        for letters in _letters(word):
            weights[f"letters {letters}"] += _LETTERS_WEIGHT
    for first, second in pairwise(words):
        weights[f"pair {first} {second}"] += _PAIR_WEIGHT
    return weights


def _letters(word: str) -> Iterator[str]:
    marked = f"<{word}>"
    for size in _LETTER_GROUPS:
        for start in range(len(marked) - size + 1):
            yield marked[start : start + size]
