import json
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from graphrag_assets.model.errors import FailedDocument, RefusedDocument, UsageError
from graphrag_assets.model.ids import document_id, sha256_hex
from graphrag_assets.model.limits import Limit
from graphrag_assets.model.settings import SourceSettings
from graphrag_assets.sources.catalog import Catalog, current_entry, list_sources, refuse_key_collisions
from graphrag_assets.sources.loaders import load
from graphrag_assets_tests.sources.documents import CASES, LIMITS, entry_for

NFC_NAME, NFD_NAME = "Caf\u00e9.md", "Cafe\u0301.md"


def write(folder: Path, **files: str) -> None:
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


def catalog_of(home: Path, *sources: SourceSettings, max_documents: int = 1_000) -> Catalog:
    return list_sources(sources or (SourceSettings(name="docs", folder="docs"),), home, max_documents=max_documents)


def names(catalog: Catalog) -> list[str]:
    return sorted(entry.name for entry in catalog.entries)


def test_an_entry_says_what_a_file_is(tmp_path: Path) -> None:
    write(tmp_path, docs__sub__Note_dot_MD="# Hi\n")
    (entry,) = catalog_of(tmp_path).entries
    assert entry.uri == "docs:/sub/Note.MD"
    assert entry.document_id == document_id(entry.uri)
    assert entry.key == f"sub-note-md-{entry.document_id[:12]}"
    assert (entry.name, entry.media_type, entry.size, entry.refusal) == ("sub/Note.MD", "text/markdown", 5, None)
    assert entry.raw_hash == sha256_hex(b"# Hi\n")
    assert Path(entry.path).read_bytes() == b"# Hi\n"


def test_entries_are_sorted_by_key_and_twice_the_same(tmp_path: Path) -> None:
    write(tmp_path, docs__b_dot_md="b", docs__a_dot_txt="a", docs__z__a_dot_md="z")
    first, second = catalog_of(tmp_path), catalog_of(tmp_path)
    assert first == second
    assert [entry.key for entry in first.entries] == sorted(entry.key for entry in first.entries)


def test_a_moved_folder_keeps_ids_and_a_renamed_file_does_not(tmp_path: Path) -> None:
    write(tmp_path, one__docs__a_dot_md="same", two__docs__a_dot_md="same", two__docs__b_dot_md="same")
    (before,) = catalog_of(tmp_path / "one").entries
    after = {entry.name: entry for entry in catalog_of(tmp_path / "two").entries}
    assert after["a.md"].document_id == before.document_id
    assert after["b.md"].document_id != before.document_id
    assert after["b.md"].raw_hash == before.raw_hash


def test_awkward_names_each_get_a_plain_key_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    wanted = [name for name in json.loads((CASES / "b01_doc_names.json").read_text(encoding="utf-8")) if len(name.encode()) <= 255]
    for name in wanted:
        (tmp_path / "docs" / name).write_text("text", encoding="utf-8")
    entries = catalog_of(tmp_path).entries
    assert sorted(entry.name for entry in entries) == sorted(wanted)
    assert len({entry.key for entry in entries}) == len(wanted)
    assert all(re.fullmatch(r"[a-z0-9-]{1,80}", entry.key) for entry in entries)


