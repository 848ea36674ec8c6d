"""The embedding models that run in this process, in every profile, and what a set that names one of them must say."""

from dataclasses import dataclass
from typing import Final

from graphrag_assets.model.embedding_set import EmbeddingSet
from graphrag_assets.model.errors import SettingsError
from graphrag_assets.model.settings import Profile

MINILM: Final = "minilm"
MINILM_DIMENSIONS: Final = 384
MINILM_MAX_TOKENS: Final = 256
WEIGHTS_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256: Final = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
MINILM_REVISION: Final = f"all-MiniLM-L6-v2@{WEIGHTS_SHA256[:12]}-fp32-{MINILM_MAX_TOKENS}"
HASHING: Final = "hashing"
HASHING_REVISION: Final = "1"


@dataclass(frozen=True, slots=True)
class LocalModel:
    """What a set cannot choose. ``dimensions`` is None for a model of any size."""

    revision: str
    dimensions: int | None


LOCAL_MODELS: Final = {
    MINILM: LocalModel(MINILM_REVISION, MINILM_DIMENSIONS),
    HASHING: LocalModel(HASHING_REVISION, None),
}


def is_local(embedding_set: EmbeddingSet) -> bool:
    """Whether a set's model runs in this process."""
    return embedding_set.model in LOCAL_MODELS


def check_set(embedding_set: EmbeddingSet, profile: Profile) -> None:
    """Refuse a set that this profile cannot serve, or that contradicts its local model.

    Raises:
        SettingsError: ``embedding-set-offline``, ``embedding-set-differs``.
    """
    local = LOCAL_MODELS.get(embedding_set.model)
    if local is None:
        if profile == "offline":
            raise SettingsError(
                "embedding-set-offline",
                f"the embedding set {embedding_set.name!r} names the model {embedding_set.model!r}, which profile offline does not have.",
                f"Use one of {', '.join(sorted(LOCAL_MODELS))}, or profile live, record or replay.",
            )
        return
    for field, said, fact in (
        ("dimensions", embedding_set.dimensions, local.dimensions or embedding_set.dimensions),
        ("revision", embedding_set.revision or local.revision, local.revision),
        ("request_dimensions", embedding_set.request_dimensions, False),
        ("window_tokens", embedding_set.window_tokens, None),
    ):
        if said != fact:
            raise SettingsError(
                "embedding-set-differs",
                f"the embedding set {embedding_set.name!r} says {field}: {said!r}, its model {embedding_set.model!r} has {fact!r}.",
                f"Leave {field} out, or name another model.",
            )
