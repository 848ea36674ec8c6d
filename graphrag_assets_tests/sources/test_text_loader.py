from dataclasses import replace
from pathlib import Path

import fsspec
import pytest

from graphrag_assets.model.documents import DocumentMetadata
from graphrag_assets.model.errors import FailedDocument, RefusedDocument
from graphrag_assets.model.ids import sha256_hex
from graphrag_assets.model.settings import IngestionSettings
from graphrag_assets.sources.catalog import current_entry
from graphrag_assets.sources.loaders import load
from graphrag_assets_tests.sources.documents import CASES, LIMITS, entry_for, load_bytes, load_case

BOM = b"\xef\xbb\xbf"


def refusal(folder: Path, content: bytes, limits: IngestionSettings = LIMITS) -> RefusedDocument:
    with pytest.raises(RefusedDocument) as raised:
        load_bytes(folder, "a.txt", content, limits)
    return raised.value


def test_a_document_keeps_its_identity_and_is_named_by_its_file(tmp_path: Path) -> None:
    document = load_bytes(tmp_path, "Ship's log.txt", b"Day one.\n")
    entry = entry_for(tmp_path / "Ship's log.txt")
    assert (document.uri, document.document_id, document.key, document.media_type) == (
        entry.uri,
        entry.document_id,
        entry.key,
        "text/plain",
    )
    assert document.content_hash == sha256_hex(b"Day one.\n")
    assert document.metadata == DocumentMetadata(title="Ship's log")
    assert (document.loader, document.text_origin, document.pages, document.mended) == ("text/1", "source", (), 0)


def test_one_leading_byte_order_mark_goes_and_a_second_stays(tmp_path: Path) -> None:
    assert load_bytes(tmp_path, "a.txt", BOM + BOM + b"a" + BOM).text == BOM + b"a" + BOM


def test_a_byte_order_mark_changes_neither_text_nor_hash(tmp_path: Path) -> None:
    with_mark, without = load_case("b18_bom.md"), load_bytes(tmp_path, "a.md", (CASES / "b18_bom.md").read_bytes()[3:])
    assert with_mark.text == without.text
    assert with_mark.content_hash == without.content_hash


@pytest.mark.parametrize("name", ["b17_control_chars.txt", "b19_crlf.md", "b26_nfc.md", "b26_nfd.md", "b26_radical.md"])
def test_every_other_byte_is_kept(name: str) -> None:
    assert load_case(name).text == (CASES / name).read_bytes()


@pytest.mark.parametrize(
    ("content", "at"),
    [(b"abc\xff", 3), (b"\xc3", 0), (b"ok \xed\xa0\xbd", 3), (b"\xc0\xaf", 0), (BOM + b"a\xfe", 1), (b"\xf4\x90\x80\x80", 0)],
    ids=["stray byte", "cut off", "surrogate", "overlong", "after the mark", "beyond Unicode"],
)
def test_what_is_not_utf8_is_refused_with_its_place(tmp_path: Path, content: bytes, at: int) -> None:
    error = refusal(tmp_path, content)
    assert error.code == "invalid-utf8"
    assert f"byte {at} " in error.message


@pytest.mark.parametrize("name", ["b08_empty.md", "b08_whitespace_only.md"])
def test_a_document_with_nothing_to_read_is_refused(name: str) -> None:
    with pytest.raises(RefusedDocument) as raised:
        load_case(name)
    assert raised.value.code == "empty-document"


@pytest.mark.parametrize("content", [BOM, b"\n\r\n", "\u2060\u00ad\u200b\x00".encode()])
def test_marks_and_invisible_characters_are_nothing_to_read(tmp_path: Path, content: bytes) -> None:
    assert refusal(tmp_path, content).code == "empty-document"


def test_the_bound_counts_bytes_of_text_without_the_mark(tmp_path: Path) -> None:
    limits = IngestionSettings(max_document_bytes=1_024)
    assert len(load_bytes(tmp_path, "a.txt", BOM + b"a" * 1_024, limits).text) == 1_024
    assert refusal(tmp_path, b"a" * 1_025, limits).code == "document-too-large"
    assert "1024" in refusal(tmp_path, BOM + b"a" * 1_025, limits).message


def test_a_file_that_went_away_fails_and_is_not_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a")
    entry = entry_for(tmp_path / "a.txt")
    (tmp_path / "a.txt").unlink()
    with pytest.raises(FailedDocument) as raised:
        load(entry, LIMITS)
    assert raised.value.code == "read-failed"


def test_a_file_that_changed_after_it_was_listed_fails(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"before")
    entry = entry_for(tmp_path / "a.txt")
    (tmp_path / "a.txt").write_bytes(b"after")
    with pytest.raises(FailedDocument, match="changed after it was listed") as raised:
        load(entry, LIMITS)
    assert raised.value.code == "read-failed"


def test_bytes_may_lie_on_another_file_system(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"far away")
    fsspec.filesystem("memory").pipe("/far/a.txt", b"far away")
    entry = replace(entry_for(tmp_path / "a.txt"), path="memory://far/a.txt")
    assert load(entry, LIMITS).text == b"far away"
    assert current_entry(entry) == entry


@pytest.mark.parametrize(("name", "title"), [("a.b.txt", "a.b"), ("sub/c.txt", "c"), (".txt", ".txt")])
def test_the_title_is_the_files_name_without_folder_and_extension(tmp_path: Path, name: str, title: str) -> None:
    (tmp_path / "x.txt").write_bytes(b"a")
    assert load(replace(entry_for(tmp_path / "x.txt"), name=name), LIMITS).metadata.title == title
