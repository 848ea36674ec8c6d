"""JSON shapes of answers and evidence. Keys may be added, never renamed."""

from dataclasses import asdict

from graphrag_assets.model.evidence import Answer, Answered, Evidence


def evidence_json(evidence: Evidence) -> dict[str, object]:
    """What ``search --json`` prints."""
    return {
        "items": [
            {
                "chunk_id": item.chunk_id,
                "document_id": item.document_id,
                "uri": item.uri,
                "start": item.start,
                "end": item.end,
                "text": item.text,
                "score": item.score,
                "routes": [{"route": r.route, "rank": r.rank, "score": r.score} for r in item.routes],
                "why": item.why,
                "title": item.title,
                "pages": list(item.pages),
                "text_origin": item.text_origin,
            }
            for item in evidence.items
        ],
        "context": [{"text": item.text, "reason": item.reason, "chunk_id": item.chunk_id} for item in evidence.context],
        "omitted": evidence.omitted,
        "limits": [asdict(limit) for limit in evidence.limits],
        "receipt": asdict(evidence.receipt),
    }


def answer_json(answer: Answer) -> dict[str, object]:
    """What ``ask --json`` prints."""
    answered = isinstance(answer, Answered)
    return {
        "outcome": "answered" if answered else "refused",
        "reason": None if answered else answer.reason,
        "answer": answer.answer if answered else None,
        "citations": [
            {
                "chunk_id": c.chunk_id,
                "document_id": c.document_id,
                "uri": c.uri,
                "start": c.start,
                "end": c.end,
                "quote": c.quote,
                "pages": list(c.pages),
                "text_origin": c.text_origin,
                "grounding": c.grounding,
            }
            for c in (answer.citations if answered else ())
        ],
        "limits": [asdict(limit) for limit in answer.evidence.limits],
        "receipt": {**asdict(answer.receipt), "retrieval": asdict(answer.evidence.receipt)},
    }
