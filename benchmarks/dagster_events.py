"""What Dagster costs a document: a run of N documents with 8 assets each, over a pipeline in memory that does no work.

python benchmarks/dagster_events.py [--documents 500] [--storage embedded-postgres]
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from typing_extensions import override

from graphrag_assets.defs import embedded_postgres
from graphrag_assets.defs.storage import postgres_folder, prepare_home
from graphrag_assets.model.orchestrator import Selection
from graphrag_assets.model.outcomes import DocumentResult
from graphrag_assets.model.provenance import RunInfo
from graphrag_assets_tests.fakes.pipeline import DOCUMENTS, FakePipeline


class TimedPipeline(FakePipeline):
    """Knows how long its own work took, so that it can be taken off."""

    own_seconds = 0.0

    @override
    def process(
        self, keys: Sequence[str], assets: Sequence[str], run: RunInfo, on_result: Callable[[DocumentResult], None] | None = None
    ) -> tuple[DocumentResult, ...]:
        started = time.perf_counter()
        results = super().process(keys, assets, run, on_result)
        self.own_seconds += time.perf_counter() - started
        return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=500)
    parser.add_argument("--storage", choices=["embedded-postgres", "sqlite"], default="embedded-postgres")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="graphrag-bench-") as folder:
        prepare_home(Path(folder), arguments.storage)
        measure(arguments.documents, Path(folder))
        embedded_postgres.release(postgres_folder(Path(folder) / "dagster"))


def measure(documents: int, folder: Path) -> None:
    from graphrag_assets.defs.orchestrator import DagsterOrchestrator

    pipeline = TimedPipeline({f"doc-{number:05}": f"text {number} " * 20 for number in range(documents)})
    orchestrator = DagsterOrchestrator(pipeline, batch_documents=documents)
    started = time.perf_counter()
    orchestrator.instance.get_dynamic_partitions("documents")
    print(f"open the instance            {time.perf_counter() - started:7.2f} s")
    report("inputs, keys registered", orchestrator, documents, Selection(only=("source_catalog", "graph_schema", "merge_decisions")))
    names = tuple(row.name for row in DOCUMENTS)
    pipeline.own_seconds = 0.0
    seconds = report("documents, first time", orchestrator, documents, Selection(only=names))
    print(f"    of it Dagster and events {(seconds - pipeline.own_seconds) / documents * 1000:7.2f} ms a document with {len(names)} assets")
    report("all again, unchanged", orchestrator, documents, Selection(everything=True, only=names))
    report("corpus", orchestrator, documents, Selection())
    report("nothing to do", orchestrator, documents, Selection())
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"storage in the home          {size / 1e6:7.1f} MB")


def report(what: str, orchestrator: object, documents: int, selection: Selection) -> float:
    started = time.perf_counter()
    orchestrator.materialize(selection)
    seconds = time.perf_counter() - started
    print(f"{what:28} {seconds:7.2f} s, {seconds / documents * 1000:6.2f} ms a document", flush=True)
    return seconds


if __name__ == "__main__":
    main()
