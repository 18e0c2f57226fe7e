"""Files that tasks write are to readers what delta-rs writes: the same rows, and the same statistics in the log."""

import math
from dataclasses import replace
from datetime import UTC, date, datetime
from multiprocessing import get_context

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from windrow.pipelines.config import Config
from windrow.pipelines.delta import file_commits, new_files
from windrow.pipelines.delta.file_commits import replace_partitions, replace_paths
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.new_files import write_batches, write_rows
from windrow.pipelines.engines.engine import without_paths
from windrow.pipelines.engines.spark import engine as spark_engine
from windrow.pipelines.rows.arrays import arrow_schema
from windrow.schemas.errors import BadInput
from windrow.schemas.stream import Column
from windrow.schemas.tables import Table

COLUMNS = {"whole": "int64", "real": "float64", "flag": "bool", "time": "timestamp", "date": "date", "text": "string"}
DAYS = [date(2020, 1, 1), date(2020, 1, 2)]
BEFORE_1970 = datetime(1815, 12, 10, 3, 4, 5, 678_901, tzinfo=UTC)
KINDS = {
    "whole": st.integers(-(2**63), 2**63 - 1),
    "real": st.floats(),
    "flag": st.booleans(),
    "time": st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)).map(lambda time: time.replace(tzinfo=UTC)),
    "date": st.dates(date(1, 1, 2), date(9999, 12, 30)),
    "text": st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=80),
}
ROWS = st.fixed_dictionaries({**{name: st.none() | kind for name, kind in KINDS.items()}, "day": st.sampled_from(DAYS)})


def table(name: str) -> Table:
    columns = [Column(column, type_, "") for column, type_ in COLUMNS.items()]
    return Table(name, "for tests", (*columns, Column("day", "date", "", nullable=False)), ("day",))


BY_TASKS, BY_DELTA_RS = table("by_tasks"), table("by_delta_rs")


@pytest.fixture(scope="module")
def lake(tmp_path_factory) -> Lake:
    made = Lake(Config(tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("landing")))
    for each in (BY_TASKS, BY_DELTA_RS):
        made.ensure(each)
    return made


def statistics(lake: Lake, name: str) -> dict:
    """By day what the log says of the one file of it; texts have no bounds here, as writers cut them off."""
    rows = lake.add_actions(name).to_pylist()
    left_out = ("path", "size_bytes", "modification_time", "min.text", "max.text")
    return {row["partition.day"]: {key: repr(row[key]) for key in row if key not in left_out} for row in rows}


def row(**values: object) -> dict:
    return dict.fromkeys(KINDS) | {"day": DAYS[0]} | values


