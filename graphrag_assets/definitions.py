"""The one entry point that Dagster loads: the definitions of the home that the environment names."""

import dagster as dg

from graphrag_assets.defs.build import build_defs
from graphrag_assets.defs.checks import graph_check
from graphrag_assets.defs.storage import set_event_variables
from graphrag_assets.workspace import Workspace


@dg.definitions
def defs() -> dg.Definitions:
    """Assets, jobs and checks of the home. Starts no server: the graph is opened by the first step that needs it."""
    set_event_variables()
    workspace = Workspace.open()
    batch = workspace.settings.ingestion.batch_documents
    return build_defs(workspace, batch_documents=batch, checks=[graph_check(workspace.check)])
