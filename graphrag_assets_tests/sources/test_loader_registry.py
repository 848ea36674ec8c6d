from collections.abc import Mapping
from pathlib import Path

import pytest
from typing_extensions import override

from graphrag_assets.model.documents import LoadedDocument, SourceEntry
from graphrag_assets.model.ids import sha256_hex
from graphrag_assets.model.settings import IngestionSettings
from graphrag_assets.sources.loader import Loader
from graphrag_assets.sources.loaders import LoaderRegistry, loader_version, media_type_of, takes
from graphrag_assets.sources.reading import read_source
from graphrag_assets.sources.text import TextLoader
from graphrag_assets_tests.sources.documents import LIMITS, entry_for


class ShoutingLoader(Loader):
    name = "shouting/3"
    media_types: Mapping[str, str] = {".shout": "text/x-shout", ".txt": "text/plain"}

    @override
    def load(self, entry: SourceEntry, limits: IngestionSettings) -> LoadedDocument:
        text = read_source(entry, limits.max_document_bytes).upper()
        return LoadedDocument(
            entry.uri, entry.document_id, entry.key, entry.media_type, text, sha256_hex(text), self.name, text_origin="converted"
        )


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("a.md", "text/markdown"),
        ("a.MARKDOWN", "text/markdown"),
        ("x.y/a.Txt", "text/plain"),
        ("a.text", "text/plain"),
        ("a.pdf", "application/pdf"),
        ("a.docx", "application/octet-stream"),
        ("md", "application/octet-stream"),
    ],
)
def test_the_extension_decides_the_media_type(name: str, media_type: str) -> None:
    assert media_type_of(name) == media_type


def test_each_media_type_has_a_loader_with_a_version() -> None:
    assert loader_version("text/plain") == "text/1"
    assert loader_version("text/markdown") == "markdown/1"
    assert loader_version("application/pdf").startswith("pdf/1 pypdfium2/")
    assert loader_version("application/octet-stream") == "none"
    assert not takes("application/octet-stream")


def test_a_loader_of_ones_own_wins_over_the_packages(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"quiet")
    registry = LoaderRegistry(TextLoader())
    assert registry.load(entry_for(tmp_path / "a.txt"), LIMITS).text == b"quiet"
    registry.register(ShoutingLoader())
    assert registry.load(entry_for(tmp_path / "a.txt"), LIMITS).text == b"QUIET"
    assert registry.media_type_of("b.shout") == "text/x-shout"
