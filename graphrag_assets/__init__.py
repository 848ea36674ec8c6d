"""Documents to a typed knowledge graph in Neo4j, and answers whose citations are checked against the stored bytes."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphrag_assets.model.errors import FailedDocument, GraphragError, RefusedDocument, SettingsError, UsageError
    from graphrag_assets.model.evidence import Answered, Citation, Evidence, Refused
    from graphrag_assets.model.orchestrator import Selection
    from graphrag_assets.model.outcomes import Receipt
    from graphrag_assets.workspace import Workspace

__version__ = "0.1.0"

# Loaded on first use, so that `import graphrag_assets` costs nothing and pulls in no model, driver or orchestrator.
_PUBLIC = {
    "Answered": "graphrag_assets.model.evidence",
    "Citation": "graphrag_assets.model.evidence",
    "Evidence": "graphrag_assets.model.evidence",
    "FailedDocument": "graphrag_assets.model.errors",
    "GraphragError": "graphrag_assets.model.errors",
    "Receipt": "graphrag_assets.model.outcomes",
    "Refused": "graphrag_assets.model.evidence",
    "RefusedDocument": "graphrag_assets.model.errors",
    "Selection": "graphrag_assets.model.orchestrator",
    "SettingsError": "graphrag_assets.model.errors",
    "UsageError": "graphrag_assets.model.errors",
    "Workspace": "graphrag_assets.workspace",
}
__all__ = [
    "Answered",
    "Citation",
    "Evidence",
    "FailedDocument",
    "GraphragError",
    "Receipt",
    "Refused",
    "RefusedDocument",
    "Selection",
    "SettingsError",
    "UsageError",
    "Workspace",
]


def __getattr__(name: str) -> object:
    """Load a public name from its module."""
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PUBLIC[name]), name)