def test_documents_of_one_content_stay_three_documents(tmp_path: Path) -> None:
    corpus = json.loads((CASES / "b32_corpus.json").read_text(encoding="utf-8"))
    for document in corpus["docs"]:
        path = tmp_path / "docs" / document["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(document["text"], encoding="utf-8")
    entries = catalog_of(tmp_path).entries
    assert len({entry.document_id for entry in entries}) == 3
    assert len({entry.key for entry in entries}) == 3
    assert len({entry.raw_hash for entry in entries}) == 2


def test_patterns_choose_files(tmp_path: Path) -> None:
    write(tmp_path, docs__a_dot_md="a", docs__drafts__b_dot_md="b", docs__c_dot_txt="c")
    source = SourceSettings(name="docs", folder="docs", include=("**/*.md",), exclude=("drafts/**",))
    assert names(catalog_of(tmp_path, source)) == ["a.md"]


def test_hidden_files_and_what_programs_leave_behind_are_no_documents(tmp_path: Path) -> None:
    write(tmp_path, docs__a_dot_md="a", docs___dot_git__b_dot_md="b", docs___dot_c_dot_md="c")
    for name in ("~$a.docx", "a.md~", "Thumbs.db", "desktop.ini"):
        (tmp_path / "docs" / name).write_text("x", encoding="utf-8")
    assert names(catalog_of(tmp_path)) == ["a.md"]


def test_a_file_no_loader_takes_is_listed_and_refused(tmp_path: Path) -> None:
    write(tmp_path, docs__picture_dot_png="x", docs__README="x")
    entries = catalog_of(tmp_path).entries
    assert [entry.refusal for entry in entries] == ["unsupported-media-type"] * 2
    assert {entry.media_type for entry in entries} == {"application/octet-stream"}
    with pytest.raises(RefusedDocument, match=r"picture\.png") as raised:
        load(next(entry for entry in entries if entry.name == "picture.png"), LIMITS)
    assert raised.value.code == "unsupported-media-type"


def test_of_two_names_equal_in_nfc_the_second_by_bytes_is_refused(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / NFC_NAME).write_text("composed", encoding="utf-8")
    (tmp_path / "docs" / NFD_NAME).write_text("decomposed", encoding="utf-8")
    by_refusal = {entry.refusal: entry for entry in catalog_of(tmp_path).entries}
    kept, refused = by_refusal[None], by_refusal["duplicate-uri"]
    assert Path(kept.path).read_text(encoding="utf-8") == "decomposed"
    assert kept.uri == "docs:/Caf%C3%A9.md"
    assert refused.document_id == document_id(refused.uri) != kept.document_id
    assert refused.key != kept.key
    with pytest.raises(RefusedDocument) as raised:
        load(refused, LIMITS)
    assert raised.value.code == "duplicate-uri"


def test_the_form_of_a_files_name_does_not_change_its_id(tmp_path: Path) -> None:
    for home, name in (("one", NFC_NAME), ("two", NFD_NAME)):
        (tmp_path / home / "docs").mkdir(parents=True)
        (tmp_path / home / "docs" / name).write_text("text", encoding="utf-8")
    (composed,), (decomposed,) = catalog_of(tmp_path / "one").entries, catalog_of(tmp_path / "two").entries
    assert (composed.document_id, composed.key, composed.name) == (decomposed.document_id, decomposed.key, decomposed.name)
    assert Path(decomposed.path).name == NFD_NAME


def test_two_sources_with_one_file_name_do_not_meet(tmp_path: Path) -> None:
    write(tmp_path, north__report_dot_md="n", south__report_dot_md="s")
    sources = [SourceSettings(name=name, folder=name) for name in ("north", "south")]
    entries = catalog_of(tmp_path, *sources).entries
    assert {entry.uri for entry in entries} == {"north:/report.md", "south:/report.md"}
    assert len({entry.key for entry in entries}) == 2


def test_links_that_leave_the_folder_are_named_and_not_followed(tmp_path: Path) -> None:
    write(tmp_path, docs__a_dot_md="a", outside__b_dot_md="b")
    docs = tmp_path / "docs"
    (docs / "inside.md").symlink_to(docs / "a.md")
    (docs / "outside.md").symlink_to(tmp_path / "outside" / "b.md")
    (docs / "folder").symlink_to(tmp_path / "outside")
    (docs / "nowhere.md").symlink_to(docs / "gone.md")
    catalog = catalog_of(tmp_path)
    assert names(catalog) == ["a.md", "inside.md"]
    assert catalog.skipped_links == ("docs:/folder", "docs:/nowhere.md", "docs:/outside.md")


def test_more_files_than_the_bound_is_said_and_the_first_by_key_are_kept(tmp_path: Path) -> None:
    write(tmp_path, docs__a_dot_md="a", docs__b_dot_md="b", docs__c_dot_md="c")
    whole, cut = catalog_of(tmp_path), catalog_of(tmp_path, max_documents=2)
    assert whole.limits == ()
    assert cut.limits == (Limit("max-documents", 2),)
    assert cut.entries == whole.entries[:2]


def test_a_missing_folder_is_an_error_since_it_would_look_like_a_removal(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as raised:
        catalog_of(tmp_path)
    assert raised.value.code == "source-missing"
    assert "'docs'" in raised.value.message
    assert raised.value.remedy


def test_a_missing_folder_can_be_asked_for(tmp_path: Path) -> None:
    write(tmp_path, docs__a_dot_md="a")
    sources = [SourceSettings(name="docs", folder="docs"), SourceSettings(name="gone", folder="gone")]
    catalog = list_sources(sources, tmp_path, max_documents=10, allow_missing=True)
    assert catalog.missing_folders == ("gone",)
    assert names(catalog) == ["a.md"]


def test_an_empty_folder_has_no_documents(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    assert catalog_of(tmp_path) == Catalog(())


def test_a_key_collision_names_both_documents(tmp_path: Path) -> None:
    write(tmp_path, docs__a_dot_md="a")
    entry = entry_for(tmp_path / "docs" / "a.md")
    with pytest.raises(UsageError) as raised:
        refuse_key_collisions([entry, replace(entry, uri="docs:/other.md")])
    assert raised.value.code == "key-collision"
    assert "docs:/a.md" in raised.value.message
    assert "docs:/other.md" in raised.value.message


def test_a_name_that_is_no_unicode_is_listed_and_fails_alone(tmp_path: Path) -> None:
    write(tmp_path, docs__a_dot_md="a")
    with open(os.fsencode(tmp_path / "docs") + b"/b\xff.md", "wb") as stream:  # noqa: PTH123 - pathlib takes no bytes
        stream.write(b"b")
    entries = {entry.name: entry for entry in catalog_of(tmp_path).entries}
    bad = entries["b\ufffd.md"]
    assert bad.uri == "docs:/b%FF.md"
    assert (bad.path, bad.raw_hash) == ("", "")
    assert load(entries["a.md"], LIMITS).text == b"a"
    with pytest.raises(FailedDocument) as raised:
        load(bad, LIMITS)
    assert raised.value.code == "read-failed"


def test_a_file_over_the_bounds_is_still_listed(tmp_path: Path) -> None:
    write(tmp_path, docs__a_dot_md="a" * (LIMITS.max_document_bytes + 1))
    (entry,) = catalog_of(tmp_path).entries
    assert entry.size == LIMITS.max_document_bytes + 1
    with pytest.raises(RefusedDocument) as raised:
        load(entry, LIMITS)
    assert raised.value.code == "document-too-large"


def test_an_entry_can_be_brought_up_to_date_alone(tmp_path: Path) -> None:
    write(tmp_path, docs__a_dot_md="old")
    (listed,) = catalog_of(tmp_path).entries
    assert current_entry(listed) == listed
    write(tmp_path, docs__a_dot_md="newer")
    assert current_entry(listed) == replace(listed, size=5, raw_hash=sha256_hex(b"newer"))
    assert load(current_entry(listed), LIMITS).text == b"newer"


def test_a_file_that_is_gone_has_no_hash_and_fails(tmp_path: Path) -> None:
    write(tmp_path, docs__a_dot_md="old")
    (listed,) = catalog_of(tmp_path).entries
    Path(listed.path).unlink()
    gone = current_entry(listed)
    assert (gone.size, gone.raw_hash) == (0, "")
    with pytest.raises(FailedDocument):
        load(gone, LIMITS)
