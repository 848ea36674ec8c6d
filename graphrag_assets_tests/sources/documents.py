"""Files and entries for the tests of sources: what a catalogue would say of them, without the catalogue."""

import os
from pathlib import Path

import pytest

from graphrag_assets.model.documents import LoadedDocument, SourceEntry
from graphrag_assets.model.ids import document_id, partition_key, sha256_hex
from graphrag_assets.model.settings import IngestionSettings
from graphrag_assets.sources.loaders import load, media_type_of
from graphrag_assets.sources.uris import file_uri

CASES = Path(__file__).parent.parent / "cases"
LIMITS = IngestionSettings()


def entry_for(path: Path) -> SourceEntry:
    raw = path.read_bytes()
    uri = file_uri("docs", path.name)
    document = document_id(uri)
    return SourceEntry(
        uri, document, partition_key(path.name, document), path.name, str(path), media_type_of(path.name), len(raw), sha256_hex(raw)
    )


def load_file(path: Path, limits: IngestionSettings = LIMITS) -> LoadedDocument:
    return load(entry_for(path), limits)


def load_bytes(folder: Path, name: str, content: bytes, limits: IngestionSettings = LIMITS) -> LoadedDocument:
    path = folder / name
    path.write_bytes(content)
    return load_file(path, limits)


def load_case(name: str) -> LoadedDocument:
    return load_file(CASES / name)


def shared_data(name: str) -> Path:
    """A folder of the evaluation corpora, which lie beside the project or where an environment variable says."""
    beside = Path(__file__).parents[3] / "shared" / "data"
    folder = Path(os.environ.get("GRAPHRAG_ASSETS_SHARED_DATA", beside)) / name
    if not folder.is_dir():
        pytest.skip(f"the evaluation corpora are absent ({name}); set GRAPHRAG_ASSETS_SHARED_DATA to their folder")
    return folder
