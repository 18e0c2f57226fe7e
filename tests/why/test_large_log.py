"""Over a lake of 10^9 events' worth of files it opens only what the key and the time need: of the others there is
nothing but what Delta's log says of them, so that opening one fails."""

import json
from datetime import UTC, date, datetime, timedelta

import pyarrow as pa
import pytest

from tests.support.small_lake import PATH, STREAM, asked, make_lake, random_events
from windrow.pipelines import storage
from windrow.pipelines.config import Config
from windrow.pipelines.delta.day_files import AskedValues, files_holding, places_of
from windrow.pipelines.delta.file_commits import append_files
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.new_files import NewFile, write_rows
from windrow.pipelines.why.asked import AskedWindow
from windrow.pipelines.why.explain import explain
from windrow.schemas.stream import Column
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


SECOND = timedelta(seconds=1)
KINDS = ("string", "int64", "float64", "bool", "date", "timestamp")
VALUES = {
    "text": ("ab", "ba", "ö"),
    "whole": (-5, 0, 2**62),
    "real": (-0.5, 0.0, 1e300),
    "truth": (False, None, True),
    "day": (date(1969, 12, 31), date(2024, 2, 29), None),
    "time": tuple(datetime(2024, 1, 1, tzinfo=UTC) + n * (SECOND / 1_000_000) for n in (1, 999, 2_000_999)),
}


@pytest.mark.parametrize("name", VALUES)
def test_of_each_type_only_the_files_are_chosen_that_may_have_the_value(tmp_path, name):
    lake, types = Lake(Config(tmp_path, tmp_path)), dict(zip(VALUES, KINDS, strict=True))
    table = Table("typed", "one row a file", tuple(Column(each, types[each], each) for each in VALUES))
    lake.ensure(table)
    rows = [dict(zip(VALUES, row, strict=True)) for row in zip(*VALUES.values(), strict=True)]
    for row in rows:
        append_files(lake, table, write_rows(lake, table, pa.Table.from_pylist([row], lake.schema(table))))
    for value in VALUES[name]:
        found = files_holding(lake, table.name, None, {name: AskedValues(value, value, value is None)})
        held = lake.read(table.name)[name].to_pylist()
        assert value in held and 1 <= len(found) < len(rows)
        chosen = [storage.parquet(path).read().to_pylist()[0][name] for path in places_of(lake, table.name, found)]
        assert value in chosen and set(chosen) <= {*held}
