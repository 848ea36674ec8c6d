"""Models of an OpenAI-compatible server: called (``live``), called and recorded (``record``), or only recorded (``replay``)."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args
from urllib.parse import urlsplit

from typing_extensions import override

from graphrag_assets.gateways.chat import ChatModel
from graphrag_assets.gateways.clock import Clock
from graphrag_assets.gateways.embedder import Embedder
from graphrag_assets.gateways.rate_limiter import RateLimiter
from graphrag_assets.gateways.recordings import Recordings
from graphrag_assets.gateways.replay import RecordingChat, RecordingEmbedder, ReplayChat, ReplayEmbedder
from graphrag_assets.gateways.retry import RetryPolicy
from graphrag_assets.model.embedding_set import EmbeddingSet
from graphrag_assets.model.errors import SettingsError
from graphrag_assets.model.settings import ChatRole, ModelSettings, Settings

if TYPE_CHECKING:
    from openai import OpenAI

API_KEY_VARIABLE: Final = "OPENAI_API_KEY"
BASE_URL_VARIABLE: Final = "OPENAI_BASE_URL"
OPENAI_URL: Final = "https://api.openai.com/v1"
DEFAULT_WINDOW_TOKENS: Final = 8_191
# A person waits for what these give: one try, and a failure is said.
QUESTION_ROLES: Final[frozenset[ChatRole]] = frozenset({"answer", "rewrite", "global-map", "global-reduce", "text2cypher", "rerank"})


class ServedModels(ABC):
    """Opens the served models that settings name."""

    @abstractmethod
    def chat(self, role: ChatRole) -> ChatModel:
        """The chat model of a role."""

    @abstractmethod
    def embedder(self, embedding_set: EmbeddingSet) -> Embedder:
        """What embeds documents under a set."""

    @abstractmethod
    def question_embedder(self, embedding_set: EmbeddingSet) -> Embedder:
        """What embeds questions under a set."""


def served_models(settings: Settings, environ: Mapping[str, str], *, recordings_folder: Path, clock: Clock) -> ServedModels:
    """The served models of profile ``live``, ``record`` or ``replay``. Nothing is opened or called yet.

    Raises:
        SettingsError: ``profile-incomplete``; nothing falls back to a stand-in.
    """
    _check_chat_models(settings)
    if settings.profile == "replay":
        return ReplayModels(settings.models, Recordings(recordings_folder, environ))
    live = LiveModels(settings, read_access(settings, environ), clock=clock)
    return RecordingModels(live, Recordings(recordings_folder, environ), clock=clock) if settings.profile == "record" else live


@dataclass(frozen=True, slots=True)
class Access:
    """Where the server is and the key to it; the key is never printed."""

    base_url: str
    api_key: str = field(repr=False)


def read_access(settings: Settings, environ: Mapping[str, str]) -> Access:
    """The server's address and key from the environment.

    Raises:
        SettingsError: ``profile-incomplete``. Values are never in the message: an address may hold a password.
    """
    key = environ.get(API_KEY_VARIABLE, "").strip()
    if not key:
        raise _incomplete(settings, f"{API_KEY_VARIABLE} is not set", f"Set {API_KEY_VARIABLE}")
    address = environ.get(BASE_URL_VARIABLE, "").strip() or OPENAI_URL
    try:
        parts = urlsplit(address)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise _incomplete(settings, f"{BASE_URL_VARIABLE} is no http or https address", f"Mend or unset {BASE_URL_VARIABLE}")
    return Access(address, key)


class LiveModels(ServedModels):
    """Models that are called. All share one limiter, so that after a rate limit every lane waits."""

    def __init__(self, settings: Settings, access: Access, *, clock: Clock) -> None:
        self._models = settings.models
        self._batch_size = settings.ingestion.embedding_batch_size
        self._access = access
        self._policy = RetryPolicy(settings.retry, clock, RateLimiter(clock, settings.models.requests_per_minute))

    @override
    def chat(self, role: ChatRole) -> ChatModel:
        from graphrag_assets.gateways.openai_chat import OpenAiChat

        policy = self._policy.without_retries() if role in QUESTION_ROLES else self._policy
        return OpenAiChat(_chat_model(self._models, role), self._client, policy)

    @override
    def embedder(self, embedding_set: EmbeddingSet) -> Embedder:
        return self._embedder(embedding_set, self._policy)

    @override
    def question_embedder(self, embedding_set: EmbeddingSet) -> Embedder:
        return self._embedder(embedding_set, self._policy.without_retries())

    def _embedder(self, embedding_set: EmbeddingSet, policy: RetryPolicy) -> Embedder:
        from graphrag_assets.gateways.openai_embedder import EmbeddingModel, OpenAiEmbedder

        model = EmbeddingModel(
            embedding_set.model,
            embedding_set.dimensions,
            revision=embedding_set.revision or "",
            max_tokens=_window(embedding_set),
            request_dimensions=embedding_set.request_dimensions,
        )
        return OpenAiEmbedder(model, self._client, policy=policy, batch_size=self._batch_size)

    @cached_property
    def _client(self) -> "OpenAI":
        from graphrag_assets.gateways.openai_client import open_client

        return open_client(self._access.api_key, self._access.base_url, timeout_seconds=self._models.timeout_seconds)


class RecordingModels(ServedModels):
    """Models that are called for what has no recording yet. One budget of calls for all of them."""

    def __init__(self, live: LiveModels, recordings: Recordings, *, clock: Clock) -> None:
        self._live = live
        self._recordings = recordings
        self._clock = clock

    @override
    def chat(self, role: ChatRole) -> ChatModel:
        return RecordingChat(self._live.chat(role), self._recordings, clock=self._clock)

    @override
    def embedder(self, embedding_set: EmbeddingSet) -> Embedder:
        return RecordingEmbedder(self._live.embedder(embedding_set), self._recordings, clock=self._clock)

    @override
    def question_embedder(self, embedding_set: EmbeddingSet) -> Embedder:
        return RecordingEmbedder(self._live.question_embedder(embedding_set), self._recordings, clock=self._clock)


class ReplayModels(ServedModels):
    """Models that answer from recordings alone; no key, no address, no network."""

    def __init__(self, models: ModelSettings, recordings: Recordings) -> None:
        self._models = models
        self._recordings = recordings

    @override
    def chat(self, role: ChatRole) -> ChatModel:
        return ReplayChat(_chat_model(self._models, role), self._recordings)

    @override
    def embedder(self, embedding_set: EmbeddingSet) -> Embedder:
        return ReplayEmbedder(
            embedding_set.model,
            self._recordings,
            dimensions=embedding_set.dimensions,
            revision=embedding_set.revision or "",
            max_tokens=_window(embedding_set),
        )

    @override
    def question_embedder(self, embedding_set: EmbeddingSet) -> Embedder:
        return self.embedder(embedding_set)


def _window(embedding_set: EmbeddingSet) -> int:
    return embedding_set.window_tokens or DEFAULT_WINDOW_TOKENS


def _chat_model(models: ModelSettings, role: ChatRole) -> str:
    name = models.chat_model(role)
    if not name:
        raise SettingsError("profile-incomplete", f"no chat model is named for the role {role!r}.", "Set models.chat.")
    return name


def _check_chat_models(settings: Settings) -> None:
    for role in get_args(ChatRole):
        if not settings.models.chat_model(role):
            raise _incomplete(settings, f"no chat model is named for the role {role!r}", "Set models.chat")


def _incomplete(settings: Settings, problem: str, remedy: str) -> SettingsError:
    return SettingsError(
        "profile-incomplete", f"profile {settings.profile} cannot be used: {problem}.", f"{remedy}, or use profile offline."
    )
