"""Paid results before and after they reach an artifact: ``paid/<request-hash>.json`` first, then the artifacts' own rows.

``index.sqlite`` says which artifact holds which paid result. It can be rebuilt from the artifacts and is never trusted:
what it points to is read and compared.
"""

import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from graphrag_assets.model.extraction import ExtractionReply
from graphrag_assets.store.artifacts import ArtifactStore

_CREATE = "CREATE TABLE IF NOT EXISTS paid (hash TEXT NOT NULL, asset TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (hash, asset, key))"


class PaidFolder:
    """Paid results of documents that are not finished, so that a killed run pays for the missing ones alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, request_hash: str, value: Mapping[str, Any], *, owner: str) -> None:
        """Write a paid result to disk before anything else happens; ``owner`` is the key of the document that paid."""
        self._folder.mkdir(parents=True, exist_ok=True)
        beside = self._folder / f"{request_hash}.{os.getpid()}.{threading.get_ident()}.part"
        with beside.open("w", encoding="utf-8") as file:
            json.dump({"owner": owner, "value": value}, file, ensure_ascii=False)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(self._folder / f"{request_hash}.json")

    def find(self, request_hash: str) -> dict[str, Any] | None:
        """A kept result, or None."""
        try:
            return json.loads((self._folder / f"{request_hash}.json").read_text(encoding="utf-8"))["value"]
        except FileNotFoundError:
            return None

    def release(self, request_hashes: Iterable[str]) -> None:
        """Forget results that an artifact now holds."""
        for request_hash in request_hashes:
            (self._folder / f"{request_hash}.json").unlink(missing_ok=True)

    def forget(self, owner: str) -> int:
        """Delete everything one document paid for and no artifact holds yet, torn files included; how many there were."""
        owned = [path for path in self._folder.glob("*.json") if json.loads(path.read_text(encoding="utf-8"))["owner"] == owner]
        for path in [*owned, *self._folder.glob("*.part")]:
            path.unlink(missing_ok=True)
        return len(owned)

    def hashes(self) -> tuple[str, ...]:
        """Hashes of all kept results, sorted."""
        return tuple(sorted(path.stem for path in self._folder.glob("*.json"))) if self._folder.is_dir() else ()


class PaidIndex:
    """Request hash to the documents whose artifact holds its result."""

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(file, check_same_thread=False, timeout=30.0, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=OFF")  # it can be rebuilt
        self._connection.execute(_CREATE)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def replace(self, asset: str, key: str, hashes: Iterable[str]) -> None:
        """Say which results one artifact holds now."""
        rows = [(request_hash, asset, key) for request_hash in hashes]
        with self._lock:
            self._connection.execute("BEGIN")
            self._connection.execute("DELETE FROM paid WHERE asset = ? AND key = ?", (asset, key))
            self._connection.executemany("INSERT OR IGNORE INTO paid VALUES (?, ?, ?)", rows)
            self._connection.execute("COMMIT")

    def forget(self, key: str) -> None:
        """Forget everything of one document."""
        with self._lock:
            self._connection.execute("DELETE FROM paid WHERE key = ?", (key,))

    def holders(self, request_hash: str, asset: str) -> tuple[str, ...]:
        """Keys of the documents that hold this result, sorted."""
        with self._lock:
            rows = self._connection.execute(
                "SELECT key FROM paid WHERE hash = ? AND asset = ? ORDER BY key", (request_hash, asset)
            ).fetchall()
        return tuple(row[0] for row in rows)

    def rebuild(self, store: ArtifactStore) -> int:
        """Fill the index anew from the artifacts; the number of rows."""
        with self._lock:
            self._connection.execute("DELETE FROM paid")
        count = 0
        for asset in store.assets():
            column = {"extraction_replies": "request_hash", "chunk_vectors": "text_hash"}.get(asset.split("/")[0])
            for key in store.keys(asset) if column else ():
                table = store.table(asset, key)
                hashes = [] if table is None or column is None else table.column(column).to_pylist()
                self.replace(asset, key, hashes)
                count += len(hashes)
        return count


def reply_json(reply: ExtractionReply) -> dict[str, Any]:
    """A reply as the paid folder keeps it."""
    return asdict(reply)


def reply_from_json(value: Mapping[str, Any]) -> ExtractionReply:
    """A reply from the paid folder."""
    return ExtractionReply(**value)
