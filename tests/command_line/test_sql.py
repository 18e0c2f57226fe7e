"""What `windrow query` sees: tables, newest revisions, what was known at a time; and what it can't do."""

from datetime import UTC, date, datetime, timedelta

import duckdb
import pyarrow as pa
import pytest

from tests.command_line.conftest import ROWS, TABLE, at, revision, write_days
from tests.support.lakes import copied
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.sql import statements
from windrow.schemas.errors import BadStatement, TableDamaged, UnknownName
from windrow.schemas.query import Query, tumbling


def events_by_station(found) -> dict:
    return {row["start_station_id"]: row["events"] for row in found.to_pylist()}


def newest_known(until: datetime) -> dict:
    """Plainly: the largest revision that was emitted by then."""
    known = sorted((row for row in ROWS if row["emitted_at"] <= until), key=lambda row: row["revision"])
    return {row["start_station_id"]: row["events"] for row in known}


@pytest.mark.parametrize(("statement", "column"), [("SELECT at FROM runs", "at"), ("SELECT END FROM runs", "end")])
def test_a_column_that_is_a_word_of_sql_is_refused_with_its_quotes(small_lake, statement, column):
    with pytest.raises(BadStatement, match=f'where a column is meant, write "{column}", with the quotes'):
        statements.run(Lake(small_lake), statement)


def test_a_table_is_a_view_under_its_own_name_and_what_is_final_another(small_lake):
    found = statements.run(Lake(small_lake), "SELECT * FROM bikes_demand ORDER BY start_station_id, revision")
    assert found.to_pylist() == ROWS
    assert statements.run(Lake(small_lake), "SHOW TABLES")["name"].to_pylist() == ["bikes_demand", "bikes_demand_final"]


def test_final_is_the_largest_revision_of_every_window(small_lake):
    found = statements.run(Lake(small_lake), "SELECT * FROM bikes_demand_final")
    assert events_by_station(found) == {7: 12, 8: 21}
    assert found.column_names == list(TABLE.column_names)


TIMES = [at(1), at(2, 1), at(2, 22), at(2, 23), at(3, 4), at(3, 5), at(4, 5), at(31)]


@pytest.mark.parametrize("time", TIMES, ids=str)
def test_as_of_is_the_largest_revision_emitted_by_then_included(small_lake, time):
    found = statements.run(Lake(small_lake), f"SELECT * FROM bikes_demand_as_of(TIMESTAMPTZ '{time.isoformat()}')")
    assert events_by_station(found) == newest_known(time)


def test_as_of_reads_a_time_without_zone_as_utc_and_one_with_a_zone_as_written(small_lake):
    in_utc = statements.run(Lake(small_lake), "SELECT * FROM bikes_demand_as_of('2018-10-03 05:00')")
    assert events_by_station(in_utc) == {7: 11, 8: 21}
    in_new_york = statements.run(Lake(small_lake), "SELECT * FROM bikes_demand_as_of('2018-10-03 00:59-04')")
    assert events_by_station(in_new_york) == {7: 10, 8: 21}


def test_a_null_key_is_one_group():
    day, hour = timedelta(days=1), timedelta(hours=1)
    toy = Query("toy", "none", ("key",), tumbling(day), {}, lateness=hour, allowed_lateness=day)
    of_all = {"window_start": at(1), "window_end": at(2)}
    rows = [
        {"key": key, **of_all, "revision": number, "emitted_at": emitted, "emitted_date": emitted.date()}
        for key in (None, "a")
        for number, emitted in enumerate((at(2), at(3)))
    ]
    with duckdb.connect() as connection:
        connection.register("toy", pa.Table.from_pylist(rows))
        statements.add_revisions(connection, toy)
        final = connection.sql("SELECT key, revision FROM toy_final ORDER BY key NULLS FIRST").fetchall()
        early = connection.sql("SELECT key, revision FROM toy_as_of('2018-10-02') ORDER BY key NULLS FIRST").fetchall()
    assert final == [(None, 1), ("a", 1)]
    assert early == [(None, 0), ("a", 0)]


