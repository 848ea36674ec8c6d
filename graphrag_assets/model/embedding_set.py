"""Embedding sets: one named vector space, and the rules every vector of it keeps."""

import math
import re
from collections.abc import Sequence
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from graphrag_assets.model.errors import FailedDocument
from graphrag_assets.model.limits import EMBEDDING_DIMENSIONS

SET_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,30}")
_FLOAT32_MAX: Final = 3.4028234663852886e38
_FLOAT32_TINY: Final = 1.401298464324817e-45  # below it, float32 stores a zero


class EmbeddingSet(BaseModel):
    """A named set of vectors: model, size, similarity. A changed field under an old name is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(description="[a-z][a-z0-9_]{0,30}; part of asset, index and property names")]
    model: Annotated[str, Field(description="minilm, hashing, or the name of a served model")] = "minilm"
    dimensions: Annotated[int, Field(ge=EMBEDDING_DIMENSIONS[0], le=EMBEDDING_DIMENSIONS[1])] = 384
    similarity: Literal["cosine", "euclidean"] = "cosine"
    normalize: Annotated[bool, Field(description="scale every vector to unit length before it is stored")] = True
    revision: Annotated[str | None, Field(description="revision of the model's weights")] = None
    truncate: Annotated[bool, Field(description="allow a window smaller than the longest chunk")] = False
    request_dimensions: Annotated[
        bool, Field(description="ask a served model for `dimensions`; only models that can shorten their vectors take it")
    ] = False
    window_tokens: Annotated[int | None, Field(ge=1, description="tokens that a served model reads of a text; 8,191 when empty")] = None

    @field_validator("name")
    @classmethod
    def _check_name(cls, name: str) -> str:
        if not SET_NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name of an embedding set; use [a-z][a-z0-9_]{{0,30}}")
        return name

    @property
    def chunk_property(self) -> str:
        """Property of chunks (and of things) that holds this set's vector."""
        return f"embedding_{self.name}"


def checked_vector(vector: Sequence[float], embedding_set: EmbeddingSet) -> tuple[float, ...]:
    """The vector as it may be stored: exact size, finite in float32, not all zero; normalised when the set says so.

    Raises:
        FailedDocument: ``embedding-dimensions`` or ``invalid-embedding``.
    """
    if len(vector) != embedding_set.dimensions:
        raise FailedDocument(
            "embedding-dimensions",
            f"the model {embedding_set.model!r} gave {len(vector)} numbers, the set {embedding_set.name!r} has {embedding_set.dimensions}.",
            "Declare a new embedding set with the model's own size.",
        )
    if not all(math.isfinite(x) and abs(x) <= _FLOAT32_MAX for x in vector):
        raise FailedDocument("invalid-embedding", f"the model {embedding_set.model!r} gave a number that is not finite in float32.")
    length = math.sqrt(sum(x * x for x in vector))
    if length == 0.0 or not any(abs(x) >= _FLOAT32_TINY for x in vector):
        raise FailedDocument("invalid-embedding", f"the model {embedding_set.model!r} gave a vector of zeros.")
    return tuple(x / length for x in vector) if embedding_set.normalize else tuple(vector)
