"""Artifacts: one Parquet file an asset and document, its provenance in the file's own metadata, written beside and renamed."""

import logging
import os
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
from fsspec import AbstractFileSystem

from graphrag_assets.model.provenance import Provenance
from graphrag_assets.store.records import Row
from graphrag_assets.store.schemas import schema_of

_log = logging.getLogger(__name__)
METADATA_KEY: Final = b"graphrag_assets"
CORPUS_NAME: Final = "_corpus"


@dataclass(frozen=True, slots=True)
class Artifact:
    """One artifact: what made it, and its rows."""

    provenance: Provenance
    rows: Sequence[Mapping[str, Any]]


class ArtifactStore:
    """All artifacts of a home, on any file system that fsspec knows.

    Args:
        root: A local path or an fsspec URL (``s3://bucket/prefix``).
    """

    def __init__(self, root: str) -> None:
        self._fs: AbstractFileSystem
        self._fs, self._root = fsspec.core.url_to_fs(root)  # type: ignore[reportUnknownMemberType]

    def path(self, asset: str, key: str | None) -> str:
        """Where an artifact lies, whether or not it exists."""
        return str(PurePosixPath(self._root) / asset / f"{key or CORPUS_NAME}.parquet")

    def exists(self, asset: str, key: str | None) -> bool:
        """Whether the artifact exists."""
        return bool(self._fs.exists(self.path(asset, key)))

    def keys(self, asset: str) -> tuple[str, ...]:
        """Sorted keys of the documents that have an artifact of this asset."""
        folder = str(PurePosixPath(self._root) / asset)
        if not self._fs.exists(folder):
            return ()
        names = (PurePosixPath(str(name)).name for name in self._fs.ls(folder, detail=False))
        stems = (name.removesuffix(".parquet") for name in names if name.endswith(".parquet"))
        return tuple(sorted(stem for stem in stems if stem != CORPUS_NAME))

    def assets(self) -> tuple[str, ...]:
        """Names of assets that have artifacts: ``documents``, ``chunk_vectors/minilm``."""
        if not self._fs.exists(self._root):
            return ()
        found = {str(PurePosixPath(str(path)).parent.relative_to(self._root)) for path in self._fs.glob(f"{self._root}/**/*.parquet")}
        return tuple(sorted(found))

    def provenance(self, asset: str, key: str | None) -> Provenance | None:
        """What made an artifact, or None when there is none. Reads the file's footer alone.

        A damaged file is none: what it held is made again, and paid results are found elsewhere or asked for anew.
        """
        try:
            with self._fs.open(self.path(asset, key), "rb") as file:
                metadata = pq.read_schema(file).metadata
        except FileNotFoundError:
            return None
        except pa.ArrowInvalid as error:
            return self._damaged(asset, key, error)
        return Provenance.model_validate_json(metadata[METADATA_KEY])

    def read(self, asset: str, key: str | None) -> Artifact | None:
        """An artifact with its rows, or None."""
        table = self.table(asset, key)
        if table is None:
            return None
        return Artifact(Provenance.model_validate_json(table.schema.metadata[METADATA_KEY]), table.to_pylist())

    def table(self, asset: str, key: str | None) -> pa.Table | None:
        """An artifact as an Arrow table (``.to_pandas()`` for analysis), or None."""
        try:
            with self._fs.open(self.path(asset, key), "rb") as file:
                return pq.read_table(file)
        except FileNotFoundError:
            return None
        except (pa.ArrowInvalid, OSError) as error:
            return self._damaged(asset, key, error)

    def _damaged(self, asset: str, key: str | None, error: Exception) -> None:
        _log.warning("the artifact %s of %s is damaged and counts as missing: %s", asset, key or "the corpus", type(error).__name__)

    def write(self, provenance: Provenance, rows: Sequence[Row], *, dimensions: int = 0) -> None:
        """Write an artifact beside its place and rename it there: a reader sees the old one or the new one, whole."""
        schema = schema_of(provenance.asset, dimensions).with_metadata({METADATA_KEY: provenance.model_dump_json().encode()})
        columns = {name: [row.get(name) for row in rows] for name in schema.names}
        table = pa.table({name: pa.array(values, schema.field(name).type) for name, values in columns.items()}, schema=schema)
        path = self.path(provenance.asset, provenance.key)
        self._fs.makedirs(str(PurePosixPath(path).parent), exist_ok=True)
        beside = f"{path}.{uuid.uuid4().hex}.part"
        with self._fs.open(beside, "wb") as file:
            pq.write_table(table, file, compression="zstd")
            file.flush()
            if hasattr(file, "fileno"):  # on a local disk: whole before it has its name
                os.fsync(file.fileno())
        self._fs.mv(beside, path)

    def delete(self, asset: str, key: str | None) -> bool:
        """Delete an artifact, and what a killed write left beside it; whether there was one."""
        path = self.path(asset, key)
        for part in self._fs.glob(f"{path}.*.part"):
            self._fs.rm(part)
        if not self._fs.exists(path):
            return False
        self._fs.rm(path)
        return True
