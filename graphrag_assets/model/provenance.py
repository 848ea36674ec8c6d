"""Provenance: what made an artifact. It lives inside the artifact's own file, so the two cannot part."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Runner = Literal["dagster", "api"]


class RunInfo(BaseModel):
    """Who is working: under Dagster the run id is Dagster's own."""

    model_config = ConfigDict(frozen=True)

    run_id: str
    runner: Runner
    started: str


class Provenance(BaseModel):
    """What one artifact rests on and what it is.

    ``digest`` is of the content alone: two runs that give the same rows give the same digest, whoever ran them.
    ``settings`` names what the result rests on beside its inputs, a hash each, so that a cause of staleness can be named;
    ``parts`` holds what belongs to the content as a whole and to no row.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    asset: str
    key: str | None
    document_id: str | None
    uri: str | None
    run_id: str
    runner: Runner
    schema_version: int
    code_version: str
    settings: dict[str, str]
    fingerprint: str
    inputs: dict[str, str]
    digest: str
    written: str
    outcome: Literal["written", "refused"]
    code: str | None = None
    parts: dict[str, str] = {}
    counts: dict[str, int | float | str] = {}
