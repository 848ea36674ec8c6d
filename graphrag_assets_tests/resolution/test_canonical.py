"""A document sees only the decisions on its own things."""

from graphrag_assets.model.ids import split_thing_id
from graphrag_assets.model.names import compared_name
from graphrag_assets.resolution.canonical import canonical_digest
from graphrag_assets.resolution.resolve import canonical_for
from graphrag_assets_tests.resolution.documents import decision, document, placeholder, states, thing, thing_id

MERGE = decision("m1", "accept", thing_id("Harbour"), thing_id("Quay"))


def test_only_things_whose_id_changes_are_listed() -> None:
    extraction = states("d1", thing("Harbour"), thing("Quay"), thing("Town"))
    assert canonical_for(extraction, (MERGE,)) == {thing_id("Quay"): thing_id("Harbour")}


def test_decisions_on_other_things_leave_a_documents_digest_as_it_was() -> None:
    extraction = states("d1", thing("Town"), thing("Harbour"))
    alias = decision("a1", "alias", thing_id("Town"), name="City")
    assert canonical_for(extraction, (MERGE, alias)) == {}
    assert canonical_digest(canonical_for(extraction, (MERGE, alias))) == canonical_digest(canonical_for(extraction, ()))


def test_a_decision_on_its_own_thing_changes_the_digest_and_undoing_it_restores_it() -> None:
    extraction = states("d1", thing("Quay"))
    undo = decision("u1", "undo", undoes="m1")
    before, merged, undone = (canonical_digest(canonical_for(extraction, ds)) for ds in ((), (MERGE,), (MERGE, undo)))
    assert before != merged
    assert before == undone


def test_a_split_concerns_only_its_documents() -> None:
    split = decision("s1", "split", thing_id("Quay"), name="north", document_ids=[document("d1")])
    part = split_thing_id("Team", compared_name("Quay"), "north")
    assert canonical_for(states("d1", thing("Quay")), (split,)) == {thing_id("Quay"): part}
    assert canonical_for(states("d2", thing("Quay")), (split,)) == {}


def test_a_part_without_a_name_is_named_by_its_decision() -> None:
    split = decision("s1", "split", thing_id("Quay"), document_ids=[document("d1")])
    assert canonical_for(states("d1", thing("Quay")), (split,)) == {thing_id("Quay"): split_thing_id("Team", "quay", "s1")}


def test_a_merge_of_the_whole_thing_does_not_take_the_part_along() -> None:
    split = decision("s1", "split", thing_id("Quay"), name="north", document_ids=[document("d1")])
    part = split_thing_id("Team", "quay", "north")
    assert canonical_for(states("d1", thing("Quay")), (split, MERGE)) == {thing_id("Quay"): part}
    onward = decision("m2", "accept", thing_id("Town"), part)
    assert canonical_for(states("d1", thing("Quay")), (split, MERGE, onward)) == {thing_id("Quay"): thing_id("Town")}


def test_a_placeholder_keeps_its_own_id() -> None:
    nameless = placeholder("the team", "d1")
    decisions = (
        decision("m1", "accept", thing_id("Harbour"), nameless.thing_id),
        decision("s1", "split", nameless.thing_id, name="north", document_ids=[document("d1")]),
    )
    assert canonical_for(states("d1", nameless), decisions) == {}


def test_a_rejected_pair_stays_two() -> None:
    reject = decision("r1", "reject", thing_id("Harbour"), thing_id("Quay"))
    assert canonical_for(states("d1", thing("Harbour"), thing("Quay")), (reject,)) == {}
