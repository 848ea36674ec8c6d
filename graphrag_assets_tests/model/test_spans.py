"""Spans count bytes, are end-exclusive and never end inside a code point."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_assets.model.spans import ByteSpan, floor_boundary, is_boundary

# One code point of each length: 1, 2, 3 and 4 bytes.
MIXED = "aé民🐟"
BOUNDARIES = [0, 1, 3, 6, 10]


def test_boundaries_lie_between_code_points_and_at_both_ends() -> None:
    content = MIXED.encode()
    assert [offset for offset in range(-2, 13) if is_boundary(content, offset)] == BOUNDARIES


def test_an_offset_falls_back_to_the_boundary_before_it() -> None:
    content = MIXED.encode()
    assert [floor_boundary(content, offset) for offset in range(-1, 12)] == [0, 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10]


def test_empty_content_has_one_boundary() -> None:
    assert is_boundary(b"", 0)
    assert not is_boundary(b"", 1)
    assert floor_boundary(b"", 5) == 0


@given(st.text(), st.integers(-3, 400))
def test_the_boundary_before_an_offset_is_the_nearest_one(text: str, offset: int) -> None:
    content = text.encode()
    boundaries = [len(text[:n].encode()) for n in range(len(text) + 1)]
    assert floor_boundary(content, offset) == max((b for b in boundaries if b <= offset), default=0)
    assert is_boundary(content, offset) == (offset in boundaries)


@pytest.mark.parametrize(("start", "end"), [(-1, 0), (2, 1), (-2, -1)])
def test_a_span_that_ends_before_it_starts_or_starts_before_the_text_is_refused(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="0 <= start <= end"):
        ByteSpan(start, end)


def test_a_span_cuts_exactly_its_bytes() -> None:
    span = ByteSpan(1, 6)
    assert span.text(MIXED.encode()) == "é民"
    assert len(span) == 5


def test_a_span_inside_a_code_point_has_no_text() -> None:
    with pytest.raises(UnicodeDecodeError):
        ByteSpan(0, 2).text(MIXED.encode())


spans = st.tuples(st.integers(0, 50), st.integers(0, 50)).map(lambda ends: ByteSpan(min(ends), max(ends)))


@given(spans, st.integers(0, 50))
def test_a_shifted_span_keeps_its_length_and_its_bytes(span: ByteSpan, by: int) -> None:
    content = bytes(range(50))
    assert len(span.shifted(by)) == len(span)
    assert span.shifted(by).cut(bytes(by) + content) == span.cut(content)


@given(spans, spans)
def test_containing_is_both_ends_within(outer: ByteSpan, inner: ByteSpan) -> None:
    inside = set(range(inner.start, inner.end + 1)) <= set(range(outer.start, outer.end + 1))
    assert outer.contains(inner) == inside


@given(st.lists(spans))
def test_spans_sort_by_start_then_end(listed: list[ByteSpan]) -> None:
    assert sorted(listed) == sorted(listed, key=lambda span: (span.start, span.end))