@pytest.mark.nightly
@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@example([row()])
@example([row(real=math.nan), row(real=math.nan)])
@example([row(real=math.nan), row(real=1.5), row(real=-2.5, day=DAYS[1]), row(day=DAYS[1])])
@example([row(real=math.inf), row(real=-math.inf), row(real=0.5)])
@example([row(real=-0.0)])
@example([row(real=0.0), row(real=-0.0)])
@example([row(time=datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)), row(time=BEFORE_1970)])
@example([row(flag=True, date=date(1969, 12, 31)), row(flag=False, date=date(1970, 1, 1)), row(flag=None)])
@given(st.lists(ROWS, min_size=1, max_size=12))
def test_rows_and_statistics_are_those_of_delta_rs(lake, rows):
    rows = [{**row, "whole": row["whole"] and row["whole"] // 2} for row in rows]
    made = pa.Table.from_pylist(rows, arrow_schema(BY_TASKS))
    replace_partitions(lake, BY_TASKS, "day", DAYS, write_rows(lake, BY_TASKS, made))
    lake.replace(BY_DELTA_RS, {"day": DAYS}, made)
    found, expected = (sorted(map(repr, lake.read(each.name).to_pylist())) for each in (BY_TASKS, BY_DELTA_RS))
    assert found == expected
    assert statistics(lake, BY_TASKS.name) == statistics(lake, BY_DELTA_RS.name)


def test_rows_of_a_partition_come_in_the_tables_order(lake):
    ordered = replace(BY_TASKS, sort_by=("whole", "text"))
    rows = [row(whole=whole, text=text, day=day) for whole in (3, 1, 2) for text in "ba" for day in reversed(DAYS)]
    made = pa.Table.from_pylist(rows, arrow_schema(BY_TASKS))
    replace_partitions(lake, BY_TASKS, "day", DAYS, write_rows(lake, ordered, made))
    for day in DAYS:
        found = lake.read(BY_TASKS.name, filters=[("day", "=", day)])
        assert list(zip(found["whole"].to_pylist(), found["text"].to_pylist(), strict=True)) == [
            (whole, text) for whole in (1, 2, 3) for text in "ab"
        ]


def test_batches_of_one_partition_are_one_file_with_all_their_rows(lake, monkeypatch):
    monkeypatch.setattr(new_files, "ROWS_PER_GROUP", 3)
    schema = pa.schema([field for field in arrow_schema(BY_TASKS) if field.name != "day"])
    batches = [pa.RecordBatch.from_pylist([{"whole": 2 * n}, {"whole": 2 * n + 1}], schema) for n in range(5)]
    file = write_batches(lake, BY_TASKS, {"day": DAYS[0]}, iter(batches))
    assert file.rows == 10
    assert write_batches(lake, BY_TASKS, {"day": DAYS[0]}, iter([])) is None
    replace_partitions(lake, BY_TASKS, "day", DAYS, [file])
    assert lake.read(BY_TASKS.name)["whole"].to_pylist() == list(range(10))
    (found,) = statistics(lake, BY_TASKS.name).values()
    assert (found["min.whole"], found["max.whole"], found["null_count.real"]) == ("0", "9", "10")


def test_batches_of_other_columns_and_null_flags_go_into_one_file(lake):
    """As restored files and landed ones do."""
    loose = pa.schema([field.with_nullable(True) for field in arrow_schema(BY_TASKS)]).append(
        pa.field("more", pa.int8())
    )
    row = dict.fromkeys(COLUMNS)
    batches = [
        *pa.Table.from_pylist([{**row, "whole": 1}], arrow_schema(BY_TASKS).remove(len(COLUMNS))).to_batches(),
        *pa.Table.from_pylist([{**row, "whole": 2, "day": DAYS[0], "more": 3}], loose).to_batches(),
    ]
    file = write_batches(lake, BY_TASKS, {"day": DAYS[0]}, iter(batches))
    replace_partitions(lake, BY_TASKS, "day", DAYS, [file])
    assert lake.read(BY_TASKS.name)["whole"].to_pylist() == [1, 2]


@pytest.mark.parametrize("most_paths", [file_commits.MOST_PATHS, 1])
def test_rows_of_other_paths_stay_and_files_without_a_path_are_left_alone(lake, monkeypatch, most_paths):
    """From so many paths on all files are written anew."""
    by_path = Table("by_path", "for tests", (Column("path", "string", ""), Column("day", "date", "")), ("day",), ())
    lake.ensure(by_path)

    def rows(paths: str, day: date) -> pa.Table:
        return pa.Table.from_pylist([{"path": path, "day": day} for path in paths], arrow_schema(by_path))

    both = [*write_rows(lake, by_path, rows("acab", DAYS[0])), *write_rows(lake, by_path, rows("xzxy", DAYS[1]))]
    replace_partitions(lake, by_path, "day", DAYS, both)
    before, gone = set(lake.files("by_path")), ["a", "b"]
    monkeypatch.setattr(file_commits, "MOST_PATHS", most_paths)
    new = write_rows(lake, by_path, rows("b", DAYS[1]))
    replace_paths(lake, by_path, gone, new, lambda files: without_paths(lake, by_path, gone, files))
    found = sorted((row["day"], row["path"]) for row in lake.read("by_path").to_pylist())
    assert found == [(DAYS[0], "c")] + [(DAYS[1], path) for path in "bxxyz"]
    assert len(before & set(lake.files("by_path"))) == (1 if most_paths > 1 else 0)


def test_a_time_that_delta_has_no_text_for_is_refused_and_leaves_no_file(lake):
    before = sorted(lake.folder(BY_TASKS.name).rglob("*.parquet"))
    schema = lake.schema(BY_TASKS)
    beyond = pa.array([253_402_300_800_000_000], pa.int64()).cast(schema.field("time").type)
    columns = {name: beyond if name == "time" else pa.nulls(1, schema.field(name).type) for name in COLUMNS}
    rows = pa.table({**columns, "day": pa.array(DAYS[:1])}).cast(schema)
    with pytest.raises(BadInput, match="outside the years 1 to 9999"):
        write_rows(lake, BY_TASKS, rows)
    assert sorted(lake.folder(BY_TASKS.name).rglob("*.parquet")) == before


def test_a_table_is_read_while_another_process_commits(lake):
    """delta-rs makes a file of another name first, which is gone at the next moment."""
    log = lake.folder(BY_DELTA_RS.name) / "_delta_log"

    def commit() -> None:
        while True:
            for number in range(40):
                (log / f"00000000000000000099.json#{number}").touch()
            for number in range(40):
                (log / f"00000000000000000099.json#{number}").unlink()

    writer = get_context("fork").Process(target=commit, daemon=True)
    writer.start()
    try:
        assert {lake.version(BY_DELTA_RS.name) for _ in range(300)} == {lake.version(BY_DELTA_RS.name)}
    finally:
        writer.kill(), writer.join()
        for path in log.glob("*#*"):
            path.unlink()


class AsTheyAre:
    """Rows, mapped to themselves."""

    columns, schema = ("n",), pa.schema([("n", pa.int64())])

    def chosen(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        return rows

    def start(self):
        return lambda batch: iter([batch])


def test_rows_that_come_in_small_batches_are_few_row_groups_or_their_footer_would_be_larger_than_they_are(tmp_path):
    rows = pa.table({"n": range(200_000)})
    pq.write_table(rows, tmp_path / "rows.parquet")
    [written] = spark_engine._mapped(AsTheyAre(), tmp_path, [str(tmp_path / "rows.parquet")])
    assert pq.read_table(written).equals(rows) and pq.read_metadata(written).num_row_groups == 2
