"""Precision and recall of the offline extractor on the sample corpus, against labels written by reading before the rules.

    python -m benchmarks.extraction_quality [--errors]

Documents fall into two halves by a hash of their name. ``--errors`` lists what went wrong in the half ``develop`` alone, so
that rules are never fitted to the half ``report``.

A thing counts by name and class, a fact by both names and type, per document; names are compared as the project compares
them. An alias that the labels list under another name counts as that name when the document states it.
"""

import sys
from collections import defaultdict
from pathlib import Path

import yaml

from graphrag_assets.extractions.extract import ask, build_extraction
from graphrag_assets.extractions.offline.extractor import RuleExtractor
from graphrag_assets.extractions.ontology import load_ontology
from graphrag_assets.gateways.profiles import _open_counter
from graphrag_assets.model.ids import sha256_hex
from graphrag_assets.model.names import compared_name
from graphrag_assets.model.settings import Settings, SourceSettings
from graphrag_assets.plans.plan import plan_chunks
from graphrag_assets.sources.catalog import list_sources
from graphrag_assets.sources.loaders import load

SAMPLE = Path(__file__).resolve().parents[1] / "data" / "sample"


def extracted(entry, ontology, settings, chat, counter):
    document = load(entry, settings.ingestion)
    plan = plan_chunks(document, settings.chunking, counter)
    replies = ask(plan, ontology, settings.extraction, chat, reuse=lambda _: None, on_paid=lambda _: None)
    found = build_extraction(document, plan, replies, ontology, settings.extraction)
    names = {thing.thing_id: compared_name(thing.name) for thing in found.things}
    other = {compared_name(a): compared_name(t.name) for t in found.things for a in t.aliases}
    things = {(names[t.thing_id], t.kind) for t in found.things if not t.is_placeholder}
    return things, {(names[f.source_id], f.type, names[f.target_id]) for f in found.facts}, other


def main() -> int:
    labels = yaml.safe_load((SAMPLE / "labels.yaml").read_text(encoding="utf-8"))
    ontology = load_ontology("operations", SAMPLE)
    settings = Settings(sources=(SourceSettings(name="sample", folder="documents"),))
    chat, counter = RuleExtractor(ontology), _open_counter("minilm", {})
    totals: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for entry in list_sources(settings.sources, SAMPLE, max_documents=1_000).entries:
        if entry.name not in labels:
            continue
        things, facts, other = extracted(entry, ontology, settings, chat, counter)
        gold_things = {(compared_name(t["name"]), t["class"]) for t in labels[entry.name].get("things") or ()}
        gold_facts = {(compared_name(f["source"]), f["type"], compared_name(f["target"])) for f in labels[entry.name].get("facts") or ()}
        gold_things = {(other.get(name, name), kind) for name, kind in gold_things}
        gold_facts = {(other.get(a, a), kind, other.get(b, b)) for a, kind, b in gold_facts}
        half = ("develop", "report")[int(sha256_hex(entry.name.encode()), 16) % 2]
        for what, found, gold in (("things", things, gold_things), ("facts", facts, gold_facts)):
            for part in (half, "all"):
                totals[part, what][0] += len(found & gold)
                totals[part, what][1] += len(found)
                totals[part, what][2] += len(gold)
            if "--errors" in sys.argv and half == "develop":
                for item in sorted(found - gold):
                    print(f"{entry.name}: wrong {what}: {item}")
                for item in sorted(gold - found):
                    print(f"{entry.name}: missed {what}: {item}")
    for (half, what), (right, found, gold) in sorted(totals.items()):
        precision, recall = right / max(found, 1), right / max(gold, 1)
        print(f"{half} {what}: precision {precision:.3f} ({right}/{found}), recall {recall:.3f} ({right}/{gold})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
