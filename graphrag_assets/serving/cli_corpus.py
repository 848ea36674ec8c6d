"""Commands about documents and the graph: materialize, status, digest, check, doctor, remove, reset."""

from collections import Counter
from typing import Annotated, Any

import typer

from graphrag_assets.model.orchestrator import Selection
from graphrag_assets.model.outcomes import Receipt
from graphrag_assets.model.pipeline import DocumentState
from graphrag_assets.serving.doctor import diagnose
from graphrag_assets.serving.output import EXIT_FAILED, ProgressBars, print_json, print_table, print_text
from graphrag_assets.serving.session import JsonOption, reported, session_of


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    for name, command in (
        ("materialize", materialize),
        ("status", status),
        ("digest", digest),
        ("check", check),
        ("doctor", doctor),
        ("remove", remove),
        ("reset", reset),
    ):
        app.command(name)(command)


def materialize(
    context: typer.Context,
    stale: Annotated[bool, typer.Option("--stale", help="Only what is stale (the default).")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Request every document, also fresh ones.")] = False,
    documents: Annotated[list[str] | None, typer.Option("--documents", help="Partition key; may be given more than once.")] = None,
    only: Annotated[list[str] | None, typer.Option("--only", help="Asset name; may be given more than once.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Refresh the inputs, the stale documents and the corpus, each in a Dagster run."""
    del stale
    selection = Selection(tuple(documents) if documents else None, tuple(only) if only else None, everything)
    with reported(as_json=as_json):
        session = session_of(context)
        with session.workspace() as workspace, ProgressBars() as bars:
            receipt = session.outside.orchestrator(workspace).materialize(selection, bars.report)
    if as_json:
        print_json(receipt.to_json())
    else:
        _show_receipt(receipt)
    if receipt.outcome != "succeeded":
        raise typer.Exit(EXIT_FAILED)


def _show_receipt(receipt: Receipt) -> None:
    documents = ", ".join(f"{count} {name}" for name, count in sorted(receipt.documents.items()) if count) or "none"
    print_text(f"{receipt.outcome} in {receipt.seconds:.1f} s; documents: {documents}")
    usage, graph = receipt.usage, receipt.graph
    print_text(f"  model calls: {usage.chat_calls} chat, {usage.embedding_calls} embedding, {usage.reused} reused")
    print_text(
        f"  graph: {graph.transactions} transactions, nodes +{graph.nodes_created} -{graph.nodes_deleted}, "
        f"relationships +{graph.relationships_created} -{graph.relationships_deleted}"
    )
    print_text(f"  pruned {receipt.pruned}, quarantined {receipt.quarantined}; runs: {', '.join(r[:8] for r in receipt.run_ids)}")
    if receipt.stand_ins:
        print_text(f"  (by stand-ins for models: {', '.join(receipt.stand_ins)})")
    for key, code in receipt.failures:
        print_text(f"  failed: {key}: {code}")
    for key, code in receipt.refusals:
        print_text(f"  refused: {key}: {code}")


def status(
    context: typer.Context,
    stale: Annotated[bool, typer.Option("--stale", help="List each stale document with its causes.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Say of each asset how many documents have it and how many are stale, by cause."""
    with reported(as_json=as_json), session_of(context).workspace() as workspace:
        states = workspace.states()
        rows = [row.name for row in workspace.assets() if row.level == "document"]
    summary = {name: _stale_by_cause(states, name) for name in rows}
    if as_json:
        counts = dict(Counter(s.change for s in states))
        listed = [{"key": s.key, "uri": s.uri, "change": s.change, "refusal": s.refusal} for s in states]
        print_json({"documents": counts, "assets": summary, "stale": _stale_list(states) if stale else [], "keys": listed})
        return
    causes = {name: ", ".join(f"{cause} {count}" for cause, count in row["causes"].items()) for name, row in summary.items()}
    print_table(
        f"{len(states)} documents",
        ("asset", "fresh", "stale", "causes"),
        [(n, r["fresh"], r["stale"], causes[n]) for n, r in summary.items()],
    )
    for state in states:
        if state.refusal is not None:
            print_text(f"refused: {state.key}  {state.uri}: {state.refusal}")
    for item in _stale_list(states) if stale else ():
        print_text(f"{item['key']}: {item['assets']}")


def _stale_by_cause(states: tuple[DocumentState, ...], asset: str) -> dict[str, Any]:
    stale = [causes for state in states for name, causes in ((s.asset, s.causes) for s in state.stale) if name == asset]
    causes = Counter(cause for document in stale for cause in document)
    return {"fresh": len(states) - len(stale), "stale": len(stale), "causes": dict(sorted(causes.items()))}


def _stale_list(states: tuple[DocumentState, ...]) -> list[dict[str, object]]:
    return [
        {"key": s.key, "uri": s.uri, "change": s.change, "assets": {a.asset: list(a.causes) for a in s.stale}} for s in states if s.stale
    ]


def digest(context: typer.Context, as_json: JsonOption = False) -> None:
    """Print the canonical digest of the graph: equal content, equal digest, whatever the history."""
    with reported(as_json=as_json), session_of(context).workspace() as workspace:
        found = workspace.digest()
    if as_json:
        print_json({"digest": found.digest, "nodes": found.nodes, "relationships": found.relationships})
    else:
        print_text(f"{found.digest}  {found.nodes} nodes, {found.relationships} relationships")


def check(context: typer.Context, as_json: JsonOption = False) -> None:
    """Check the graph's health; every finding has a remedy."""
    with reported(as_json=as_json), session_of(context).workspace() as workspace:
        findings = workspace.check()
    if as_json:
        print_json(
            {
                "outcome": "failed" if findings else "passed",
                "findings": [
                    {"code": f.code, "count": f.count, "subject": f.subject, "sample": list(f.sample), "remedy": f.remedy} for f in findings
                ],
            }
        )
    else:
        print_text("all checks passed" if not findings else f"{len(findings)} findings")
        for finding in findings:
            print_text(f"  {finding.code} {finding.subject}: {finding.count}\n    {finding.remedy}")
    if findings:
        raise typer.Exit(EXIT_FAILED)


def doctor(context: typer.Context, as_json: JsonOption = False) -> None:
    """Look at home, settings, models, Java, server and Dagster storage, and say what is wrong and how to mend it."""
    with reported(as_json=as_json):
        rows = diagnose(session_of(context).home())
    if as_json:
        print_json({"outcome": "failed" if any(not row.fine for row in rows) else "passed", "rows": [row.to_json() for row in rows]})
    else:
        print_table("doctor", ("what", "state", "remedy"), [(r.what, ("ok: " if r.fine else "WRONG: ") + r.state, r.remedy) for r in rows])
    if any(not row.fine for row in rows):
        raise typer.Exit(EXIT_FAILED)


def remove(
    context: typer.Context,
    documents: Annotated[list[str], typer.Argument(help="URIs or partition keys.")],
    as_json: JsonOption = False,
) -> None:
    """Remove documents from graph, artifacts, paid results and partitions, and prove that nothing is left."""
    with reported(as_json=as_json):
        session = session_of(context)
        with session.workspace() as workspace:
            report = workspace.remove_documents(documents)
            orchestrator = session.outside.orchestrator(workspace)
            orchestrator.delete_keys(report.keys)
            # What was said over all documents is said anew without these.
            orchestrator.materialize(Selection(keys=(), only=tuple(row.name for row in workspace.assets() if row.level == "corpus")))
    if as_json:
        print_json(report.to_json())
    else:
        print_text(f"removed {len(report.keys)} documents; left in graph: {report.residue_graph}, in artifacts: {report.residue_artifacts}")
        for name, count in sorted(report.counts.items()):
            print_text(f"  {name}: {count}")


def reset(
    context: typer.Context,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Delete everything generated in the home: artifacts, graph data, Dagster storage. Documents and decisions stay."""
    with reported(as_json=as_json):
        session = session_of(context)
        if not yes:
            typer.confirm(f"Delete everything generated in {session.home().folder}?", abort=True, err=True)
        with session.workspace() as workspace:
            session.outside.stop_storage(workspace.tools.home.folder)
            deleted = workspace.reset()
    if as_json:
        print_json({"deleted": list(deleted)})
    else:
        print_text(f"deleted: {', '.join(deleted) or 'nothing'}")
