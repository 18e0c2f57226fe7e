"""Over a lake of 10^9 events' worth of files it opens only what the key and the time need: of the others there is
nothing but what Delta's log says of them, so that opening one fails."""

import json
from datetime import date, timedelta

import pytest

from tests.support.small_lake import PATH, STREAM, asked, make_lake, random_events
from windrow.pipelines.config import Config
from windrow.pipelines.delta.file_commits import append_files
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.new_files import NewFile
from windrow.pipelines.why.asked import AskedWindow
from windrow.pipelines.why.explain import explain
from windrow.schemas.tables import Table, silver_table

DAYS, EVENTS = 1_000, 10**9
FIRST_DAY = date(2021, 1, 1)


def described(table: Table, day: date, bucket: int | None, rows: int, **bounds: tuple) -> NewFile:
    """A file that only the log knows."""
    partition = {table.partition_by[0]: day.isoformat(), **({} if bucket is None else {"bucket": str(bucket)})}
    least, greatest = ({name: each[end] for name, each in bounds.items()} for end in (0, 1))
    nulls = dict.fromkeys([name for name in table.column_names if name not in partition], 0)
    statistics = {"numRecords": rows, "minValues": least, "maxValues": greatest, "nullCount": nulls}
    folder = "/".join(f"{name}={value}" for name, value in partition.items())
    return NewFile(f"{folder}/only-in-the-log.parquet", 1 << 20, rows, partition, json.dumps(statistics))


def times(day: date) -> tuple[str, str]:
    return f"{day}T00:00:00.000Z", f"{day}T23:59:59.999Z"


def grown(lake: Lake, made, buckets: int) -> None:
    """With 10^9 events of other days in all."""
    silver, days = silver_table(STREAM), [FIRST_DAY + timedelta(days=n) for n in range(DAYS)]
    rows = EVENTS // (DAYS * buckets)
    keys = {"key": ("a", "zz"), "path": (PATH, PATH)}
    events = [
        described(silver, day, bucket, rows, start=times(day), end=times(day), arrival=times(day), **keys)
        for day in days
        for bucket in range(buckets)
    ]
    append_files(lake, silver, events)
    windows = dict.fromkeys(("window_start", "window_end", "emitted_at"), times)
    results = [
        described(
            made.tables.results, day, None, rows, key=("a", "zz"), **{name: of(day) for name, of in windows.items()}
        )
        for day in days
    ]
    append_files(lake, made.tables.results, results)


@pytest.mark.slow
def test_files_that_can_not_hold_the_key_and_the_time_are_not_opened(tmp_path):
    query, events = asked("tumbling"), random_events(5, 300)
    made = make_lake(Config(tmp_path, tmp_path), query, events)
    lake = Lake(made.config)
    lake.ensure(made.tables.results)
    lake.append(made.tables.results, lake.read(made.tables.audit.name))
    last = max(made.rows(made.tables.results), key=lambda row: (row["key"] == "a", row["revision"]))
    window = AskedWindow(query, {"key": last["key"]}, last["window_start"])
    before = explain(lake, window)
    grown(lake, made, STREAM.buckets)
    assert lake.row_count(silver_table(STREAM).name) == EVENTS + len(events)
    after = explain(lake, window)
    assert after.adds_up and after.windows == before.windows and after.opened == before.opened
    assert 0 < len(after.opened) <= 3
