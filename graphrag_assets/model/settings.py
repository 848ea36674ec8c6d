"""All settings, with their bounds. Each section is what one stage's fingerprint may read; secrets never stand here."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from graphrag_assets.model.embedding_set import EmbeddingSet
from graphrag_assets.model.ids import hashed

Profile = Literal["offline", "live", "record", "replay"]
ChatRole = Literal[
    "extract", "glean", "summarise", "report", "answer", "rewrite", "global-map", "global-reduce", "mind-map", "text2cypher", "rerank"
]


class Section(BaseModel):
    """Base of every settings section: frozen, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def fingerprint(self) -> str:
        """Hash of this section's values."""
        return hashed("settings", type(self).__name__, self.model_dump(mode="json"))


class SourceSettings(Section):
    """One folder of documents."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$", description="becomes the scheme of the documents' URIs")]
    folder: Annotated[str, Field(description="folder of the documents; relative to the home")]
    include: Annotated[tuple[str, ...], Field(description="glob patterns of files to take")] = ("**/*",)
    exclude: Annotated[tuple[str, ...], Field(description="glob patterns of files to leave out")] = ()


class ChunkingSettings(Section):
    """How documents are cut. Every value goes into every chunk id."""

    tokenizer: Annotated[
        Literal["minilm", "bytes"], Field(description="what counts tokens: MiniLM's own tokenizer, or 4 bytes a token")
    ] = "minilm"
    max_tokens: Annotated[int, Field(ge=16, le=8_192, description="tokens of a chunk with special tokens and its context")] = 256
    context_tokens: Annotated[int, Field(ge=0, le=1_024, description="of max_tokens, kept free for heading path and table header")] = 48
    max_utf8_bytes: Annotated[int, Field(ge=64, le=16_384, description="bytes of a chunk, always enforced")] = 2_048
    overlap_paragraphs: Annotated[int, Field(ge=0, le=4, description="whole paragraphs repeated from the chunk before")] = 1

    @model_validator(mode="after")
    def _check_room(self) -> Self:
        if self.context_tokens > self.max_tokens // 2:
            raise ValueError(f"context_tokens {self.context_tokens} leaves too little of max_tokens {self.max_tokens}; at most half of it")
        return self


class IngestionSettings(Section):
    """Bounds of ingestion."""

    embedding_batch_size: Annotated[int, Field(ge=1, le=256, description="texts of one embedding call")] = 32
    lanes: Annotated[int, Field(ge=1, le=8, description="documents worked on at the same time")] = 2
    max_documents: Annotated[int, Field(ge=1, le=100_000, description="documents of one catalogue")] = 10_000
    max_document_bytes: Annotated[int, Field(ge=1_024, le=268_435_456, description="bytes of a document's text")] = 16_777_216
    pdf_max_file_bytes: Annotated[int, Field(ge=1_024, description="bytes of a PDF file")] = 67_108_864
    pdf_max_pages: Annotated[int, Field(ge=1, le=100_000, description="pages of a PDF file")] = 5_000
    batch_documents: Annotated[int, Field(ge=1, le=10_000, description="documents of one run")] = 500


class ExtractionSettings(Section):
    """What is asked of a document and what is kept."""

    ontology: Annotated[str, Field(description="operations, generic, novel, article, or a path to a YAML file relative to the home")] = (
        "operations"
    )
    max_entities_per_chunk: Annotated[int, Field(ge=1, le=500, description="things kept of one chunk")] = 40
    max_relationships_per_chunk: Annotated[int, Field(ge=1, le=500, description="facts kept of one chunk")] = 60
    strict_schema: Annotated[bool, Field(description="ask for replies that keep the schema exactly")] = True
    retry_unreadable_replies: Annotated[bool, Field(description="ask once more when a reply cannot be read")] = True
    max_output_tokens: Annotated[int, Field(ge=64, le=65_536, description="bound of one reply")] = 4_096


class RetrySettings(Section):
    """Retries of embedding and extraction calls; questions are never retried."""

    retries: Annotated[int, Field(ge=0, le=10, description="tries after the first")] = 4
    first_wait_seconds: Annotated[float, Field(ge=0.0, le=60.0, description="wait before the second try; doubles")] = 1.0
    longest_wait_seconds: Annotated[
        float, Field(ge=0.0, le=600.0, description="longest wait; a longer hint of the server fails the call")
    ] = 60.0
    jitter: Annotated[float, Field(ge=0.0, le=1.0, description="share of a wait that is drawn at random")] = 0.25


class ModelSettings(Section):
    """Which models the profile ``live`` calls. Keys come from the environment only."""

    chat: Annotated[str | None, Field(description="model name for every chat role that names none")] = None
    roles: Annotated[dict[ChatRole, str], Field(description="model name by role")] = {}
    timeout_seconds: Annotated[float, Field(gt=0.0, le=3_600.0, description="bound of one call")] = 120.0
    requests_per_minute: Annotated[int | None, Field(ge=1, description="bound shared by all lanes; none when empty")] = None

    def chat_model(self, role: ChatRole) -> str | None:
        """The model for a role."""
        return self.roles.get(role, self.chat)


class GraphSettings(Section):
    """The graph server. The password comes from the environment or the local server's own file."""

    uri: Annotated[str | None, Field(description="bolt or neo4j URI; without it a local server is started")] = None
    user: Annotated[str, Field(description="user name on that server")] = "neo4j"
    database: Annotated[str, Field(description="database name")] = "neo4j"
    layout: Annotated[Literal["default"], Field(description="names of labels and types")] = "default"
    label_prefix: Annotated[
        str, Field(pattern=r"^[A-Za-z]*$", description="put before class labels where an application uses them already")
    ] = ""
    heap_mb: Annotated[int, Field(ge=256, le=65_536, description="heap of the local server")] = 512
    page_cache_mb: Annotated[int, Field(ge=16, le=65_536, description="page cache of the local server")] = 128
    batch_rows: Annotated[int, Field(ge=1, le=10_000, description="rows of one statement")] = 500


