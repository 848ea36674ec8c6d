from hypothesis import given
from hypothesis import strategies as st

from graphrag_assets.gateways.tokens import TokenCounter
from graphrag_assets.model.settings import ChunkingSettings
from graphrag_assets.plans.fitting import Fitting
from graphrag_assets_tests.plans.documents import LetterCounter, WordCounter, settings_of


class CountingCounter(WordCounter):
    """Counts how often it is asked."""

    def __init__(self) -> None:
        self.calls = 0

    def count(self, text: str) -> int:
        self.calls += 1
        return super().count(text)


def fitting_of(text: str, settings: ChunkingSettings, counter: TokenCounter | None = None) -> Fitting:
    return Fitting(text.encode(), settings, counter or WordCounter())


def every_word_end(text: str) -> list[int]:
    return [offset + 1 for offset, character in enumerate(text) if character == " "]


@given(st.lists(st.integers(1, 12), min_size=1, max_size=60), st.integers(16, 60), st.integers(64, 400))
def test_the_greatest_end_that_fits_is_found(lengths: list[int], max_tokens: int, max_bytes: int) -> None:
    text = "".join("a" * length + " " for length in lengths)
    fitting = fitting_of(text, settings_of(max_bytes, max_tokens=max_tokens, context_tokens=0))
    ends = every_word_end(text)
    assert fitting.greatest(0, ends) == max((end for end in ends if fitting.fits(0, end)), default=None)


@given(st.lists(st.integers(1, 30), min_size=1, max_size=40), st.integers(16, 40))
def test_what_is_found_fits_even_when_counts_sink_with_length(lengths: list[int], max_tokens: int) -> None:
    text = "".join("a" * length + " " for length in lengths)
    fitting = fitting_of(text, settings_of(max_tokens=max_tokens, context_tokens=0), LetterCounter())
    found = fitting.greatest(0, every_word_end(text))
    assert found is None or fitting.fits(0, found)


def test_a_tolerance_leaves_no_more_than_its_share_unused() -> None:
    text = "word " * 400
    fitting = fitting_of(text, settings_of(max_tokens=102, context_tokens=0))
    found = fitting.greatest(0, every_word_end(text), tolerance=0.1)
    assert found is not None
    assert 0.9 * 102 <= fitting.tokens(0, found) <= 102


def test_few_counts_are_enough() -> None:
    text = "word " * 2_000
    counter = CountingCounter()
    fitting_of(text, settings_of(16_384, max_tokens=500, context_tokens=0), counter).greatest(0, every_word_end(text))
    assert counter.calls <= 6


def test_nothing_fits_when_the_first_end_is_too_far() -> None:
    fitting = fitting_of("a" * 200, settings_of(100))
    assert fitting.greatest(0, [101, 150]) is None
    assert fitting.greatest(0, []) is None