def test_times_come_out_in_utc_wherever_the_machine_is(small_lake, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    found = statements.run(
        Lake(small_lake), "SELECT min(emitted_at) AS first, min(emitted_at)::VARCHAR AS text FROM bikes_demand"
    )
    assert found.to_pylist() == [{"first": datetime(2018, 10, 2, 1, tzinfo=UTC), "text": "2018-10-02 01:00:00+00"}]


def keep_only(config: Config, day: date) -> None:
    """Take the files of all other days away: a statement that still answers has not read them."""
    for file in (config.lake / "bikes_demand").glob("emitted_date=*/*.parquet"):
        if file.parent.name != f"emitted_date={day}":
            file.unlink()


def test_a_condition_on_the_partition_reads_that_day_only_and_as_of_not_the_days_after(tmp_path):
    config = Config(tmp_path / "home", tmp_path / "landing")
    config.landing.mkdir()
    write_days(config, ROWS)
    for day, statement, events in (
        (2, "SELECT * FROM bikes_demand_as_of('2018-10-02 12:00')", {7: 10, 8: 20}),
        (3, "SELECT * FROM bikes_demand WHERE emitted_date = DATE '2018-10-03'", {7: 11}),
    ):
        of_day = copied(config, tmp_path / str(day))
        keep_only(of_day, date(2018, 10, day))
        assert events_by_station(statements.run(Lake(of_day), statement)) == events
    with pytest.raises(TableDamaged, match="windrow repair bikes_demand"):
        statements.run(Lake(of_day), "SELECT events FROM bikes_demand")


def test_two_columns_of_one_name_are_distinguished(small_lake):
    assert statements.run(Lake(small_lake), "SELECT 1 AS a, 2 AS a, 3 AS b").to_pylist() == [{"a": 1, "a_2": 2, "b": 3}]


@pytest.mark.slow
def test_no_more_rows_are_made_than_asked_for(small_lake):
    endless = "SELECT i, CASE WHEN i > 1e9 THEN error('read on') END AS text FROM range(1000000000000) AS rows(i)"
    assert statements.run(Lake(small_lake), endless, most=3)["i"].to_pylist() == [0, 1, 2]
    assert statements.run(Lake(small_lake), "SELECT 1 AS a, 2 AS a WHERE false", most=3).column_names == ["a", "a_2"]
    assert len(statements.run(Lake(small_lake), "SELECT * FROM range(5000)", most=4999)) == 4999
    assert len(statements.run(Lake(small_lake), "SHOW TABLES", most=1)) == 1


def test_an_error_in_a_later_row_is_refused_too(small_lake):
    with pytest.raises(BadStatement, match="beyond"):
        late = "SELECT CASE WHEN i = 900000 THEN error('beyond') ELSE i END FROM range(1000000) AS rows(i)"
        statements.run(Lake(small_lake), late, most=950_000)


@pytest.mark.slow
def test_a_statement_has_a_limit_of_memory_and_spills_before_it(small_lake, monkeypatch):
    monkeypatch.setattr(statements, "MEMORY", "60MB")
    files_before = sorted(small_lake.home.rglob("*"))
    sorted_rows = "SELECT hash(i) AS h, repeat('x', 50) || i AS text FROM range(2000000) AS rows(i) ORDER BY h"
    assert len(statements.run(Lake(small_lake), sorted_rows, most=2)) == 2
    assert sorted(small_lake.home.rglob("*")) == files_before
    with pytest.raises(BadStatement, match="more memory than 60MB"):
        statements.run(Lake(small_lake), "SELECT list(repeat('x', 50) || i) FROM range(5000000) AS rows(i)")


def test_a_statement_opens_only_the_tables_that_it_names(tmp_path):
    config = Config(tmp_path, tmp_path / "landing")
    write_days(config, [revision(7, 0, at(2), 1)])
    broken = config.lake / "broken" / "_delta_log"
    broken.mkdir(parents=True)
    (broken / "00000000000000000000.json").write_text("no JSON")
    assert statements.run(Lake(config), "SELECT count(*) AS n FROM bikes_demand")["n"].to_pylist() == [1]
    with pytest.raises(TableDamaged, match="'broken'"):
        statements.run(Lake(config), "SELECT * FROM broken")


@pytest.mark.parametrize("statement", [
    "SELEC 1", "SELECT nothing FROM bikes_demand", "", "SELECT 1; SELECT 2", "CREATE TABLE t AS SELECT 1",
    "INSERT INTO bikes_demand FROM bikes_demand", "DROP VIEW bikes_demand", "DELETE FROM bikes_demand",
    "ATTACH '/tmp/other.db'", "INSTALL httpfs", "SET enable_external_access = true", "BEGIN",
    "SELECT * FROM read_csv('/etc/passwd')", "SELECT * FROM '/etc/passwd'", "SELECT getenv('HOME')",
    "COPY (SELECT 1) TO 'out.csv'",
])  # fmt: skip
def test_what_is_no_question_to_the_lake_is_refused_and_nothing_written(small_lake, tmp_path, monkeypatch, statement):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadStatement, match="DROP was asked for" if statement.startswith("DROP") else ""):
        statements.run(Lake(small_lake), statement)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["nowhere", "bikes_daily_as_of(now())", "secrets"])
