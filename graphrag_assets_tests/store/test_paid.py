from pathlib import Path

from graphrag_assets.model.extraction import ExtractionReply
from graphrag_assets.store.paid import PaidFolder, PaidIndex, reply_from_json, reply_json

REPLY = ExtractionReply("c1", "h1", "p1", "m", '{"things": []}', "stop", "read", 10, 5, 1)


def test_a_paid_reply_survives_until_it_is_released(tmp_path: Path) -> None:
    PaidFolder(tmp_path).keep("h1", reply_json(REPLY), owner="doc-a")
    again = PaidFolder(tmp_path)
    found = again.find("h1")
    assert found is not None
    assert reply_from_json(found) == REPLY
    again.release(["h1", "never-kept"])
    assert again.find("h1") is None
    assert again.hashes() == ()


def test_a_removed_document_takes_what_it_paid_for_along(tmp_path: Path) -> None:
    folder = PaidFolder(tmp_path)
    folder.keep("h1", reply_json(REPLY), owner="doc-a")
    folder.keep("h2", reply_json(REPLY), owner="doc-b")
    assert folder.forget("doc-a") == 1
    assert folder.hashes() == ("h2",)


def test_the_index_names_every_holder_and_forgets_by_document(tmp_path: Path) -> None:
    index = PaidIndex(tmp_path / "index.sqlite")
    index.replace("extraction_replies", "doc-a", ["h1", "h2"])
    index.replace("extraction_replies", "doc-b", ["h2"])
    assert index.holders("h2", "extraction_replies") == ("doc-a", "doc-b")
    index.replace("extraction_replies", "doc-a", ["h3"])
    assert index.holders("h2", "extraction_replies") == ("doc-b",)
    index.forget("doc-b")
    assert index.holders("h2", "extraction_replies") == ()
    assert index.holders("h3", "extraction_replies") == ("doc-a",)
    index.close()
