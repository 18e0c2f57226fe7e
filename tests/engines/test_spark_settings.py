"""The user's settings of Spark win, ours fill what nobody set, and those that rows depend on are refused."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipelines import config
from pipelines.engines.spark.settings import MASTER, settings
from pipelines.lake.lake import Lake
from pipelines.ledger import runs
from schemas.errors import WrongParameter

PARTITIONS = "spark.sql.shuffle.partitions"


@pytest.fixture
def defaults(tmp_path, monkeypatch):
    """Writes spark-defaults.conf where Spark looks for it."""
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    for name in ("WINDROW_SPARK_MASTER", "WINDROW_SPARK_CONF"):
        monkeypatch.delenv(name, raising=False)
    return lambda *lines: Path(tmp_path, "spark-defaults.conf").write_text("\n".join(lines))


def found() -> dict[str, str]:
    return settings(config.load())


def test_ours_fill_what_nobody_set(defaults):
    assert found()[MASTER] == "local[2]" and found()[PARTITIONS] == "4"


def test_the_variable_beats_the_defaults_which_beat_ours(defaults, monkeypatch, tmp_path):
    defaults("# a comment", "", f"{PARTITIONS}   7", "spark.ui.enabled=true", "spark.master: spark://host:7077")
    assert (found()[PARTITIONS], found()["spark.ui.enabled"], found()[MASTER]) == ("7", "true", "spark://host:7077")
    monkeypatch.setenv("WINDROW_SPARK_CONF", json.dumps({PARTITIONS: 8}))
    assert found()[PARTITIONS] == "8" and found()["spark.ui.enabled"] == "true"
    file = tmp_path / "more.conf"
    file.write_text(f"{PARTITIONS} 9\n")
    monkeypatch.setenv("WINDROW_SPARK_CONF", str(file))
    assert found()[PARTITIONS] == "9"
    monkeypatch.setenv("WINDROW_SPARK_MASTER", "local[3]")
    assert found()[MASTER] == "local[3]"


def test_lists_have_ours_and_the_users(defaults):
    ours = found()
    names = {"spark.driver.extraClassPath": ":", "spark.driver.extraJavaOptions": " ", "spark.sql.extensions": ","}
    defaults(*(f"{name} mine" for name in names))
    for name, between in names.items():
        assert found()[name] == f"{ours[name]}{between}mine"


def test_only_a_session_of_one_machine_takes_its_folders_and_its_loopback_for_granted(defaults):
    here = set(found())
    defaults("spark.master spark://host:7077")
    assert here - set(found()) == {
        "spark.driver.bindAddress",
        "spark.driver.host",
        "spark.executor.extraClassPath",
        "spark.executorEnv.WINDROW_NUMBA",
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("spark.sql.session.timeZone", "Europe/Berlin"),
        ("spark.submit.deployMode", "cluster"),
        ("spark.sql.ansi.doubleQuotedIdentifiers", "false"),
    ],
)
def test_a_setting_that_rows_depend_on_is_refused_by_name(defaults, name, value):
    defaults(f"{name} {value}")
    with pytest.raises(WrongParameter, match=f"{name} is '{value}'; allowed: .* depend; or leave it unset"):
        found()


@pytest.mark.parametrize("text", ["{", "/nowhere/spark.conf", '{"a": }'])
def test_settings_that_are_none_are_refused(defaults, monkeypatch, text):
    monkeypatch.setenv("WINDROW_SPARK_CONF", text)
    with pytest.raises(WrongParameter, match="WINDROW_SPARK_CONF is .*; allowed: a JSON object"):
        found()


@pytest.mark.nightly
@pytest.mark.jvm
def test_a_session_has_the_users_settings_and_the_ledger_its_pages(tmp_path):
    """In a process of its own: this one's session is there already."""
    log = tmp_path / "events"
    log.mkdir()
    conf = {
        PARTITIONS: 3,
        "spark.eventLog.enabled": True,
        "spark.eventLog.dir": f"file:{log}",
        "spark.ui.enabled": True,
    }
    environment = os.environ | {"WINDROW_SPARK_CONF": json.dumps(conf), "WINDROW_ENGINE": "spark"}
    code = f"""
from pathlib import Path
from pipelines.config import Config
from pipelines.engines.spark.session import session
from pipelines.runs.ingest_day import ingest_day
from tests.support.replay import landing
config = Config(Path({str(tmp_path / "home")!r}), Path({str(tmp_path / "landing")!r}))
landing.write(config.landing, landing.trips(per_day=2))
ingest_day(config, "bikes", None, None, print)
print(session(config).conf.get("{PARTITIONS}"))
"""
    ended = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=250)
    assert ended.returncode == 0, ended.stderr[-3000:]
    assert ended.stdout.splitlines()[-1] == "3"
    (row,) = runs.rows(Lake(config.Config(tmp_path / "home", tmp_path / "landing")))
    page, event_log = row.engine_page.split(", ")
    assert page.startswith("http://") and event_log.startswith(f"file:{log}/")
    assert [path.name for path in log.iterdir()]
