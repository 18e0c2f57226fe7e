"""Settings: numbers, engines, folders and servers that are read, and what is refused by the setting's name."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from upath import UPath

from tests.support.processes import python
from tests.support.rules import ROOT, assert_none, files
from windrow.pipelines import config, location, storage
from windrow.pipelines.config import LOCKS, MOST_LINES, MOST_MIB, MOST_WAIT, MOST_WAIT_S
from windrow.schemas.errors import NotSetUp, WrongParameter

TASK_MIB, LINES = "WINDROW_TASK_MIB", "WINDROW_LINES_PER_WORKER"
ENGINE, MASTER = "WINDROW_ENGINE", "WINDROW_SPARK_MASTER"
# By setting: how it is read, what it may be, and each text with what is read of it; None: it is not set.
SETTINGS: dict[str, tuple[Callable[[], object], str, dict]] = {
    TASK_MIB: (lambda: config.load().task_bytes, f"a whole number from 1 to {MOST_MIB:,}, or leave the variable unset",
               {None: 64 << 20, "1": 1 << 20, " 12 ": 12 << 20, str(MOST_MIB): MOST_MIB << 20}),
    LINES: (lambda: config.load().lines_per_worker, f"a whole number from 1 to {MOST_LINES:,}, or leave",
            {None: 50_000, "1": 1, str(MOST_LINES): MOST_LINES}),
    MOST_WAIT: (lambda: config.load().most_wait_s, f"a whole number from 0 to {MOST_WAIT_S:,}, or leave",
                {None: 3_600, "0": 0, str(MOST_WAIT_S): MOST_WAIT_S}),
    ENGINE: (lambda: config.load().engine, "spark or local", {None: "spark", "local": "local", "spark": "spark"}),
    MASTER: (lambda: config.load().spark_master, "local[2], ",
             {each: each for each in (None, "local", "local[*]", "local[4]", "local[2, 3]", "spark://host:1", "yarn")}),
    LOCKS: (lambda: config.load().lock_server, "file, or postgresql://",
            dict.fromkeys([f"{each}://u:p@h/d" for each in ("postgresql", "postgres", "postgresql+psycopg2")],
                          "postgresql://u:p@h/d")),
}  # fmt: skip
NO_NUMBERS = ["x", "", "-1", "2.5", "1e3", "0x10", "1_000", "9" * 20]
REFUSED = {
    TASK_MIB: [*NO_NUMBERS, "0", str(MOST_MIB + 1)],
    LINES: [*NO_NUMBERS, "0", str(MOST_LINES + 1)],
    MOST_WAIT: [*NO_NUMBERS, str(MOST_WAIT_S + 1)],
    ENGINE: ["", "Spark", "duckdb"],
    MASTER: ["x", "", "local[x]", "local[2", "spark:host", "LOCAL"],
    LOCKS: ["", "redis://u:secret@h", "postgresql:", "FILE", "u:secret@h/d",
            *(f"postgresql://u:{word}@h/d" for word in ("a@secret", "a/secret", "%secret", "a\nsecret"))],
}  # fmt: skip


@pytest.mark.parametrize(("name", "text"), [(name, text) for name in SETTINGS for text in SETTINGS[name][2]])
def test_a_setting_is_read_or_has_its_default(monkeypatch, name, text):
    monkeypatch.delenv(name, raising=False)
    if text is not None:
        monkeypatch.setenv(name, text)
    read, _, values = SETTINGS[name]
    assert read() == values[text]


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in REFUSED.items() for text in texts])
def test_what_is_no_such_value_is_refused_by_the_name_of_the_setting_without_a_password(monkeypatch, name, text):
    monkeypatch.setenv(name, text)
    read, allowed, _ = SETTINGS[name]
    with pytest.raises(WrongParameter) as refused:
        read()
    assert refused.value.parameter == name and refused.value.allowed.startswith(allowed)
    assert refused.value.value == text or name == LOCKS
    assert "secret" not in str(refused.value)


def test_settings_of_windrow_are_read_in_one_file():
    reads = re.compile(r"environ(\.get\(|\[)f?[\"']WINDROW_")
    found = [str(path) for path in files("pipelines", "kernels", "windrow") if reads.search((ROOT / path).read_text())]
    assert_none("a setting may stand in windrow.toml: ask `setting` of schemas/project.py", found)


@pytest.mark.parametrize(("asked", "setting"), [("local", "spark"), ("spark", "local")])
def test_the_engine_that_is_asked_for_comes_before_its_setting(monkeypatch, asked, setting):
    monkeypatch.setenv(ENGINE, setting)
    assert config.load(engine=asked).engine == asked
    with pytest.raises(WrongParameter, match="--engine is 'flink'; allowed: spark or local"):
        _ = config.load(engine="flink").engine


@pytest.mark.jvm
def test_a_jvm_that_does_not_start_is_named_with_its_settings(tmp_path):
    environment = os.environ | {"WINDROW_JAVA_OPTIONS": "no_such_class", "WINDROW_HOME": str(tmp_path)}
    code = (
        "from windrow.pipelines import config; from windrow.pipelines.cli._errors import reported; "
        "from windrow.pipelines.engines.spark.spark_session import session; "
        "import sys; sys.exit(reported(lambda: session(config.load()) and 0, as_json=False))"
    )
    ended = python("-c", code, env=environment)
    assert ended.returncode == NotSetUp.exit_code, ended.stderr
    assert "error: Spark's JVM ended as it started, with master 'local[2]' and " in ended.stderr
    assert "WINDROW_JAVA_OPTIONS 'no_such_class'" in ended.stderr and "Traceback" not in ended.stderr


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
    wrong = f"{name} is {str(file / below)!r}; allowed: a folder, which need not exist yet; {file} is a file"
    assert ended.error == f"error: {wrong}\n"


SETTING = "WINDROW_HOME"


@pytest.mark.parametrize("text", ["/a/b", "a/b", "~/a"])
def test_a_path_is_a_folder_of_this_machine(text):
    assert location.parsed(text, SETTING) == Path(text).expanduser().resolve()


@pytest.mark.parametrize("text", ["s3://bucket/a/b", "s3a://bucket/a/b", "S3A://bucket/a/b/"])
def test_both_spellings_of_s3_are_one_location(text):
    found = location.parsed(text, SETTING)
    assert str(found) == "s3://bucket/a/b" and not location.is_local(found)
    assert location.below(found / "c" / "d", found) == "c/d"


@pytest.mark.parametrize(
    "text",
    ["gs://bucket/a", "abfss://c@account/a", "http://host/a", "s3:bucket/a", "s3:///a", "s3://", "s3://b?x", "x:y"],
)
def test_a_scheme_that_is_not_served_is_refused_with_those_that_are(monkeypatch, text):
    monkeypatch.setenv(SETTING, text)
    with pytest.raises(WrongParameter, match=f"{SETTING} is .*allowed: a folder's path, s3://.*hdfs://"):
        config.load()


def test_what_only_this_machine_needs_is_in_a_folder_of_its_own(monkeypatch):
    homes = []
    for text in ("s3://bucket/one", "s3://bucket/two"):
        monkeypatch.setenv(SETTING, text)
        found = config.load()
        assert str(found.lake) == f"{text}/lake" and str(found.landing) == f"{text}/landing"
        assert all(each.is_relative_to(found.here) for each in (found.locks, found.scratch, found.spark))
        homes.append(found.here)
    assert len({*homes}) == 2


def test_a_copy_below_a_uri_has_all_files_and_leaves_the_table(tmp_path):
    lake = UPath(f"memory://{tmp_path}")
    files = {"_delta_log/0.json": b"{}", "day=1/part-0.parquet": b"rows"}
    for name, content in files.items():
        file = lake / "table" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    storage.copy_table(lake / "table", lake / "trial" / "table")
    for folder in (lake / "table", lake / "trial" / "table"):
        assert {name: (folder / name).read_bytes() for name in files} == files
