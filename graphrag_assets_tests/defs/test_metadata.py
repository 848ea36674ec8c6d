"""What a materialization says of itself, and what it must not say."""

import dagster as dg
import pytest

from graphrag_assets.defs.metadata import stage_metadata
from graphrag_assets.model.limits import Limit
from graphrag_assets.model.outcomes import GraphChanges, StageResult, Usage

FULL = StageResult(
    "chunk_vectors/minilm",
    "doc-0123456789ab",
    "written",
    digest="d1",
    fingerprint="f1",
    causes=("text", "chunker"),
    counts={"vectors": 12, "dimensions": 384, "model": "minilm", "share": 0.5},
    sample=tuple({"chunk": f"c{n}", "start": n, "score": n / 2} for n in range(9)),
    usage=Usage(embedding_calls=2, input_tokens=300),
    graph=GraphChanges(nodes_created=4),
    limits=(Limit("max-tokens", 256),),
    seconds=1.23456,
)


def values(result: StageResult) -> dict[str, object]:
    return {name: value.value for name, value in stage_metadata(result, ("hashing-embedder",)).items()}


def test_metadata_says_outcome_causes_counts_and_usage() -> None:
    found = values(FULL)
    assert found["outcome"] == "written"
    assert found["causes"] == "text, chunker"
    assert (found["vectors"], found["dimensions"], found["model"], found["share"]) == (12, 384, "minilm", 0.5)
    assert (found["embedding_calls"], found["input_tokens"], found["graph_nodes_created"]) == (2, 300, 4)
    assert found["limits_reached"] == "max-tokens=256"
    assert found["stand_ins"] == "hashing-embedder"
    assert found["seconds"] == 1.235


def test_what_is_zero_or_empty_is_left_out() -> None:
    assert values(StageResult("documents", "a", "unchanged", digest="d")).keys() == {"outcome", "digest", "stand_ins"}


def test_the_number_of_rows_has_the_name_that_dagster_charts() -> None:
    assert values(FULL)["dagster/partition_row_count"] == 12
    assert values(StageResult("entities", None, "written", counts={"things": 3, "facts": 9}))["dagster/row_count"] == 3


def test_the_sample_is_a_table_of_at_most_five_rows() -> None:
    table = stage_metadata(FULL)["sample"]
    assert isinstance(table, dg.TableMetadataValue)
    assert len(table.records) == 5
    assert [(column.name, column.type) for column in table.schema.columns] == [("chunk", "string"), ("start", "int"), ("score", "float")]


def test_a_refusal_says_its_code_and_remedy() -> None:
    found = values(StageResult("documents", "a", "refused", "invalid-utf8", digest="d", remedy="Save it as UTF-8."))
    assert (found["code"], found["remedy"]) == ("invalid-utf8", "Save it as UTF-8.")


def test_the_page_of_a_document_is_linked_when_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRAPHRAG_ASSETS_UI_URL", raising=False)
    assert "page" not in values(FULL)
    monkeypatch.setenv("GRAPHRAG_ASSETS_UI_URL", "http://127.0.0.1:8000/")
    assert values(FULL)["page"] == "http://127.0.0.1:8000/documents/doc-0123456789ab"
