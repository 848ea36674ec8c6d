"""Preparing a home for Dagster."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from graphrag_assets.defs import storage
from graphrag_assets.defs.instance_config import POSTGRES_CONFIG, SQLITE_CONFIG, instance_config
from graphrag_assets.defs.storage import URL_VARIABLE, config_state, prepare_home
from graphrag_assets.model.errors import SettingsError
from graphrag_assets.store.home import HOME_VARIABLE


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DAGSTER_HOME", HOME_VARIABLE, URL_VARIABLE, *storage.EVENT_VARIABLES):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


def test_the_file_at_the_top_is_the_text_that_homes_get() -> None:
    assert (Path(__file__).parents[2] / "dagster.yaml").read_text(encoding="utf-8") == POSTGRES_CONFIG


def test_no_config_holds_a_path() -> None:
    for text in (POSTGRES_CONFIG, SQLITE_CONFIG):
        values = [line.split("#")[0] for line in text.splitlines()]
        assert not [line for line in values if "/" in line]


def test_a_home_gets_its_config_and_the_process_its_environment(tmp_path: Path) -> None:
    prepare_home(tmp_path, "sqlite")
    assert (tmp_path / "dagster" / "dagster.yaml").read_text(encoding="utf-8") == SQLITE_CONFIG
    assert os.environ["DAGSTER_HOME"] == str(tmp_path / "dagster")
    assert {name: os.environ[name] for name in storage.EVENT_VARIABLES} == storage.EVENT_VARIABLES


def test_an_edited_config_stays_and_is_named(tmp_path: Path) -> None:
    prepare_home(tmp_path, "sqlite")
    assert config_state(tmp_path, "sqlite") == "same"
    file = tmp_path / "dagster" / "dagster.yaml"
    file.write_text(SQLITE_CONFIG + "\nfreshness:\n  enabled: true\n", encoding="utf-8")
    prepare_home(tmp_path, "sqlite")
    assert config_state(tmp_path, "sqlite") == "edited"
    assert file.read_text(encoding="utf-8").endswith("enabled: true\n")


def test_another_storage_in_the_settings_replaces_our_own_text_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    prepare_home(tmp_path, "sqlite")
    monkeypatch.setenv(URL_VARIABLE, "postgresql+psycopg2://someone@localhost/dagster")
    assert config_state(tmp_path, "postgres") == "other-storage"
    prepare_home(tmp_path, "postgres")
    assert config_state(tmp_path, "postgres") == "same"
    assert "events of earlier runs stay where they are" in caplog.text


@pytest.mark.parametrize("url", [None, "postgresql://someone@localhost/dagster"], ids=["no variable", "psycopg 3 by default"])
def test_a_server_of_ones_own_must_be_named_with_its_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str | None) -> None:
    if url is not None:
        monkeypatch.setenv(URL_VARIABLE, url)
    with pytest.raises(SettingsError, match=r"postgresql\+psycopg2://"):
        prepare_home(tmp_path, "postgres")


def test_a_persons_own_batch_size_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAGSTER_EVENT_BATCH_SIZE", "200")
    prepare_home(tmp_path, "sqlite")
    assert os.environ["DAGSTER_EVENT_BATCH_SIZE"] == "200"


def test_telemetry_is_off() -> None:
    for choice in ("embedded-postgres", "sqlite", "postgres"):
        config = yaml.safe_load(instance_config(choice))
        assert config["telemetry"] == config["nux"] == {"enabled": False}


def test_preparing_a_home_loads_no_dagster() -> None:
    code = "import sys, graphrag_assets.defs.storage, graphrag_assets.defs.ui; sys.exit('dagster' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
