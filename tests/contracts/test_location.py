"""What a user may write for a folder: a path, or a URI of a scheme that is served; another is refused by its name."""

from pathlib import Path

import pytest
from upath import UPath

from pipelines import config, location, storage
from pipelines.config import LOCKS
from schemas.errors import WrongParameter

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


@pytest.mark.parametrize("text", ["postgresql://u:p@h/d", "postgres://u:p@h/d", "postgresql+psycopg2://u:p@h/d"])
def test_a_lock_server_is_named_as_airflow_names_it(monkeypatch, text):
    monkeypatch.setenv(LOCKS, text)
    assert config.load().lock_server == "postgresql://u:p@h/d"


@pytest.mark.parametrize(
    "text",
    ["", "redis://u:secret@h", "postgresql:", "FILE", "postgresql://u:a@secret@h/d", "postgresql://u:a/secret@h/d",
     "postgresql://u:%secret@h/d", "postgresql://u:a\nsecret@h/d", "u:secret@h/d"],
)  # fmt: skip
def test_another_lock_server_is_refused_without_its_password(monkeypatch, text):
    monkeypatch.setenv(LOCKS, text)
    with pytest.raises(WrongParameter, match=f"{LOCKS} is .*allowed: file, or postgresql://") as refused:
        _ = config.load().lock_server
    assert "secret" not in str(refused.value)


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
