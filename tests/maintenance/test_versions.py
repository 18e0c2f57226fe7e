"""Which versions of a table can still be read: as `windrow tables` says, and as opening them shows."""

from datetime import timedelta

import pytest
from deltalake import DeltaTable

from tests.support.damages import make_older
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.log import current_since, readable_count
from windrow.pipelines.upkeep.maintain import maintain_table
from windrow.schemas.tables import Table, required

ROWS = required("rows", "int64", "how many")
TABLE = Table("days", "Of a test", (required("day", "int64", "a day"), ROWS), ("day",))
DAY = timedelta(days=1)


@pytest.fixture
def lake(config) -> Lake:
    lake = Lake(config)
    lake.ensure(TABLE)
    return lake


def readable(lake: Lake) -> list[int]:
    """The versions that can be opened and read."""
    return [version for version in range(lake.version(TABLE.name) + 1) if _reads(lake, version)]


def _reads(lake: Lake, version: int) -> bool:
    try:
        lake.read(TABLE.name, version)
    except Exception:  # whatever Delta raises where a log or a file is gone
        return False
    return True


def agree(lake: Lake, count: int) -> bool:
    """Whether so many versions can be read, and both ways to look say so."""
    newest = lake.version(TABLE.name)
    assert readable(lake)[-count:] == list(range(newest - count + 1, newest + 1))
    return readable_count(lake.folder(TABLE.name)) == count and newest - count not in readable(lake)


def test_all_versions_of_a_new_table_can_be_read(lake):
    assert agree(lake, 1)
    for day in range(3):
        lake.replace(TABLE, {"day": [1]}, [{"day": 1, "rows": 1}])
        assert agree(lake, day + 2)


def test_versions_whose_files_were_removed_do_not_count(lake):
    for _ in range(3):
        lake.replace(TABLE, {"day": [1]}, [{"day": 1, "rows": 1}])
    before = lake.version(TABLE.name)
    maintain_table(lake, TABLE.name, timedelta(0), (), False)
    assert agree(lake, lake.version(TABLE.name) - before + 1)


def test_versions_whose_log_was_removed_do_not_count(lake):
    lake.append(TABLE, [{"day": 1, "rows": 1}])
    maintain_table(lake, TABLE.name, 7 * DAY, (), False)
    make_older(lake.folder(TABLE.name), 100 * DAY)
    lake.append(TABLE, [{"day": 2, "rows": 1}])
    DeltaTable(lake.folder(TABLE.name)).create_checkpoint()
    make_older(lake.folder(TABLE.name), 20 * DAY)
    lake.append(TABLE, [{"day": 3, "rows": 1}])
    maintain_table(lake, TABLE.name, 7 * DAY, (), False)
    assert agree(lake, len(readable(lake))) and readable(lake)[0] > 0


def test_a_name_with_a_blank_is_found(config):
    text = Table("texts", "Of a test", (required("text", "string", "a text"), ROWS), ("text",))
    lake = Lake(config)
    lake.ensure(text)
    for _ in range(2):
        lake.replace(text, {"text": ["a b/é%"]}, [{"text": "a b/é%", "rows": 1}])
    assert readable_count(lake.folder(text.name)) == 3


def test_the_version_that_was_current_at_a_moment_is_the_first_since_then():
    times = {3: 10.0, 4: 20.0, 5: 30.0}
    assert current_since(times, 25.0) == [4, 5]
    assert current_since(times, 20.0) == [4, 5]
    assert current_since(times, 19.9) == [3, 4, 5]
    assert current_since(times, 9.0) == [3, 4, 5]
    assert current_since(times, 99.0) == [5]
