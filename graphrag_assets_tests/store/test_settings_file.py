from pathlib import Path

import pytest

from graphrag_assets.model.errors import SettingsError
from graphrag_assets.store.settings_file import load_settings


def settings_file(folder: Path, text: str) -> Path:
    file = folder / "settings.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_an_empty_file_gives_the_defaults(tmp_path: Path) -> None:
    settings = load_settings(settings_file(tmp_path, ""), {}).settings
    assert settings.profile == "offline"
    assert settings.chunking.max_tokens == 256
    assert [s.name for s in settings.embedding_sets] == ["minilm"]


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ("chunking:\n  max_tokenz: 3\n", "chunking.max_tokenz", 2),
        ("profile: online\n", "profile", 1),
        ("ingestion:\n  lanes: 2\n  embedding_batch_size: 0\n", "ingestion.embedding_batch_size", 3),
        ("embedding_sets:\n  - name: Not-A-Name\n", "embedding_sets.0.name", 2),
        ("chunking: {max_tokens: 100, context_tokens: 90}\n", "chunking", 1),
    ],
)
def test_a_wrong_setting_is_refused_with_its_path_and_line(tmp_path: Path, text: str, path: str, line: int) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(settings_file(tmp_path, text), {})
    assert caught.value.code == "settings-invalid"
    assert path in caught.value.message
    assert f"line {line}" in caught.value.message


def test_the_environment_wins_and_says_where_a_value_came_from(tmp_path: Path) -> None:
    file = settings_file(tmp_path, "chunking:\n  max_tokens: 100\n  context_tokens: 10\n")
    loaded = load_settings(file, {"GRAPHRAG_ASSETS_CHUNKING__MAX_TOKENS": "120", "GRAPHRAG_ASSETS_PROFILE": "replay"})
    assert loaded.settings.chunking.max_tokens == 120
    rows = {path: (value, origin) for path, value, origin in loaded.rows()}
    assert rows["chunking.max_tokens"] == (120, "GRAPHRAG_ASSETS_CHUNKING__MAX_TOKENS")
    assert rows["chunking.context_tokens"] == (10, "settings.yaml")
    assert rows["chunking.max_utf8_bytes"] == (2048, "default")
    assert rows["profile"] == ("replay", "GRAPHRAG_ASSETS_PROFILE")


def test_a_variable_that_names_no_setting_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="GRAPHRAG_ASSETS_CHUNKING__TOKENS"):
        load_settings(settings_file(tmp_path, ""), {"GRAPHRAG_ASSETS_CHUNKING__TOKENS": "1"})


def test_variables_that_are_no_settings_are_left_alone(tmp_path: Path) -> None:
    loaded = load_settings(settings_file(tmp_path, ""), {"GRAPHRAG_ASSETS_HOME": "x", "PATH": "y"})
    assert {origin for _, _, origin in loaded.rows()} == {"default"}


def test_a_variable_that_is_no_yaml_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="GRAPHRAG_ASSETS_PROFILE"):
        load_settings(settings_file(tmp_path, ""), {"GRAPHRAG_ASSETS_PROFILE": "["})


@pytest.mark.parametrize("text", ["[1, 2]\n", "a: b: c\n"])
def test_a_file_that_is_no_mapping_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError):
        load_settings(settings_file(tmp_path, text), {})
