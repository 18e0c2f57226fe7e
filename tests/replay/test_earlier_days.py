"""Days that go on from each other: which day must be first, when what it left is no good, and what a late file does."""

import shutil
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.support.lakes import DAYS, PATIENT, ingest, lake_of
from tests.support.replay import landing, toy
from tests.support.replay.reading import published_rows
from tests.support.replay.work import audit_day, newest, run_day
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import code_hash
from windrow.pipelines.ledger.stale import STATE, stale
from windrow.pipelines.replay.work import work_of
from windrow.pipelines.runs.backfill import backfill, redo_stale
from windrow.pipelines.runs.replay import replay_day
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas import registry
from windrow.schemas.errors import EarlierDayMissing, WrongParameter
from windrow.schemas.query import Query, agg, session
from windrow.schemas.tables import bucket_of, files_table, partitions_table

HOUR = timedelta(hours=1)
ASKED = Query("asked", "toy", ("place",), session(HOUR), {"n": agg("count")}, HOUR, 12 * HOUR)
FIRST, SECOND, EMPTY, FOURTH, LAST = toy.days()
REAL = "bikes_refill"


@pytest.fixture
def lake(config, monkeypatch) -> Lake:
    """Of random events, with a query that has no file."""
    monkeypatch.setattr(code_hash, "query_hash", lambda name: name)
    monkeypatch.setitem(registry.queries(), ASKED.name, ASKED)
    toy.build(config, toy.events(seed=11), bucket_of)
    return Lake(config)


@pytest.fixture
def tables(lake) -> QueryTables:
    return QueryTables.of(ASKED)


def change(lake: Lake, day: date) -> None:
    """An ingest has found other events of a day."""
    table = partitions_table(toy.STREAM)
    (noted,) = [row for row in lake.read(table.name).to_pylist() if row["arrival_date"] == day]
    lake.replace(table, {"arrival_date": [day]}, [{**noted, "silver_digest": "other"}])


def stale_days(lake: Lake) -> list[date]:
    return [run.day for run in stale(lake) if run.query == ASKED.name]


@pytest.mark.slow
def test_a_day_without_the_one_before_names_the_run_that_must_be_first(lake, tables):
    with pytest.raises(EarlierDayMissing, match=f"{SECOND} is not published; .*--from {FIRST} --to {FOURTH}"):
        audit_day(lake, tables, FOURTH)
    audit_day(lake, tables, FIRST)
    with pytest.raises(EarlierDayMissing, match=f"{FIRST} is not published"):
        audit_day(lake, tables, SECOND)
    run_day(lake, tables, FIRST)
    with pytest.raises(EarlierDayMissing, match=f"windrow backfill asked --from {SECOND} --to {FOURTH}"):
        audit_day(lake, tables, FOURTH)
    run_day(lake, tables, SECOND)
    assert audit_day(lake, tables, FOURTH).inputs["state"]["day"] == str(SECOND), f"nothing arrived on {EMPTY}"


@pytest.mark.slow
def test_a_changed_day_makes_it_and_all_later_ones_stale_and_no_day_goes_on_from_those(lake, tables):
    for day in (FIRST, SECOND, FOURTH):
        run_day(lake, tables, day)
    assert stale_days(lake) == []
    change(lake, SECOND)
    assert stale_days(lake) == [SECOND, FOURTH]
    with pytest.raises(EarlierDayMissing, match="have changed since .*windrow backfill asked --stale"):
        audit_day(lake, tables, LAST)
    with pytest.raises(EarlierDayMissing, match=f"events of {SECOND} or of earlier days have changed"):
        audit_day(lake, tables, FOURTH)
    for day in (SECOND, FOURTH):
        run_day(lake, tables, day)
    assert stale_days(lake) == []
    run_day(lake, tables, LAST)


@pytest.mark.slow
def test_a_day_is_stale_where_the_one_that_it_went_on_from_has_left_another_state_since(lake, tables):
    """Other events under the digests of the old ones: nothing else differs."""
    for day in (FIRST, SECOND):
        run_day(lake, tables, day)
    toy.build(lake.config, toy.events(seed=12), bucket_of)
    run_day(lake, tables, FIRST)
    [found] = stale(lake)
    assert (found.day, found.kinds) == (SECOND, {STATE})


@pytest.mark.slow
@pytest.mark.parametrize(
    "changed", [{"allowed_lateness": HOUR}, {"where": (("parts", ">", 0),)}, {"window": session(2 * HOUR)}]
)
def test_a_day_of_another_definition_left_nothing_to_go_on_from(lake, tables, changed):
    run_day(lake, tables, FIRST)
    other = QueryTables.of(replace(ASKED, **changed))
    with pytest.raises(EarlierDayMissing, match="definition .* has changed since"):
        audit_day(lake, other, SECOND)


