"""The settings that are numbers: what is read, and what is refused by the setting's name."""

import os
import re
import subprocess
import sys

import pytest

from pipelines import config
from pipelines.config import MOST_LINES, MOST_MIB, MOST_WAIT, MOST_WAIT_S
from schemas.errors import NotSetUp, WrongParameter
from tests.support.rules import ROOT, files

TASK_MIB, LINES = "WINDROW_TASK_MIB", "WINDROW_LINES_PER_WORKER"
READ = {TASK_MIB: lambda: config.load().task_bytes, LINES: lambda: config.load().lines_per_worker,
        MOST_WAIT: lambda: config.load().most_wait_s}  # fmt: skip


@pytest.mark.parametrize(("name", "text", "value"), [
    (TASK_MIB, None, 64 << 20), (TASK_MIB, "1", 1 << 20), (TASK_MIB, " 12 ", 12 << 20),
    (TASK_MIB, str(MOST_MIB), MOST_MIB << 20), (LINES, None, 50_000), (LINES, "1", 1),
    (LINES, str(MOST_LINES), MOST_LINES), (MOST_WAIT, None, 3_600), (MOST_WAIT, "0", 0),
    (MOST_WAIT, str(MOST_WAIT_S), MOST_WAIT_S),
])  # fmt: skip
def test_a_number_within_its_bounds_is_read(monkeypatch, name, text, value):
    monkeypatch.delenv(name, raising=False)
    if text is not None:
        monkeypatch.setenv(name, text)
    assert READ[name]() == value


def test_settings_of_windrow_are_read_in_one_file():
    reads = re.compile(r"environ(\.get\(|\[)f?[\"']WINDROW_")
    found = [path for path in files("pipelines") if reads.search((ROOT / path).read_text())]
    assert [str(path) for path in found] == ["pipelines/config.py"]


@pytest.mark.parametrize(("asked", "setting", "engine"), [
    (None, None, "spark"), (None, "local", "local"), ("local", "spark", "local"), ("spark", "local", "spark"),
])  # fmt: skip
def test_the_engine_is_spark_unless_another_is_asked_for(monkeypatch, asked, setting, engine):
    monkeypatch.delenv("WINDROW_ENGINE", raising=False)
    if setting:
        monkeypatch.setenv("WINDROW_ENGINE", setting)
    assert config.load(engine=asked).engine == engine


@pytest.mark.parametrize("engine", ["", "Spark", "duckdb"])
def test_an_engine_that_there_is_not_is_refused_by_the_name_of_what_holds_it(monkeypatch, engine):
    monkeypatch.setenv("WINDROW_ENGINE", engine)
    with pytest.raises(WrongParameter, match=f"WINDROW_ENGINE is {engine!r}; allowed: spark or local"):
        _ = config.load().engine
    with pytest.raises(WrongParameter, match="--engine is 'flink'; allowed: spark or local"):
        _ = config.load(engine="flink").engine


@pytest.mark.parametrize("master", [None, "local", "local[*]", "local[4]", "local[2, 3]", "spark://host:7077", "yarn"])
def test_a_master_of_spark_is_read(monkeypatch, master):
    monkeypatch.delenv("WINDROW_SPARK_MASTER", raising=False)
    if master:
        monkeypatch.setenv("WINDROW_SPARK_MASTER", master)
    assert config.load().spark_master == master


@pytest.mark.parametrize("master", ["x", "", "local[x]", "local[2", "spark:host", "LOCAL"])
def test_what_is_no_master_of_spark_is_refused_by_the_name_of_the_setting(monkeypatch, master):
    monkeypatch.setenv("WINDROW_SPARK_MASTER", master)
    with pytest.raises(WrongParameter, match=re.escape(f"WINDROW_SPARK_MASTER is {master!r}; allowed: local[2], ")):
        _ = config.load().spark_master


@pytest.mark.jvm
def test_a_jvm_that_does_not_start_is_named_with_its_settings(tmp_path):
    environment = os.environ | {"WINDROW_JAVA_OPTIONS": "no_such_class", "WINDROW_HOME": str(tmp_path)}
    code = (
        "from pipelines import config; from pipelines.cli._errors import reported; "
        "from pipelines.engines.spark.spark_session import session; "
        "import sys; sys.exit(reported(lambda: session(config.load()) and 0, as_json=False))"
    )
    ended = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120)
    assert ended.returncode == NotSetUp.exit_code, ended.stderr
    assert "error: Spark's JVM ended as it started, with master 'local[2]' and " in ended.stderr
    assert "WINDROW_JAVA_OPTIONS 'no_such_class'" in ended.stderr and "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *((name, text) for name in READ for text in ("x", "", "-1", "2.5", "1e3", "0x10", "1_000", "9" * 20)),
        (TASK_MIB, "0"),
        (TASK_MIB, str(MOST_MIB + 1)),
        (LINES, "0"),
        (LINES, str(MOST_LINES + 1)),
        (MOST_WAIT, str(MOST_WAIT_S + 1)),
    ],
)
def test_what_is_no_such_number_is_refused_by_the_name_of_the_setting(monkeypatch, name, text):
    monkeypatch.setenv(name, text)
    least, most = {TASK_MIB: (1, MOST_MIB), LINES: (1, MOST_LINES), MOST_WAIT: (0, MOST_WAIT_S)}[name]
    allowed = f"a whole number from {least} to {most:,}, or leave the variable unset"
    with pytest.raises(WrongParameter) as refused:
        READ[name]()
    assert (refused.value.parameter, refused.value.value, refused.value.allowed) == (name, text, allowed)


@pytest.mark.parametrize("name", [config.HOME, config.LANDING])
@pytest.mark.parametrize("below", ["", "home"])
def test_a_home_or_a_landing_folder_that_is_a_file_or_below_one_is_refused_by_its_name(
    monkeypatch, here, tmp_path, name, below
):
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv(name, str(file / below))
    ended = here("tables")
    assert ended.code == WrongParameter.exit_code
    wrong = f"{name} is {str(file / below)!r}; allowed: a folder, also one that is yet to be made; {file} is a file"
    assert ended.error == f"error: {wrong}\n"
