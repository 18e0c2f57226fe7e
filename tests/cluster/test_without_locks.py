"""What delta-rs's conditional puts keep apart on S3 without a lock service, and what they don't (decision 0042)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import CommitFailedError

from tests.support import s3
from tests.support.commits import TABLE
from windrow.pipelines import storage
from windrow.pipelines.config import LOCKS, Config
from windrow.pipelines.delta import contract
from windrow.pipelines.delta.file_commits import FileCommit
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.locks.file_locks import FileLock
from windrow.pipelines.delta.new_files import write_rows
from windrow.pipelines.location import at
from windrow.schemas.errors import NotSetUp

pytestmark = [pytest.mark.jvm, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def server(outside) -> Iterator[None]:
    with s3.server() as reached:
        for name, value in reached.items():
            outside.setenv(name, value)
        outside.delenv(LOCKS, raising=False)
        yield


@pytest.fixture
def lake(server, tmp_path) -> Lake:
    """A table that was made, without rows; no process has its locks."""
    made = Lake(Config(at(f"s3://{s3.BUCKET}/{tmp_path.name}"), Path(tmp_path, "landing"), asked_engine="local"))
    contract.create(made.folder(TABLE.name), TABLE, made.schema(TABLE))
    return made


def opened(lake: Lake) -> DeltaTable:
    return storage.delta_table(lake.folder(TABLE.name))


def row(lake: Lake, writer: str):
    return lake.schema(TABLE).empty_table().from_pylist([{"writer": writer, "number": 0}], lake.schema(TABLE))


def writers(lake: Lake) -> list[str]:
    return sorted(each["writer"] for each in lake.read(TABLE.name).to_pylist())


def replace(table: DeltaTable, lake: Lake, writer: str) -> None:
    write_deltalake(table, row(lake, writer), mode="overwrite", predicate="number = 0")


def test_of_two_appends_to_one_version_both_are_there(lake):
    tables = opened(lake), opened(lake)
    for table, writer in zip(tables, ("one", "two"), strict=True):
        write_deltalake(table, row(lake, writer), mode="append")
    assert writers(lake) == ["one", "two"]


def test_of_two_replaces_by_predicate_the_second_is_refused(lake):
    one, two = opened(lake), opened(lake)
    replace(one, lake, "one")
    with pytest.raises(CommitFailedError):
        replace(two, lake, "two")
    assert writers(lake) == ["one"]


def test_two_that_replace_no_files_leave_the_rows_of_both(lake, tmp_path):
    commits = [FileCommit(lake, TABLE, FileLock(tmp_path / writer, False)) for writer in ("one", "two")]
    found = [commit.files() for commit in commits]
    for commit, removed, writer in zip(commits, found, ("one", "two"), strict=True):
        commit.replace(removed, write_rows(lake, TABLE, row(lake, writer)))
    assert writers(lake) == ["one", "two"]


def test_two_that_compact_double_the_rows(lake):
    for writer in ("one", "two"):
        write_deltalake(opened(lake), row(lake, writer), mode="append")
    tables = opened(lake), opened(lake)
    for table in tables:
        table.optimize.compact()
    assert writers(lake) == ["one", "one", "two", "two"]


def test_two_that_make_a_table_keep_the_rows_of_the_second(lake):
    write_deltalake(opened(lake), row(lake, "one"), mode="append")
    contract.create(lake.folder(TABLE.name), TABLE, lake.schema(TABLE))
    assert writers(lake) == []


def test_writing_is_refused_and_reading_is_not(lake):
    write_deltalake(opened(lake), row(lake, "one"), mode="append")
    with pytest.raises(NotSetUp, match=f"Without such locks two writers.*nothing was written.*{LOCKS}=postgresql"):
        lake.append(TABLE, [{"writer": "two", "number": 0}])
    assert writers(lake) == ["one"]
