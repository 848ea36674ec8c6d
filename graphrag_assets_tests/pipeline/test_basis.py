import pytest

from graphrag_assets.model.provenance import Provenance
from graphrag_assets.pipeline.basis import CODE, INPUTS, MISSING, Basis, named_causes, own_causes


def stored(basis: Basis) -> Provenance:
    return Provenance(
        asset=basis.asset,
        key="k",
        document_id="d",
        uri="docs:/k",
        run_id="r",
        runner="api",
        schema_version=1,
        code_version=basis.code_version,
        settings=dict(basis.settings),
        fingerprint=basis.fingerprint,
        inputs=dict(basis.inputs),
        digest="g",
        written="2026-01-01T00:00:00.000Z",
        outcome="written",
    )


BASIS = Basis("extractions", "1", {"ontology": "o", "model": "m"}, {"chunk_plans": "p"})


def test_an_equal_basis_has_no_cause() -> None:
    assert own_causes(stored(BASIS), BASIS) == ()


@pytest.mark.parametrize(
    ("changed", "causes"),
    [
        (Basis("extractions", "1", {"ontology": "o2", "model": "m"}, {"chunk_plans": "p"}), ("ontology",)),
        (Basis("extractions", "1", {"ontology": "o2", "model": "m2"}, {"chunk_plans": "p"}), ("model", "ontology")),
        (Basis("extractions", "2", {"ontology": "o", "model": "m"}, {"chunk_plans": "p"}), (CODE,)),
        (Basis("extractions", "1", {"ontology": "o", "model": "m"}, {"chunk_plans": "q"}), (INPUTS,)),
        (Basis("extractions", "1", {"ontology": "o"}, {"chunk_plans": "p"}), ("model",)),
    ],
)
def test_every_difference_has_its_name(changed: Basis, causes: tuple[str, ...]) -> None:
    assert own_causes(stored(BASIS), changed) == causes


def test_what_was_never_made_is_missing() -> None:
    assert own_causes(None, BASIS) == (MISSING,)


def test_changed_inputs_are_told_by_what_changed_them() -> None:
    assert named_causes((INPUTS,), {"chunk_plans": ("text",), "extraction_replies": ("text", "model")}) == ("text", "model")
    assert named_causes((INPUTS,), {}) == (INPUTS,)
    assert named_causes(("ontology",), {"chunk_plans": ("text",)}) == ("ontology",)
