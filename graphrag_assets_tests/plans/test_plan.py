from dataclasses import replace

import pytest

from graphrag_assets.gateways.tokens import ByteTokenCounter
from graphrag_assets.model.ids import chunk_id
from graphrag_assets.model.settings import ChunkingSettings
from graphrag_assets.plans.plan import chunker_fingerprint, plan_chunks
from graphrag_assets_tests.plans.documents import document_of, plan_of, settings_of


def test_a_chunks_id_is_of_document_content_chunker_and_span() -> None:
    plan = plan_of("# A\n\na\n")
    (chunk,) = plan.chunks
    assert plan.chunker_fingerprint == chunker_fingerprint(settings_of())
    assert chunk.chunk_id == chunk_id(plan.document_id, plan.content_hash, plan.chunker_fingerprint, 0, 7)


@pytest.mark.parametrize(
    "change",
    [{"max_tokens": 200}, {"context_tokens": 47}, {"max_utf8_bytes": 2_047}, {"overlap_paragraphs": 0}, {"tokenizer": "bytes"}],
    ids=lambda change: next(iter(change)),
)
def test_every_setting_is_part_of_every_id(change: dict[str, object]) -> None:
    assert chunker_fingerprint(ChunkingSettings.model_validate(change)) != chunker_fingerprint(ChunkingSettings())


def test_the_default_settings_have_this_fingerprint() -> None:
    """A change here moves every chunk id of every home: it needs another chunker version and a word in the changelog."""
    assert chunker_fingerprint(ChunkingSettings()) == "e1e7c7ba331376c0430dcd51bb4cabc4a23cba320f7723661eba9c45e31fe7e7"


def test_documents_of_one_content_share_no_chunk_id() -> None:
    one, other = (plan_chunks(document_of("Same.\n", uri=uri), settings_of(), ByteTokenCounter()) for uri in ("docs:/a.md", "docs:/b.md"))
    assert one.content_hash == other.content_hash
    assert {chunk.chunk_id for chunk in one.chunks}.isdisjoint(chunk.chunk_id for chunk in other.chunks)


def test_chunks_are_numbered_in_order() -> None:
    assert [chunk.order for chunk in plan_of("# A\n# B\n# C\n").chunks] == [0, 1, 2]


def test_a_document_without_bytes_has_an_empty_plan() -> None:
    plan = plan_of("")
    assert (plan.sections, plan.chunks, plan.limits) == ((), (), ())


def test_the_plan_does_not_depend_on_what_loaded_the_text() -> None:
    document = document_of("# A\n\na\n")
    assert plan_chunks(replace(document, loader="other/2", key="k"), settings_of(), ByteTokenCounter()) == plan_chunks(
        document, settings_of(), ByteTokenCounter()
    )
