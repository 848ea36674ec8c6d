"""The evidence budget: what is kept, where it is cut, what is said."""

from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_assets.model.limits import Limit
from graphrag_assets.retrieval.budget import pages_within, within_budget
from graphrag_assets_tests.retrieval.evidence_items import item

TEXTS = st.lists(st.text(min_size=1, max_size=40), max_size=8)


@settings(deadline=None)
@given(TEXTS, st.integers(1, 10), st.integers(0, 5), st.integers(1, 200))
def test_what_is_kept_is_the_beginning_of_what_was_ranked(texts: list[str], count: int, unread: int, size: int) -> None:
    items = [item(f"c{n}", text, start=10 * n) for n, text in enumerate(texts)]
    kept = within_budget(items, max_items=count, max_utf8_bytes=size, unread=unread)
    assert [one.chunk_id for one in kept.items] == [one.chunk_id for one in items[: len(kept.items)]]
    assert all(one == whole for one, whole in zip(kept.items[:-1], items, strict=False))
    assert len(kept.items) <= count
    assert kept.utf8_bytes == sum(len(one.text.encode()) for one in kept.items) <= size
    assert kept.omitted == len(items) + unread - len(kept.items)


@settings(deadline=None)
@given(TEXTS, st.integers(1, 60))
def test_the_text_of_a_cut_item_is_exactly_its_bytes(texts: list[str], size: int) -> None:
    items = [item(f"c{n}", text, start=7) for n, text in enumerate(texts)]
    for one in within_budget(items, max_items=8, max_utf8_bytes=size).items:
        whole = next(whole for whole in items if whole.chunk_id == one.chunk_id)
        assert one.text.encode() == whole.text.encode()[: one.end - one.start]


@settings(deadline=None)
@given(TEXTS, st.integers(1, 10), st.integers(1, 200))
def test_a_limit_is_said_exactly_when_something_is_missing(texts: list[str], count: int, size: int) -> None:
    items = [item(f"c{n}", text) for n, text in enumerate(texts)]
    kept = within_budget(items, max_items=count, max_utf8_bytes=size)
    assert bool(kept.limits) == (kept.items != tuple(items))


def test_a_cut_falls_between_code_points() -> None:
    kept = within_budget([item("a", "aé€😀", start=100)], max_items=8, max_utf8_bytes=5)
    assert (kept.items[0].text, kept.items[0].end) == ("aé", 103)
    assert kept.limits == (Limit("evidence-bytes", 5),)


def test_nothing_behind_the_cut_item_is_taken_however_small() -> None:
    kept = within_budget([item("a", "aaaa"), item("b", "b" * 9), item("c", "c")], max_items=8, max_utf8_bytes=10)
    assert [(one.chunk_id, one.text) for one in kept.items] == [("a", "aaaa"), ("b", "b" * 6)]
    assert kept.omitted == 1


def test_the_number_of_items_is_a_limit_of_its_own() -> None:
    kept = within_budget([item("a", "a"), item("b", "b")], max_items=1, max_utf8_bytes=10)
    assert kept.limits == (Limit("max-items", 1),)


def test_a_cut_item_keeps_only_the_pages_it_still_touches() -> None:
    whole = item("a", "first page. second page.", start=50, page_starts=[(3, 40), (4, 62)])
    assert within_budget([whole], max_items=1, max_utf8_bytes=11).items[0].pages == (3,)


def test_a_stretch_of_an_item_is_on_the_pages_it_touches() -> None:
    whole = item("a", "first page. second page.", start=50, page_starts=[(3, 40), (4, 62)])
    assert pages_within(whole, 50, 61) == (3,)
    assert pages_within(whole, 62, 70) == (4,)
    assert pages_within(whole, 58, 66) == (3, 4)
    assert pages_within(item("b", "no pages"), 0, 4) == ()
