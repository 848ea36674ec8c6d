"""all-MiniLM-L6-v2 on this machine's processor: sentence vectors of 384 numbers, and the tokenizer that counts for it.

Vectors are float32 sums, so bits depend on the order of additions. Each text is run alone, without padding: its vector is
the same whatever else is embedded, in whatever order and from however many threads. A batch would not be faster.
"""

import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from typing_extensions import override

from graphrag_assets.gateways.blank_texts import refuse_blank_texts
from graphrag_assets.gateways.embedder import Embedder, EmbeddingBatch
from graphrag_assets.gateways.local_models import MINILM, MINILM_DIMENSIONS, MINILM_MAX_TOKENS, MINILM_REVISION
from graphrag_assets.gateways.minilm_files import model_folder, read_tokenizer, read_weights
from graphrag_assets.gateways.tokens import TokenCounter

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

SKELETON_FILE: Final = "minilm_skeleton.onnx"
_THREADS: Final = 2
_ERRORS_ONLY: Final = 3
_SPECIAL_TOKENS: Final = 2
_PIECE_CHARACTERS: Final = 4_096
_PIECES_AT_ONCE: Final = 256
_CUTS: Final = " \n\t\r"


@dataclass(frozen=True, slots=True)
class _Engine:
    """An open session with its tokenizer. ``values`` must live as long as the session, which reads them in place."""

    session: "InferenceSession"
    tokenizer: "Tokenizer"
    values: tuple[Any, ...]

    def embed(self, text: str) -> tuple[list[float], int]:
        """The vector of one text, and the tokens it was read as."""
        ids = self.tokenizer.encode(text).ids
        vector = self.session.run(["vector"], {"input_ids": np.array(ids, dtype=np.int64)})[0]
        return np.asarray(vector).tolist(), len(ids)


class MiniLmEmbedder(Embedder):
    """The default embedder: no key, no network, no graphics card.

    Texts beyond 256 tokens, special tokens included, are cut by the tokenizer; callers refuse them before. The session is
    opened at the first use (0.3 s, 200 MB) and may be used by several threads at a time.

    Args:
        folder: Holds ``model.safetensors`` and ``tokenizer.json``; found by `model_folder` when not given.

    Raises:
        UsageError: ``model-files-missing`` here, ``model-files-differ`` at the first use.
    """

    model = MINILM
    revision = MINILM_REVISION
    dimensions = MINILM_DIMENSIONS
    max_tokens = MINILM_MAX_TOKENS

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = model_folder(os.environ) if folder is None else folder
        self._opening = threading.Lock()
        self._engine: _Engine | None = None

    @override
    def embed(self, texts: Sequence[str]) -> EmbeddingBatch:
        refuse_blank_texts(texts)
        if not texts:
            return EmbeddingBatch((), 0, calls=0)
        engine = self._opened()
        embedded = [engine.embed(text) for text in texts]
        return EmbeddingBatch(tuple(vector for vector, _ in embedded), sum(tokens for _, tokens in embedded))

    def _opened(self) -> _Engine:
        with self._opening:
            if self._engine is None:
                self._engine = _open_engine(self._folder)
            return self._engine


class MiniLmTokenCounter(TokenCounter):
    """Counts as MiniLM reads, its two special tokens included, and without the limit of 256.

    Args:
        folder: Holds ``tokenizer.json``; found by `model_folder` when not given.
    """

    name = MINILM

    def __init__(self, folder: Path | None = None) -> None:
        self._tokenizer = _open_tokenizer(model_folder(os.environ) if folder is None else folder)

    @override
    def count(self, text: str) -> int:
        return self.count_many([text])[0]

    @override
    def count_many(self, texts: list[str]) -> list[int]:
        counts = [_SPECIAL_TOKENS] * len(texts)
        pieces = [(position, piece) for position, text in enumerate(texts) for piece in pieces_of(text, _PIECE_CHARACTERS)]
        for start in range(0, len(pieces), _PIECES_AT_ONCE):
            part = pieces[start : start + _PIECES_AT_ONCE]
            encodings = self._tokenizer.encode_batch_fast([piece for _, piece in part], add_special_tokens=False)
            for (position, _), encoding in zip(part, encodings, strict=True):
                counts[position] += len(encoding)
        return counts


def pieces_of(text: str, characters: int) -> Iterator[str]:
    """A text in pieces of about ``characters``, each cut before whitespace, so that their tokens add up to the whole's.

    The tokenizer splits at every whitespace first. A run without any stays in one piece, however long it is.
    """
    start = 0
    while start < len(text):
        end = start + characters
        while end < len(text) and text[end] not in _CUTS:
            end += 1
        yield text[start:end]
        start = end


def _open_tokenizer(folder: Path) -> "Tokenizer":
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(read_tokenizer(folder))
    # The file itself asks for 128 tokens, cut and padded.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _open_engine(folder: Path) -> _Engine:
    import onnxruntime

    tokenizer = _open_tokenizer(folder)
    tokenizer.enable_truncation(MINILM_MAX_TOKENS)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = _THREADS
    options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    # Threads that wait by spinning take the processor from other lanes and win nothing here.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # The sentence vector is a mean of all tokens; the pooler, made for another task, is no part of it.
    weights = {name: array for name, array in read_weights(folder).items() if not name.startswith("pooler.")}
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in weights.values()]
    options.add_external_initializers(list(weights), values)
    skeleton = resources.files("graphrag_assets.gateways").joinpath(SKELETON_FILE).read_bytes()
    session = onnxruntime.InferenceSession(skeleton, options, providers=["CPUExecutionProvider"])
    return _Engine(session, tokenizer, tuple(values))