def test_a_file_of_the_query_language_that_means_the_same_stops_no_day(lake, tables, monkeypatch):
    run_day(lake, tables, FIRST)
    monkeypatch.setattr(code_hash, "query_hash", lambda name: f"{name}, of another version")
    run_day(lake, tables, SECOND)
    assert stale_days(lake) == [FIRST], "as for all queries"


@pytest.mark.slow
def test_a_state_table_that_was_made_again_is_not_taken_for_the_one_before(lake, tables):
    """Its versions are counted anew: the one that the ledger names holds something else."""
    for day in (FIRST, SECOND):
        run_day(lake, tables, day)
    shutil.rmtree(lake.folder("state_asked"))
    lake.ensure(tables.state)
    for _ in range(4):
        lake.replace(tables.state, {"logical_date": [FIRST]}, [])
    with pytest.raises(EarlierDayMissing, match=f"the state of {SECOND} in state_asked is gone"):
        audit_day(lake, tables, FOURTH)


@pytest.mark.slow
def test_files_that_maintenance_put_together_hold_the_state_still(lake, tables):
    for day in (FIRST, SECOND):
        run_day(lake, tables, day)
    before = lake.read("state_asked").to_pylist()
    old = lake.files("state_asked")
    lake.replace(tables.state, {}, before)
    for file in old:
        Path(file).unlink()
    run_day(lake, tables, FOURTH)


def test_a_run_of_an_older_ingest_is_sent_to_a_newer_one(lake, tables):
    older = newest(lake, tables)
    change(lake, FIRST)
    counts = dict.fromkeys(("file_bytes", "lines", "readings", "accepted", "quarantined", "duplicates"), 0)
    texts = {"path": "late", "content_hash": "", "state": "empty", "definition": "toy"}
    lake.append(files_table(toy.STREAM), [{**texts, **counts, "landed_date": FIRST}])
    run_day(lake, tables, FIRST)
    with pytest.raises(EarlierDayMissing, match=f"read a newer ingest .*--from {SECOND} --to {SECOND}"):
        work_of(lake, tables, [SECOND], older)


def test_a_day_with_another_number_of_buckets_left_nothing_to_go_on_from(lake, tables, monkeypatch):
    run_day(lake, tables, FIRST)
    monkeypatch.setitem(vars(toy.STREAM), "buckets", toy.BUCKETS + 1)
    with pytest.raises(EarlierDayMissing, match="windrow backfill asked --stale"):
        audit_day(lake, tables, SECOND)
    assert stale_days(lake) == [FIRST]


def test_what_a_day_left_may_be_gone(lake, tables):
    """As after a repair of a damaged file, which takes it out of the table."""
    run_day(lake, tables, FIRST)
    files = lake.files("state_asked")
    lake.replace(tables.state, {"logical_date": [FIRST]}, [])
    for file in files:
        Path(file).unlink()
    wanted = f"the state of {FIRST} in state_asked is gone; .*--from {FIRST} --to {SECOND}"
    with pytest.raises(EarlierDayMissing, match=wanted):
        audit_day(lake, tables, SECOND)


def test_days_are_not_run_backwards(ingested):
    with pytest.raises(WrongParameter, match="backwards is True; allowed: False for bikes_refill"):
        backfill(ingested, [REAL], (DAYS[0], DAYS[-1]), backwards=True).require()


@pytest.mark.nightly
@PATIENT
@pytest.mark.slow
def test_a_backfill_leaves_out_days_without_arrivals_and_says_so(ingested, caplog):
    reports = backfill(ingested, [REAL], (DAYS[0] - timedelta(days=365), DAYS[0])).require()
    assert [report.day for report in reports] == [DAYS[0]]
    assert "no events arrived on 365 of the days" in caplog.text


@pytest.mark.nightly
@pytest.mark.takes(40)
@PATIENT
def test_after_a_late_file_all_is_redone_as_if_it_had_come_in_time(ingested, tmp_path):
    backfill(ingested, [REAL], (DAYS[0], DAYS[-1])).require()
    landing.write(ingested.landing, landing.late_file())
    ingest(ingested, "bikes")
    first = min(landing.arrival_days(landing.late_file()))
    assert [run.day for run in stale(Lake(ingested))] == [day for day in DAYS if day >= first]
    with pytest.raises(EarlierDayMissing, match="windrow backfill bikes_refill --stale"):
        replay_day(ingested, REAL, DAYS[-1])
    redo_stale(ingested, [REAL]).require()
    assert stale(Lake(ingested)) == []
    in_time = lake_of(tmp_path / "in_time", landing.trips() | landing.late_file(), REAL)
    assert published_rows(ingested, REAL) == published_rows(in_time, REAL)
