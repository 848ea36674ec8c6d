"""Which models a home works with. Decided by its settings alone: a key in the environment selects nothing by itself."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from typing_extensions import override

from graphrag_assets.gateways.chat import ChatModel, ChatModels
from graphrag_assets.gateways.clock import Clock
from graphrag_assets.gateways.embedder import Embedder
from graphrag_assets.gateways.kept import Kept
from graphrag_assets.gateways.local_models import HASHING, MINILM, check_set, is_local
from graphrag_assets.gateways.tokens import ByteTokenCounter, TokenCounter
from graphrag_assets.model.embedding_set import EmbeddingSet
from graphrag_assets.model.errors import UsageError
from graphrag_assets.model.settings import ChatRole, Settings

RECORDINGS: Final = "recordings"
OpenEmbedder = Callable[[EmbeddingSet], Embedder]


class StandIns(ABC):
    """The chat models of profile ``offline``: no real model is behind them, and ``names`` says so in every receipt."""

    names: tuple[str, ...]

    @abstractmethod
    def chat(self, role: ChatRole) -> ChatModel:
        """The stand-in for a role."""


class RoleChatModels(ChatModels):
    """Opens the model of each role once."""

    def __init__(self, open_chat: Callable[[ChatRole], ChatModel]) -> None:
        self._kept = Kept(open_chat)

    @override
    def for_role(self, role: ChatRole) -> ChatModel:
        return self._kept(role)


@dataclass(frozen=True, slots=True)
class Models:
    """The models of one home; each is opened at its first use and then shared by all lanes.

    Args:
        open_embedder: Behind `embedder_for`.
        open_question_embedder: Behind `question_embedder_for`.
        open_counter: Behind `token_counter`.
        stand_ins: Names of what stands in for real models, sorted; empty when everything is real.
    """

    chat: ChatModels
    open_embedder: OpenEmbedder
    open_question_embedder: OpenEmbedder
    open_counter: Callable[[str], TokenCounter]
    stand_ins: tuple[str, ...] = ()

    def embedder_for(self, embedding_set: EmbeddingSet) -> Embedder:
        """What embeds documents and things under a set; failures that may pass are tried again."""
        return self.open_embedder(embedding_set)

    def question_embedder_for(self, embedding_set: EmbeddingSet) -> Embedder:
        """What embeds questions under a set: the same model, never tried again, since a person is waiting."""
        return self.open_question_embedder(embedding_set)

    def token_counter(self, name: str) -> TokenCounter:
        """The counter that a chunker setting names.

        Raises:
            UsageError: ``unknown-token-counter``.
        """
        return self.open_counter(name)


def build_models(settings: Settings, environ: Mapping[str, str], *, stand_ins: StandIns, home_folder: Path, clock: Clock) -> Models:
    """The models that the settings ask for.

    Everything that can be wrong with the choice is found here; nothing is opened and nothing is called.

    Args:
        settings: Profile, model names, embedding sets, retries.
        environ: ``OPENAI_API_KEY``, ``OPENAI_BASE_URL`` and ``GRAPHRAG_ASSETS_MODEL_DIR``.
        stand_ins: Chat models of profile ``offline``.
        home_folder: Recordings lie in its folder ``recordings``.
        clock: Waits between tries, and dates recordings.

    Raises:
        SettingsError: ``profile-incomplete``, ``embedding-set-offline``, ``embedding-set-differs``.
    """
    for embedding_set in settings.embedding_sets:
        check_set(embedding_set, settings.profile)
    names = {HASHING} if any(embedding_set.model == HASHING for embedding_set in settings.embedding_sets) else set[str]()
    counter = Kept[str, TokenCounter](lambda name: _open_counter(name, environ))
    local = _local_embedders(environ)
    if settings.profile == "offline":
        return Models(RoleChatModels(stand_ins.chat), local, local, counter, tuple(sorted(names.union(stand_ins.names))))
    from graphrag_assets.gateways.served_models import served_models

    served = served_models(settings, environ, recordings_folder=home_folder / RECORDINGS, clock=clock)
    if settings.profile == "replay":
        names.add(RECORDINGS)
    embedder, question_embedder = _either(local, Kept(served.embedder)), _either(local, Kept(served.question_embedder))
    return Models(RoleChatModels(served.chat), embedder, question_embedder, counter, tuple(sorted(names)))


def _either(local: OpenEmbedder, served: OpenEmbedder) -> OpenEmbedder:
    return lambda embedding_set: local(embedding_set) if is_local(embedding_set) else served(embedding_set)


def _local_embedders(environ: Mapping[str, str]) -> OpenEmbedder:
    """Embedders of this process: one for all sets of the same model and size."""
    kept = Kept[tuple[str, int], Embedder](lambda key: _open_local(*key, environ=environ))

    def open_local(embedding_set: EmbeddingSet) -> Embedder:
        check_set(embedding_set, "offline")
        return kept((embedding_set.model, embedding_set.dimensions))

    return open_local


def _open_local(model: str, dimensions: int, *, environ: Mapping[str, str]) -> Embedder:
    if model == HASHING:
        from graphrag_assets.gateways.hashing import HashingEmbedder

        return HashingEmbedder(dimensions)
    from graphrag_assets.gateways.minilm import MiniLmEmbedder
    from graphrag_assets.gateways.minilm_files import model_folder

    return MiniLmEmbedder(model_folder(environ))


def _open_counter(name: str, environ: Mapping[str, str]) -> TokenCounter:
    if name == ByteTokenCounter.name:
        return ByteTokenCounter()
    if name == MINILM:
        from graphrag_assets.gateways.minilm import MiniLmTokenCounter
        from graphrag_assets.gateways.minilm_files import model_folder

        return MiniLmTokenCounter(model_folder(environ))
    raise UsageError("unknown-token-counter", f"{name!r} counts no tokens.", f"Use {MINILM} or {ByteTokenCounter.name}.")
