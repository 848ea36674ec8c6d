"""Evidence and answers on the sample questions, by route and half.

    python -m benchmarks.question_quality HOME [--split report]

Evidence is complete when every document a question needs is among the evidence's documents. Answers come from the offline
stand-in, which only quotes: they measure retrieval, verifier and refusals, not a model. Global questions are counted apart:
no community reports exist yet to answer them from.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

import yaml

from graphrag_assets import Answered, Workspace

QUESTIONS = Path(__file__).resolve().parents[1] / "data" / "sample" / "questions.yaml"


def measure(workspace: Workspace, questions: list[dict], route: str) -> Counter[str]:
    """Counts over questions."""
    counts: Counter[str] = Counter()
    for question in questions:
        answer = workspace.ask(question["question"], route=route)
        answered = isinstance(answer, Answered)
        found = {item.uri.rsplit("/", 1)[-1] for item in answer.evidence.items}
        complete = set(question["documents"]) <= found
        group = question["kind"] if question["kind"] in ("global", "unanswerable") else "answerable"
        counts[f"{group} asked"] += 1
        counts[f"{group} with complete evidence"] += complete
        counts[f"{group} answered"] += answered
        counts[f"{group} answered with complete evidence"] += answered and complete
        counts[f"{group} refused"] += not answered
        if group == "answerable":
            counts[f"{question['kind']} asked"] += 1
            counts[f"{question['kind']} with complete evidence"] += complete
    return counts


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("home", type=Path)
    parser.add_argument("--split", default="report", choices=("develop", "report"))
    arguments = parser.parse_args()
    questions = [q for q in yaml.safe_load(QUESTIONS.read_text(encoding="utf-8")) if q["split"] == arguments.split]
    with Workspace.open(arguments.home) as workspace:
        for route in ("hybrid", "graph"):
            counts = measure(workspace, questions, route)
            print(f"{arguments.split}, route {route}:")
            for name in sorted(counts):
                print(f"  {name}: {counts[name]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
