import subprocess
import sys
from pathlib import Path

import pytest

from graphrag_assets.model.errors import UsageError
from graphrag_assets.store import home as home_module
from graphrag_assets.store.home import Home, find_home
from graphrag_assets.store.home_files import init_home
from graphrag_assets.store.settings_file import load_settings


def test_a_new_home_loads_and_points_to_the_documents(tmp_path: Path) -> None:
    documents = tmp_path / "my: docs [1]"
    documents.mkdir()
    home = init_home(tmp_path / "home", documents, ontology="generic")
    settings = load_settings(home.settings_file, {}).settings
    assert settings.sources[0].folder == str(documents)
    assert settings.extraction.ontology == "generic"


def test_an_existing_home_is_never_overwritten(tmp_path: Path) -> None:
    init_home(tmp_path / "home", tmp_path, ontology="generic")
    with pytest.raises(UsageError) as caught:
        init_home(tmp_path / "home", tmp_path, ontology="novel")
    assert caught.value.code == "home-exists"


def test_a_missing_source_is_refused_and_leaves_no_home(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        init_home(tmp_path / "home", tmp_path / "nowhere", ontology="generic")
    assert caught.value.code == "source-missing"
    assert not (tmp_path / "home").exists()


def test_a_home_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError) as caught:
        init_home(tmp_path / "file" / "home", tmp_path, ontology="generic")
    assert caught.value.code == "folder-not-writable"


def test_a_folder_without_settings_is_no_home(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="graphrag-assets init"):
        find_home({"GRAPHRAG_ASSETS_HOME": str(tmp_path)})


def test_two_processes_never_write_to_one_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path)
    code = (
        "import sys; from pathlib import Path; from graphrag_assets.store.home import Home\n"
        "with Home(Path(sys.argv[1])).writing(): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdin is not None
        assert other.stdout.readline() == b"held\n"
        monkeypatch.setattr(home_module, "WAIT_SECONDS", 0.05)
        with pytest.raises(UsageError) as caught, home.writing():
            pass
        assert caught.value.code == "home-busy"
        other.stdin.close()
        other.wait()
    with home.writing(), home.writing():
        assert (tmp_path / ".writer.lock").exists()


def test_a_reset_deletes_what_was_generated_and_nothing_else(tmp_path: Path) -> None:
    home = Home(tmp_path)
    for folder in (home.artifacts, home.paid, home.neo4j, home.dagster, tmp_path / "sample"):
        folder.mkdir()
    home.settings_file.touch()
    home.decisions_file.touch()
    assert home.reset() == ("artifacts", "paid", "neo4j", "dagster")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["merge_decisions.jsonl", "sample", "settings.yaml"]
