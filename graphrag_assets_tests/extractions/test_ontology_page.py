"""The page on ontologies shows what there is, and its example is one."""

import re
from pathlib import Path

import pytest

from graphrag_assets.extractions.ontology import SHIPPED, load_ontology, parse_ontology

PAGE = (Path(__file__).parents[2] / "docs" / "ontologies.md").read_text(encoding="utf-8")


def test_the_example_is_an_ontology() -> None:
    example = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert example is not None
    ontology = parse_ontology(example[1], "example.yaml")
    assert ontology.sentence("Ada Brae", "WORKS_AT", "Orrin Mill") == "Ada Brae works at Orrin Mill"
    assert ontology.limits.aliases == 10


@pytest.mark.parametrize("name", SHIPPED)
def test_each_shipped_ontology_stands_in_the_table_with_all_its_names(name: str) -> None:
    ontology = load_ontology(name, Path())
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{name}` |"))
    parts = (", ".join(part.name for part in group) or "–" for group in (ontology.classes, ontology.facts, ontology.quotes))
    assert [cell.strip() for cell in row.split("|")[3:6]] == list(parts)
