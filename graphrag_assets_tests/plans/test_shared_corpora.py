"""The rules over the evaluation corpora, with the default settings and MiniLM's own tokenizer where it is there."""

import io
import tarfile

import pytest

from graphrag_assets.gateways.tokens import ByteTokenCounter, TokenCounter
from graphrag_assets.model.errors import UsageError
from graphrag_assets.model.settings import ChunkingSettings
from graphrag_assets_tests.plans.documents import broken_rules, plan_of
from graphrag_assets_tests.sources.documents import load_file, shared_data

pytestmark = pytest.mark.shared_data


@pytest.fixture(params=["bytes", "minilm"])
def counter(request: pytest.FixtureRequest) -> TokenCounter:
    if request.param == "bytes":
        return ByteTokenCounter()
    from graphrag_assets.gateways.minilm import MiniLmTokenCounter

    try:
        return MiniLmTokenCounter()
    except UsageError as error:
        pytest.skip(f"MiniLM's tokenizer is absent: {error.message}")


def settings_for(counter: TokenCounter) -> ChunkingSettings:
    return ChunkingSettings.model_validate({"tokenizer": "bytes" if counter.name == "bytes" else "minilm"})


def fastapi_documents() -> dict[str, bytes]:
    archive = (shared_data("docs") / "fastapi_en_2026-08.tar.gz").read_bytes()
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        members = [member for member in files.getmembers() if member.name.endswith(".md")]
        return {member.name: stream.read() for member in members if (stream := files.extractfile(member)) is not None}


def test_a_documentation_of_many_files_keeps_every_rule(counter: TokenCounter) -> None:
    settings = settings_for(counter)
    documents = fastapi_documents()
    assert len(documents) == 155
    for name, text in documents.items():
        assert broken_rules(plan_of(text, settings, counter=counter), text, settings, counter) == [], name


def test_the_specification_of_markdown_keeps_every_rule(counter: TokenCounter) -> None:
    text = (shared_data("adversarial") / "commonmark_spec.md").read_bytes()
    settings = settings_for(counter)
    plan = plan_of(text, settings, counter=counter)
    assert broken_rules(plan, text, settings, counter) == []
    assert [section.title for section in plan.sections if section.level == 1] == [
        "Introduction",
        "Preliminaries",
        "Blocks and inlines",
        "Leaf blocks",
        "Container blocks",
        "Inlines",
        "Appendix: A parsing strategy",
    ]


@pytest.mark.parametrize("name", ["alice29_ascii_crlf.txt", "alice_pg11_bom_crlf.txt", "christmas_carol.txt", "alice_pg11.pdf"])
def test_books_keep_every_rule(name: str, counter: TokenCounter) -> None:
    document = load_file(shared_data("books") / name)
    settings = settings_for(counter)
    plan = plan_of(document.text, settings, document.media_type, counter)
    assert broken_rules(plan, document.text, settings, counter) == []
    assert plan.sections == ()


def test_naughty_strings_keep_every_rule(counter: TokenCounter) -> None:
    text = (shared_data("adversarial") / "blns.txt").read_bytes()
    settings = settings_for(counter)
    for media_type in ("text/markdown", "text/plain"):
        assert broken_rules(plan_of(text, settings, media_type, counter), text, settings, counter) == []