def test_an_unknown_table_is_reported_with_the_known_ones_and_a_python_variable_is_none(small_lake, name):
    secrets = Lake(small_lake).read("bikes_demand")
    with pytest.raises(UnknownName, match="known: bikes_demand"):
        statements.run(Lake(small_lake), f"SELECT * FROM {name}")
    assert secrets.num_rows == len(ROWS)


@pytest.mark.slow
@pytest.mark.few(5)
@pytest.mark.parametrize(
    ("expression", "printed"),
    [
        ("timestamp '290000-01-01 12:00:00.5'", "290000-01-01T12:00:00.500000"),
        ("timestamptz '290000-01-01 00:00:00+00'", "290000-01-01T00:00:00Z"),
        ("date '290000-01-01'", "290000-01-01"),
        ("timestamp_s '290000-01-01 00:00:01'", "290000-01-01T00:00:01"),
        ("timestamp '0044-03-15 (BC)'", "-0043-03-15T00:00:00"),
        ("timestamp '0001-12-31 (BC)'", "0000-12-31T00:00:00"),
        ("timestamp 'infinity'", "infinity"),
        ("timestamptz '-infinity'", "-infinity"),
        ("date 'infinity'", "infinity"),
        ("[date '290000-01-01', date '2018-10-01']", ["290000-01-01", "2018-10-01"]),
        ("{'at': date '290000-01-01'}", {"at": "290000-01-01"}),
        ("MAP {date '290000-01-01': 7}", [["290000-01-01", 7]]),
        ("timestamp '9999-12-31 23:59:59.999999'", "9999-12-31T23:59:59.999999"),
    ],
)
def test_times_beyond_the_years_of_python_are_printed(windrow, expression, printed):
    shown = windrow("query", f"SELECT {expression} AS a, 1 AS b", "--json")
    assert (shown.code, shown.error) == (0, "")
    assert shown.json == [{"a": printed, "b": 1}]
    table = windrow("query", f"SELECT {expression} AS a, 1 AS b")
    assert (table.code, table.error) == (0, "")


def test_what_was_known_at_a_time_beyond_all_years_is_the_newest(windrow):
    newest = windrow("query", "SELECT * FROM bikes_demand_final ORDER BY ALL", "--json")
    for time in ("290000-01-01", "infinity"):
        known = windrow("query", f"SELECT * FROM bikes_demand_as_of(timestamp '{time}') ORDER BY ALL", "--json")
        assert known.json == newest.json
    earliest = windrow("query", "SELECT * FROM bikes_demand_as_of(timestamp '-infinity')", "--json")
    assert earliest.json == []
