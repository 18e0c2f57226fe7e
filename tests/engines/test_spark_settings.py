"""The user's settings of Spark win, ours fill what no user set, and those that rows depend on are refused."""

import json
from pathlib import Path

import pytest

from windrow.pipelines import config
from windrow.pipelines.engines.spark.settings import MASTER, settings
from windrow.schemas.errors import NotSetUp, WrongParameter

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
    defaults("# a comment", "", f"{PARTITIONS}   7", "spark.ui.enabled=true", "spark.master: k8s://host:7077")
    assert (found()[PARTITIONS], found()["spark.ui.enabled"], found()[MASTER]) == ("7", "true", "k8s://host:7077")
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
    defaults(*names)  # set to nothing: the current folder is not to come onto a class path
    assert {name: found()[name] for name in names} == {name: ours[name] for name in names}


def test_only_a_session_of_one_machine_takes_its_folders_and_its_loopback_for_granted(defaults):
    here = set(found())
    defaults("spark.master yarn")
    of_this_machine = {"driver.bindAddress", "driver.host", "executor.extraClassPath", "executorEnv.WINDROW_NUMBA"}
    assert here - set(found()) == {f"spark.{name}" for name in of_this_machine}


@pytest.mark.parametrize(("name", "value"), [
    ("spark.sql.session.timeZone", "Europe/Berlin"), ("spark.submit.deployMode", "cluster"),
    ("spark.sql.ansi.doubleQuotedIdentifiers", "false"),
])  # fmt: skip
def test_a_setting_that_rows_depend_on_is_refused_by_name(defaults, name, value):
    defaults(f"{name} {value}")
    with pytest.raises(WrongParameter, match=f"{name} is '{value}'; allowed: .* depend; or leave it unset"):
        found()


@pytest.mark.parametrize("text", ["{", "/nowhere/spark.conf", '{"a": "secret"', "spark.password=secret"])
def test_settings_that_are_none_are_refused_without_what_may_be_a_key(defaults, monkeypatch, text):
    monkeypatch.setenv("WINDROW_SPARK_CONF", text)
    with pytest.raises(WrongParameter, match="WINDROW_SPARK_CONF is .*; allowed: a JSON object") as refused:
        found()
    assert "secret" not in str(refused.value)


def test_a_cluster_s_key_is_asked_for_or_the_cluster_is_said_to_have_none(defaults):
    master, key = "spark.master spark://host:7077", "spark.authenticate.secret"
    encrypted = "spark.network.crypto.enabled"
    defaults(master)
    with pytest.raises(NotSetUp, match=r"spark://host:7077 asks for a key.*spark\.authenticate\.secret .*\"false\""):
        found()
    defaults(master, f"{key} the-key")
    assert (found()["spark.authenticate"], found()[key], found()[encrypted]) == ("true", "the-key", "true")
    defaults(master, "spark.authenticate false")
    assert not {key, encrypted} & found().keys()


@pytest.mark.parametrize("master", ["local[2]", "local-cluster[2, 1, 1024]", "k8s://host:6443", "yarn"])
def test_every_other_master_is_authenticated_by_itself(defaults, master):
    defaults(f"spark.master {master}")
    assert found()["spark.authenticate"] == "true"


@pytest.mark.parametrize(
    ("master", "given"),
    [("local[2]", set()), ("k8s://host:6443", {"AWS_REGION"}), ("yarn", {"AWS_REGION", "AWS_SECRET_ACCESS_KEY"})],
)
def test_executors_get_keys_of_s3_where_nobody_else_can_read_them(defaults, monkeypatch, tmp_path, master, given):
    (tmp_path / "s3").mkdir()
    for name in ("delta.jar", "s3/s3.jar"):
        (tmp_path / name).touch()
    variables = {"AWS_REGION": "r", "AWS_SECRET_ACCESS_KEY": "k", "WINDROW_HOME": "s3://b/h", "WINDROW_JARS": tmp_path}
    for name, value in variables.items():
        monkeypatch.setenv(name, str(value))
    defaults(f"spark.master {master}")
    assert {name for name in variables if f"spark.executorEnv.{name}" in found()} == given
