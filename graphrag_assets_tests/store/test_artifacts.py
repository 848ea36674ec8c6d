from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_assets.model.documents import DocumentMetadata, LoadedDocument, Page
from graphrag_assets.model.extraction import Extraction, Fact, Mention, Thing
from graphrag_assets.model.ids import sha256_hex
from graphrag_assets.model.plans import Chunk, ChunkPlan, Section
from graphrag_assets.model.provenance import Provenance
from graphrag_assets.model.spans import ByteSpan
from graphrag_assets.model.vectors import TextVector, VectorTable
from graphrag_assets.store.artifacts import ArtifactStore
from graphrag_assets.store.codecs import (
    document_from,
    document_rows,
    extraction_from,
    extraction_rows,
    plan_from,
    plan_rows,
    vector_rows,
    vectors_from,
)
from graphrag_assets.store.records import Row, digest_rows


def provenance(asset: str, key: str | None, rows: list[Row], parts: dict[str, str] | None = None) -> Provenance:
    return Provenance(
        asset=asset,
        key=key,
        document_id="d" * 64,
        uri="docs:/a.md",
        run_id="r1",
        runner="api",
        schema_version=1,
        code_version="1",
        settings={"chunker": "abc"},
        fingerprint="f",
        inputs={},
        digest=digest_rows(rows),
        written="2026-01-01T00:00:00.000Z",
        outcome="written",
        parts=parts or {},
    )


@pytest.fixture
def store(tmp_path: Path) -> ArtifactStore:
    return ArtifactStore(str(tmp_path / "artifacts"))


def document(text: bytes) -> LoadedDocument:
    return LoadedDocument(
        uri="docs:/a.pdf",
        document_id="d" * 64,
        key="a-pdf-dddddddddddd",
        media_type="application/pdf",
        text=text,
        content_hash=sha256_hex(text),
        loader="pdf-1",
        text_origin="pdf-text-layer",
        metadata=DocumentMetadata(title="A"),
        pages=(Page(1, ByteSpan(0, len(text))),),
        pages_without_text=(2,),
    )


@given(st.binary(max_size=200))
def test_a_document_comes_back_byte_for_byte(text: bytes) -> None:
    loaded = document(text)
    assert document_from(document_rows(loaded)) == loaded


def test_an_artifact_carries_its_own_provenance(store: ArtifactStore) -> None:
    rows = document_rows(document(b"caf\xc3\xa9\x00\r\n"))
    store.write(provenance("documents", "k-1", rows), rows)
    read = store.read("documents", "k-1")
    assert read is not None
    assert document_from(read.rows).text == b"caf\xc3\xa9\x00\r\n"
    assert read.provenance == store.provenance("documents", "k-1")
    assert read.provenance.digest == digest_rows(list(map(dict, read.rows)))


def test_what_is_not_there_is_none_and_not_an_error(store: ArtifactStore) -> None:
    assert store.read("documents", "nobody") is None
    assert store.provenance("documents", "nobody") is None
    assert store.keys("documents") == ()
    assert store.delete("documents", "nobody") is False


def test_assets_of_sets_have_folders_of_their_own(store: ArtifactStore) -> None:
    table = VectorTable("small", "m", "1", 2, (TextVector("c1", "t1", (0.5, 0.25)),))
    rows = vector_rows(table)
    parts = {"set": "small", "model": "m", "revision": "1", "dimensions": "2"}
    store.write(provenance("chunk_vectors/small", "k-1", rows, parts), rows, dimensions=2)
    store.write(provenance("communities", None, []), [])
    assert store.assets() == ("chunk_vectors/small", "communities")
    assert store.keys("chunk_vectors/small") == ("k-1",)
    assert store.keys("communities") == ()
    read = store.read("chunk_vectors/small", "k-1")
    assert read is not None
    assert vectors_from(read.rows, read.provenance.parts) == table


def test_a_half_written_file_is_never_an_artifact(store: ArtifactStore, tmp_path: Path) -> None:
    rows = document_rows(document(b"one"))
    store.write(provenance("documents", "k-1", rows), rows)
    (tmp_path / "artifacts" / "documents" / "k-1.parquet.0123.part").write_bytes(b"PAR1 torn")
    assert store.keys("documents") == ("k-1",)
    assert store.assets() == ("documents",)


@pytest.mark.parametrize("damage", [b"", b"PAR1", b"PAR1 half of it"])
def test_a_damaged_file_counts_as_missing_and_is_said(
    store: ArtifactStore, tmp_path: Path, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    rows = document_rows(document(b"one"))
    store.write(provenance("documents", "k-1", rows), rows)
    (tmp_path / "artifacts" / "documents" / "k-1.parquet").write_bytes(damage)
    assert store.provenance("documents", "k-1") is None
    assert store.read("documents", "k-1") is None
    assert "damaged" in caplog.text


def test_a_plan_and_an_extraction_come_back_equal(store: ArtifactStore) -> None:
    plan = ChunkPlan(
        "d" * 64,
        "h",
        "c",
        (Section("s1", 0, 1, "Title", ByteSpan(0, 9)),),
        (Chunk("c1", 0, ByteSpan(0, 9), "# Title\n\n", 0, 5, context="Title"),),
    )
    extraction = Extraction(
        "d" * 64,
        "o",
        "1",
        things=(Thing("t1", "System", "Quay", ("The Quay",)),),
        facts=(Fact("f1", "DEPENDS_ON", "t1", "t2", ("c1",)),),
        mentions=(Mention("c1", "t1", ByteSpan(2, 6), "Quay"),),
    )
    rows, found = plan_rows(plan), extraction_rows(extraction)
    store.write(provenance("chunk_plans", "k", rows, {"content_hash": "h", "chunker_fingerprint": "c"}), rows)
    store.write(provenance("extractions", "k", found, {"ontology_fingerprint": "o", "extractor_version": "1"}), found)
    stored_plan, stored = store.read("chunk_plans", "k"), store.read("extractions", "k")
    assert stored_plan is not None and stored is not None
    assert plan_from(stored_plan.rows, stored_plan.provenance.parts, "d" * 64) == plan
    assert extraction_from(stored.rows, stored.provenance.parts, "d" * 64) == extraction


def test_a_digest_says_what_rows_say_and_not_how_they_were_come_by() -> None:
    assert digest_rows([{"a": 1, "reused": True}]) == digest_rows([{"a": 1, "reused": False}])
    assert digest_rows([{"a": 1}]) != digest_rows([{"a": 2}])
    assert digest_rows([{"a": 1}, {"a": 2}]) != digest_rows([{"a": 2}, {"a": 1}])
    assert digest_rows([{"v": [0.1]}]) == digest_rows([{"v": (0.1,)}])


def test_artifacts_are_tables_that_pandas_reads(store: ArtifactStore) -> None:
    rows = extraction_rows(Extraction("d", "o", "1", things=(Thing("t1", "System", "Quay"), Thing("t2", "Team", "Dock"))))
    store.write(provenance("extractions", "k", rows), rows)
    table = store.table("extractions", "k")
    assert table is not None
    frame = table.to_pandas()
    assert frame.groupby("kind").size().to_dict() == {"System": 1, "Team": 1}
