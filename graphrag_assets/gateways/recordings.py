"""A folder of recorded model answers, one JSON file a request, named by the request's hash.

An entry holds the model's name, the date, what came back and the tokens that were counted. Of the request it holds 80
characters to recognise it by; it holds no address and no key, and one with a secret in it is not written.
"""

import base64
import json
import math
import os
import struct
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from graphrag_assets.gateways.chat import FinishReason
from graphrag_assets.model.errors import UsageError

HINT_CHARACTERS: Final = 80
CALL_BUDGET: Final = 40
_SECRET_WORDS: Final = ("KEY", "TOKEN", "SECRET", "PASSWORD")
_SECRET_MIN_CHARACTERS: Final = 8
_FLOAT32_MAX: Final = 3.4028234663852886e38
_FLOAT32_BYTES: Final = 4


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    recorded: str
    hint: str
    input_tokens: int
    tokens_estimated: bool


class ChatRecording(_Entry):
    """One reply as it came."""

    kind: Literal["chat"] = "chat"
    text: str
    finish_reason: FinishReason
    output_tokens: int
    details: dict[str, str] = {}


class EmbeddingRecording(_Entry):
    """The vectors of one request, each as its float32 numbers, little-endian, in base64."""

    kind: Literal["embedding"] = "embedding"
    calls: int
    vectors: tuple[str, ...]


Recording = ChatRecording | EmbeddingRecording
_RECORDING: Final[TypeAdapter[Recording]] = TypeAdapter(Annotated[Recording, Field(discriminator="kind")])


class Recordings:
    """The folder, its secrets to keep out, and how many calls may still be made to fill it. Safe for several threads.

    Args:
        folder: Made when the first entry is written.
        environ: Values of variables whose name says that they are secret never get into an entry.
        budget: Calls to real models, over everything that records into this folder.
    """

    def __init__(self, folder: Path, environ: Mapping[str, str], *, budget: int = CALL_BUDGET) -> None:
        self._folder = folder
        self._secrets = _secrets(environ)
        self._budget = budget
        self._left = budget
        self._lock = threading.Lock()

    def find(self, request_hash: str) -> Recording | None:
        """The entry of a request, or None.

        Raises:
            UsageError: ``recording-unreadable``.
        """
        file = self._file(request_hash)
        try:
            return _RECORDING.validate_json(file.read_bytes())
        except FileNotFoundError:
            return None
        except ValidationError as error:
            raise UsageError(
                "recording-unreadable", f"{file.name} is no recording: {error.error_count()} errors.", "Delete it and record it anew."
            ) from error

    def spend(self) -> None:
        """Take one call from the budget, before it is made.

        Raises:
            UsageError: ``recording-budget``.
        """
        with self._lock:
            if self._left < 1:
                raise UsageError(
                    "recording-budget",
                    f"{self._budget} calls were made to record what was missing; that is the budget of one run.",
                    "Run again to record on: what is recorded by now is not asked for again.",
                )
            self._left -= 1

    def keep(self, request_hash: str, recording: Recording) -> None:
        """Write an entry, whole or not at all.

        Raises:
            UsageError: ``recording-holds-secret``.
        """
        content = recording.model_dump(mode="json")
        text = json.dumps(content, ensure_ascii=False, sort_keys=True, indent=1) + "\n"
        for name, forms in self._secrets:
            if any(form in text for form in forms):
                raise UsageError(
                    "recording-holds-secret",
                    f"the answer to {request_hash[:12]} holds the value of the environment variable {name}; it was not recorded.",
                    "Take the secret out of the documents or the environment.",
                )
        file = self._file(request_hash)
        self._folder.mkdir(parents=True, exist_ok=True)
        beside = file.with_suffix(f".{os.getpid()}.{threading.get_ident()}.part")
        beside.write_text(text, encoding="utf-8")
        beside.replace(file)

    def _file(self, request_hash: str) -> Path:
        return self._folder / f"{request_hash}.json"


def _secrets(environ: Mapping[str, str]) -> tuple[tuple[str, tuple[str, str]], ...]:
    """Name, and the value as it is and as JSON writes it."""
    return tuple(
        (name, (value, json.dumps(value, ensure_ascii=False)[1:-1]))
        for name, value in sorted(environ.items())
        if len(value) >= _SECRET_MIN_CHARACTERS and any(word in name.upper() for word in _SECRET_WORDS)
    )


def packed(vector: Sequence[float]) -> str:
    """A vector as an entry holds it. A number too large for float32 becomes infinite, as it does in the graph."""
    clipped = [math.copysign(math.inf, x) if abs(x) > _FLOAT32_MAX else x for x in vector]
    return base64.b64encode(struct.pack(f"<{len(clipped)}f", *clipped)).decode("ascii")


def unpacked(text: str) -> tuple[float, ...]:
    """The vector of an entry, exactly."""
    content = base64.b64decode(text, validate=True)
    return struct.unpack(f"<{len(content) // _FLOAT32_BYTES}f", content)
