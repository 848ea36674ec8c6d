"""Loaded documents, small token counters and plans for the tests of plans."""

import re
from itertools import pairwise

from typing_extensions import override

from graphrag_assets.gateways.tokens import ByteTokenCounter, TokenCounter
from graphrag_assets.model.documents import LoadedDocument
from graphrag_assets.model.ids import document_id, sha256_hex
from graphrag_assets.model.plans import ChunkPlan
from graphrag_assets.model.settings import ChunkingSettings
from graphrag_assets.plans.plan import plan_chunks

MARKDOWN, PLAIN = "text/markdown", "text/plain"


class WordCounter(TokenCounter):
    """A token a word or mark, and two special ones, as sentence models count."""

    name = "words"

    @override
    def count(self, text: str) -> int:
        return 2 + len(re.findall(r"\w+|[^\w\s]", text))

    @override
    def count_many(self, texts: list[str]) -> list[int]:
        return [self.count(text) for text in texts]


class LetterCounter(WordCounter):
    """A token a letter up to ten, but one token for any longer word: a longer text may have fewer tokens."""

    name = "letters"

    @override
    def count(self, text: str) -> int:
        return 2 + sum(len(word) if len(word) <= 10 else 1 for word in text.split())


class WastefulCounter(WordCounter):
    """A thousand tokens a character: nothing fits."""

    name = "wasteful"

    @override
    def count(self, text: str) -> int:
        return 1_000 * len(text)


def document_of(text: str | bytes, media_type: str = MARKDOWN, uri: str = "docs:/a.md") -> LoadedDocument:
    content = text.encode() if isinstance(text, str) else text
    return LoadedDocument(uri, document_id(uri), "a-md", media_type, content, sha256_hex(content), "test/1")


def settings_of(
    max_bytes: int = 2_048, *, max_tokens: int = 8_192, context_tokens: int = 512, overlap_paragraphs: int = 0
) -> ChunkingSettings:
    """Settings under which only bytes count, unless said otherwise."""
    return ChunkingSettings(
        tokenizer="bytes",
        max_tokens=max_tokens,
        context_tokens=context_tokens,
        max_utf8_bytes=max_bytes,
        overlap_paragraphs=overlap_paragraphs,
    )


def plan_of(
    text: str | bytes,
    settings: ChunkingSettings | None = None,
    media_type: str = MARKDOWN,
    counter: TokenCounter | None = None,
) -> ChunkPlan:
    return plan_chunks(document_of(text, media_type), settings or settings_of(), counter or ByteTokenCounter())


def texts(plan: ChunkPlan) -> list[str]:
    return [chunk.text for chunk in plan.chunks]


def broken_rules(plan: ChunkPlan, text: bytes, settings: ChunkingSettings, counter: TokenCounter) -> list[str]:
    """Which of the rules that hold for every plan do not hold for this one."""
    spans = [chunk.span for chunk in plan.chunks]
    starts = [span.start for span in spans]
    room = settings.max_tokens - settings.context_tokens
    rules = {
        "every byte is in a chunk": starts[:1] == [0]
        and spans[-1].end == len(text)
        and all(after.start <= before.end < after.end for before, after in pairwise(spans)),
        "starts strictly increase": all(one < other for one, other in pairwise(starts)),
        "a text is its span": all(chunk.text.encode() == chunk.span.cut(text) for chunk in plan.chunks),
        "bytes are bounded": all(len(span) <= settings.max_utf8_bytes for span in spans),
        "tokens are counted": all(chunk.token_count == counter.count(chunk.text) for chunk in plan.chunks),
        "tokens are bounded": all(chunk.token_count <= room for chunk in plan.chunks),
        "contexts are bounded": all(not c.context or counter.count(c.context) <= settings.context_tokens for c in plan.chunks),
        "overlaps are said": all(
            chunk.overlap_bytes == before.end - chunk.span.start for before, chunk in zip(spans, plan.chunks[1:], strict=False)
        ),
        "sections nest": all(_lies_in_its_parent(plan, order) for order in range(len(plan.sections))),
        "a chunk lies in its innermost section": all(_innermost(plan, c.span.start, c.span.end) == c.section_order for c in plan.chunks),
        "ids are unique": len({chunk.chunk_id for chunk in plan.chunks}) == len(plan.chunks),
    }
    return [rule for rule, holds in rules.items() if not holds]


def _lies_in_its_parent(plan: ChunkPlan, order: int) -> bool:
    section = plan.sections[order]
    if section.parent_order is None:
        return True
    parent = plan.sections[section.parent_order]
    return parent.order < order and parent.level < section.level and parent.span.contains(section.span)


def _innermost(plan: ChunkPlan, start: int, end: int) -> int | None:
    """The last section that begins at or before the chunk, if none begins within it and it ends where that section does at the latest."""
    begun = [section for section in plan.sections if section.span.start <= start]
    if any(start < section.span.start < end for section in plan.sections):
        return -1
    if not begun:
        return None
    return begun[-1].order if end <= begun[-1].span.end else -1
