import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from graphrag_assets.gateways.local_models import TOKENIZER_SHA256, WEIGHTS_SHA256
from graphrag_assets.gateways.minilm import MiniLmEmbedder, MiniLmTokenCounter
from graphrag_assets.gateways.minilm_files import MODEL_DIR_VARIABLE, TOKENIZER_FILE, WEIGHTS_FILE, model_folder, read_weights
from graphrag_assets.model.errors import UsageError
from graphrag_assets.model.ids import sha256_hex


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    installed = model_folder({})
    shutil.copy(installed / TOKENIZER_FILE, tmp_path)
    (tmp_path / WEIGHTS_FILE).symlink_to(installed / WEIGHTS_FILE)
    return tmp_path


def test_the_installed_files_are_the_published_ones() -> None:
    folder = model_folder({})
    assert sha256_hex((folder / WEIGHTS_FILE).read_bytes()) == WEIGHTS_SHA256
    assert sha256_hex((folder / TOKENIZER_FILE).read_bytes()) == TOKENIZER_SHA256


def test_a_named_folder_is_used_instead_of_the_package(copied: Path) -> None:
    folder = model_folder({MODEL_DIR_VARIABLE: str(copied)})
    assert folder == copied
    assert MiniLmEmbedder(folder).embed(["tide"]).vectors == MiniLmEmbedder(model_folder({})).embed(["tide"]).vectors


def test_a_named_folder_without_the_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=WEIGHTS_FILE) as refused:
        model_folder({MODEL_DIR_VARIABLE: str(tmp_path)})
    assert refused.value.code == "model-files-missing"
    assert MODEL_DIR_VARIABLE in refused.value.remedy


def test_another_tokenizer_is_refused(copied: Path) -> None:
    with (copied / TOKENIZER_FILE).open("ab") as file:
        file.write(b"\n")
    with pytest.raises(UsageError, match=TOKENIZER_SHA256) as refused:
        MiniLmTokenCounter(copied)
    assert refused.value.code == "model-files-differ"


def test_other_weights_are_refused_before_a_session_opens(copied: Path) -> None:
    content = bytearray((copied / WEIGHTS_FILE).read_bytes())
    content[-1] ^= 1
    (copied / WEIGHTS_FILE).unlink()
    (copied / WEIGHTS_FILE).write_bytes(content)
    with pytest.raises(UsageError, match=WEIGHTS_SHA256) as refused:
        MiniLmEmbedder(copied).embed(["tide"])
    assert refused.value.code == "model-files-differ"


def test_the_package_that_brings_the_weights_is_never_imported() -> None:
    script = (
        "import sys\n"
        "from graphrag_assets.gateways.minilm import MiniLmEmbedder\n"
        "assert len(MiniLmEmbedder().embed(['tide']).vectors[0]) == 384\n"
        "print([name for name in sys.modules if 'janitor' in name or name in ('torch', 'onnx', 'duckdb')])\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_nothing_is_read_until_a_text_is_embedded(copied: Path) -> None:
    embedder = MiniLmEmbedder(copied)
    (copied / WEIGHTS_FILE).unlink()
    with pytest.raises(FileNotFoundError):
        embedder.embed(["tide"])


def test_all_tensors_of_the_model_are_found() -> None:
    weights = read_weights(model_folder({}))
    assert len(weights) == 103
    assert weights["embeddings.word_embeddings.weight"].shape == (30_522, 384)
