from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_assets.gateways.tokens import ByteTokenCounter, TokenCounter
from graphrag_assets.model.settings import ChunkingSettings
from graphrag_assets_tests.plans.documents import LetterCounter, WordCounter, broken_rules, plan_of

FRAGMENTS = [
    "# One\n",
    "## Two *words*\n\n",
    "Under\n===\n",
    "#\n",
    "A short paragraph.\n\n",
    "Words that fill a line of text to the end of it\n",
    "```py\n# comment\ncode()\n```\n",
    "~~~\n",
    "| a | b \\| c |\n|---|---|\n",
    "| 1 | 2 |\n",
    "- item\n",
    "  goes on\n",
    "> quoted # text\n",
    "<div>\n",
    "---\n",
    "key: value\n",
    "[ref]: http://example.com\n",
    "\n",
    "\r\n",
    "\r",
    "\n\n\n",
    " ",
    "   \t",
    "\u00a0",
    "\u200b\n\n",
    "\x00",
    "\x1b[31m\f",
    "\u0085\u2028",
    "\ufeff",
    "e\u0301\u0308",
    "\U0001f469\u200d\U0001f680",
    "\u6587\u5b57" * 20,
    "x" * 130,
    "a b " * 30,
    " " * 150,
]
COUNTERS: list[TokenCounter] = [ByteTokenCounter(), WordCounter(), LetterCounter()]


@st.composite
def chunking(draw: st.DrawFn) -> ChunkingSettings:
    max_tokens = draw(st.integers(16, 200))
    return ChunkingSettings(
        tokenizer="bytes",
        max_tokens=max_tokens,
        context_tokens=draw(st.integers(0, max_tokens // 2)),
        max_utf8_bytes=draw(st.integers(64, 400)),
        overlap_paragraphs=draw(st.integers(0, 4)),
    )


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=40),
    chunking(),
    st.sampled_from(COUNTERS),
    st.sampled_from(["text/markdown", "text/plain"]),
)
def test_every_rule_holds_for_every_text(fragments: list[str], chunks: ChunkingSettings, counter: TokenCounter, media_type: str) -> None:
    text = "".join(fragments)
    plan = plan_of(text, chunks, media_type, counter)
    assert broken_rules(plan, text.encode(), chunks, counter) == []


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=600), chunking(), st.sampled_from(COUNTERS))
def test_every_rule_holds_for_arbitrary_characters(text: str, chunks: ChunkingSettings, counter: TokenCounter) -> None:
    plan = plan_of(text, chunks, counter=counter)
    assert broken_rules(plan, text.encode(), chunks, counter) == []


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=40), chunking())
def test_two_runs_give_one_plan(fragments: list[str], chunks: ChunkingSettings) -> None:
    text = "".join(fragments)
    assert plan_of(text, chunks) == plan_of(text, chunks)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=40), chunking())
def test_overlap_only_adds_what_stands_before(fragments: list[str], chunks: ChunkingSettings) -> None:
    text = "".join(fragments).encode()
    plan = plan_of(text, chunks)
    new = b"".join(chunk.span.cut(text)[chunk.overlap_bytes :] for chunk in plan.chunks)
    assert new == text