class RetrievalSettings(Section):
    """Bounds of retrieval."""

    candidates_per_route: Annotated[int, Field(ge=1, le=256, description="chunks that each route may bring")] = 20
    fusion_k: Annotated[int, Field(ge=1, le=1_000, description="constant of reciprocal rank fusion")] = 60
    max_items: Annotated[int, Field(ge=1, le=128, description="evidence items")] = 8
    max_utf8_bytes: Annotated[int, Field(ge=64, le=65_536, description="bytes of all evidence")] = 16_384
    neighbour_chunks: Annotated[int, Field(ge=0, le=4, description="chunks before and after, as context")] = 1
    link_threshold: Annotated[float, Field(ge=0.0, le=1.0, description="cosine from which a span of a question names a thing")] = 0.8
    max_hops: Annotated[int, Field(ge=1, le=5, description="relations of a path")] = 3
    paths_per_seed: Annotated[int, Field(ge=1, le=50_000, description="paths walked from one thing")] = 5_000
    paths_kept: Annotated[int, Field(ge=1, le=100, description="paths whose chunks become evidence")] = 6


class AnswerSettings(Section):
    """How answers are verified."""

    on_bad_citation: Annotated[
        Literal["refuse", "withdraw"], Field(description="one bad citation refuses the answer, or withdraws its statement")
    ] = "refuse"
    max_output_tokens: Annotated[int, Field(ge=64, le=65_536, description="bound of one answer")] = 2_048


class CommunitySettings(Section):
    """Community detection by hierarchical Leiden."""

    resolution: Annotated[float, Field(gt=0.0, le=1_000.0, description="higher gives more, smaller communities")] = 1.0
    iterations: Annotated[int, Field(ge=1, le=100, description="local-moving passes a level")] = 10
    seed: Annotated[int, Field(ge=0, le=2**63 - 1, description="of the random draws; the same seed gives the same communities")] = 42
    randomness: Annotated[float, Field(gt=0.0, le=1_000.0, description="sharpness of the refinement's draw")] = 0.01
    max_cluster_size: Annotated[int, Field(ge=2, description="larger communities are split into a further level")] = 1_000


class StorageSettings(Section):
    """Where Dagster keeps its events."""

    dagster: Annotated[
        Literal["embedded-postgres", "sqlite", "postgres"], Field(description="postgres reads GRAPHRAG_ASSETS_DAGSTER_POSTGRES_URL")
    ] = "embedded-postgres"


class Settings(Section):
    """Everything in ``settings.yaml``."""

    profile: Annotated[Profile, Field(description="offline stand-ins, live models, or recordings")] = "offline"
    sources: tuple[SourceSettings, ...] = ()
    chunking: ChunkingSettings = ChunkingSettings()
    embedding_sets: tuple[EmbeddingSet, ...] = (EmbeddingSet(name="minilm"),)
    active_embedding_set: Annotated[
        str | None, Field(description="the set that serves until the graph names one; the first one when empty")
    ] = None
    ingestion: IngestionSettings = IngestionSettings()
    extraction: ExtractionSettings = ExtractionSettings()
    models: ModelSettings = ModelSettings()
    retry: RetrySettings = RetrySettings()
    graph: GraphSettings = GraphSettings()
    communities: CommunitySettings = CommunitySettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    answers: AnswerSettings = AnswerSettings()
    storage: StorageSettings = StorageSettings()

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        names = [s.name for s in self.embedding_sets]
        if not names:
            raise ValueError("embedding_sets is empty; declare at least one")
        if len(set(names)) != len(names):
            raise ValueError(f"embedding_sets names a set twice: {names}")
        if self.active_embedding_set is not None and self.active_embedding_set not in names:
            raise ValueError(f"active_embedding_set {self.active_embedding_set!r} is not declared; declared are {names}")
        sources = [s.name for s in self.sources]
        if len(set(sources)) != len(sources):
            raise ValueError(f"sources names a source twice: {sources}")
        return self

    @property
    def serving_set(self) -> EmbeddingSet:
        """The embedding set that retrieval uses."""
        return next((s for s in self.embedding_sets if s.name == self.active_embedding_set), self.embedding_sets[0])
