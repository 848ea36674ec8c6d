"""Settings are refused at load, by the path of the key, when one is unknown, out of bounds or contradicts another."""

import pytest
from pydantic import BaseModel, ValidationError

from graphrag_assets.model.settings import ChunkingSettings, CommunitySettings, Section, Settings

# Section, key, default, least and greatest value where there are bounds.
BOUNDS = [
    ("chunking", "max_utf8_bytes", 2_048, 64, 16_384),
    ("chunking", "overlap_paragraphs", 1, 0, 4),
    ("ingestion", "embedding_batch_size", 32, 1, 256),
    ("ingestion", "lanes", 2, 1, 8),
    ("ingestion", "max_documents", 10_000, 1, 100_000),
    ("ingestion", "max_document_bytes", 16 * 2**20, 2**10, 256 * 2**20),
    ("ingestion", "pdf_max_file_bytes", 64 * 2**20, 1_024, None),
    ("ingestion", "pdf_max_pages", 5_000, 1, 100_000),
    ("retry", "retries", 4, 0, 10),
    ("retry", "first_wait_seconds", 1.0, 0.0, 60.0),
    ("retry", "longest_wait_seconds", 60.0, 0.0, 600.0),
    ("retry", "jitter", 0.25, 0.0, 1.0),
    ("retrieval", "candidates_per_route", 20, 1, 256),
    ("retrieval", "max_items", 8, 1, 128),
    ("retrieval", "max_utf8_bytes", 16_384, 64, 65_536),
    ("retrieval", "neighbour_chunks", 1, 0, 4),
    ("retrieval", "fusion_k", 60, 1, 1_000),
    ("retrieval", "link_threshold", 0.8, 0.0, 1.0),
    ("communities", "iterations", 10, 1, 100),
    ("communities", "max_cluster_size", 1_000, 2, None),
]
IDS = [f"{section}.{key}" for section, key, *_ in BOUNDS]


def value_at(settings: Settings, section: str, key: str) -> object:
    return getattr(getattr(settings, section), key)


@pytest.mark.parametrize(("section", "key", "default", "least", "greatest"), BOUNDS, ids=IDS)
def test_a_default_lies_within_its_bounds_and_one_past_them_is_refused(
    section: str, key: str, default: float, least: float, greatest: float | None
) -> None:
    assert value_at(Settings(), section, key) == default
    bounds = [(least, -1)] if greatest is None else [(least, -1), (greatest, 1)]
    for bound, step in bounds:
        assert value_at(Settings.model_validate({section: {key: bound}}), section, key) == bound
        with pytest.raises(ValidationError) as error:
            Settings.model_validate({section: {key: bound + step}})
        assert error.value.errors()[0]["loc"] == (section, key)


@pytest.mark.parametrize("key", ["resolution", "randomness"])
def test_zero_is_no_resolution_and_no_randomness(key: str) -> None:
    with pytest.raises(ValidationError, match=key):
        CommunitySettings.model_validate({key: 0.0})


UNKNOWN = [(("colour",), {"colour": 1}), (("chunking", "max_token"), {"chunking": {"max_token": 1}})]


@pytest.mark.parametrize(("path", "written"), UNKNOWN, ids=[".".join(path) for path, _ in UNKNOWN])
def test_an_unknown_key_is_named_by_its_path(path: tuple[str, ...], written: dict[str, object]) -> None:
    with pytest.raises(ValidationError) as error:
        Settings.model_validate(written)
    assert error.value.errors()[0]["loc"] == path


CONTRADICTIONS = {
    "context over half of a chunk": ({"chunking": {"max_tokens": 64, "context_tokens": 33}}, "at most half"),
    "no embedding set": ({"embedding_sets": []}, "declare at least one"),
    "a set twice": ({"embedding_sets": [{"name": "a"}, {"name": "a"}]}, "names a set twice"),
    "an active set that is not declared": ({"active_embedding_set": "b"}, "not declared"),
    "a source twice": ({"sources": [{"name": "a", "folder": "x"}, {"name": "a", "folder": "y"}]}, "names a source twice"),
    "a source name that is no scheme": ({"sources": [{"name": "A b", "folder": "x"}]}, "sources.0.name"),
    "a profile that does not exist": ({"profile": "production"}, "profile"),
}


@pytest.mark.parametrize(("written", "why"), CONTRADICTIONS.values(), ids=CONTRADICTIONS.keys())
def test_a_contradiction_is_refused_with_its_reason(written: dict[str, object], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        Settings.model_validate(written)


def test_half_of_a_chunk_may_be_context() -> None:
    assert ChunkingSettings(max_tokens=64, context_tokens=32).context_tokens == 32


def test_the_first_set_serves_until_another_is_named() -> None:
    sets = [{"name": "a"}, {"name": "b"}]
    assert Settings.model_validate({"embedding_sets": sets}).serving_set.name == "a"
    assert Settings.model_validate({"embedding_sets": sets, "active_embedding_set": "b"}).serving_set.name == "b"


def test_equal_sections_have_equal_fingerprints_and_any_change_shows() -> None:
    assert ChunkingSettings().fingerprint() == ChunkingSettings(max_tokens=256).fingerprint()
    assert ChunkingSettings().fingerprint() != ChunkingSettings(max_tokens=255).fingerprint()


def test_sections_of_equal_values_have_their_own_fingerprints() -> None:
    class One(Section):
        value: int = 1

    class Two(Section):
        value: int = 1

    assert One().fingerprint() != Two().fingerprint()


def test_every_section_is_frozen_and_refuses_unknown_keys() -> None:
    def sections(model: type[BaseModel]) -> set[type[BaseModel]]:
        nested = [f.annotation for f in model.model_fields.values() if isinstance(f.annotation, type)]
        inner = [kind for kind in nested if issubclass(kind, BaseModel)]
        return {model, *(found for kind in inner for found in sections(kind))}

    found = sections(Settings)
    assert len(found) > 8
    for section in found:
        assert section.model_config.get("frozen"), section
        assert section.model_config.get("extra") == "forbid", section
