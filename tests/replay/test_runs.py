"""Runs over landed files: what is published, however often and in whatever order, and what is refused."""

from dataclasses import replace
from datetime import date, timedelta

import pyarrow as pa
import pytest

from tests.support.lakes import DAYS, PATIENT, QUERIES, gate_of, ingest
from tests.support.replay import landing
from tests.support.replay.reading import assert_oracles, published_rows
from windrow.kernels.api import CHOSEN
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines import engine_of
from windrow.pipelines.gate.publish import publish
from windrow.pipelines.gate.recount import kinds as recount_kinds
from windrow.pipelines.gate.recount.query_days import AuditedDays
from windrow.pipelines.ledger import run_table as ledger
from windrow.pipelines.ledger.code_hash import code_hash
from windrow.pipelines.rows.arrays import arrow_schema
from windrow.pipelines.runs.backfill import backfill
from windrow.pipelines.runs.definitions import nothing_arrived, with_arrivals
from windrow.pipelines.runs.replay import replay, replay_day
from windrow.pipelines.tables.arrival_days import ArrivalDays
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.pipelines.tables.stream_tables import AuditVersions
from windrow.schemas import registry
from windrow.schemas.errors import (
    BrokenDefinition,
    NothingArrived,
    NotRecounted,
    NotServed,
    NotSetUp,
    OutsideStream,
    StorageFailed,
    WrongParameter,
)
from windrow.schemas.query import policy

DAY, DAY_LONG = DAYS[2], timedelta(days=1)
pytestmark = [PATIENT, pytest.mark.few_tests(2)]


@pytest.mark.parametrize("name", QUERIES)
def test_published_rows_are_the_oracles_on_the_same_files(first_published, name):
    assert_oracles(first_published, registry.query(name), landing.events(landing.trips()), DAYS)


@pytest.mark.nightly
def test_backfilling_backwards_gives_the_same_rows_and_a_day_done_twice_too(ingested, first_published):
    small = replace(ingested, asked_task_bytes=1)
    reports = backfill(small, ["bikes_last_hour"], (DAYS[0], DAYS[-1]), backwards=True).require()
    assert [report.day for report in reports] == DAYS[::-1]
    replay_day(ingested, "bikes_last_hour", DAY)
    assert published_rows(ingested, "bikes_last_hour") == published_rows(first_published, "bikes_last_hour")


@pytest.mark.slow
def test_days_before_the_first_arrival_and_after_the_newest_are_skipped_and_left_out(ingested, caplog):
    arrived = ArrivalDays.read(Lake(ingested), "partitions_bikes")
    first, newest = arrived.span
    for day in (first - DAY_LONG, newest + DAY_LONG):
        with pytest.raises(NothingArrived, match=f"on {day}, .* from {first} to {newest}"):
            replay_day(ingested, "bikes_demand", day, run_id=f"run of {day}")
        assert [row.state for row in ledger.rows(Lake(ingested), [("run_id", "=", f"run of {day}")])] == ["skipped"]
    [report] = backfill(ingested, ["bikes_demand"], (newest, newest + 30 * DAY_LONG)).require()
    assert report.day == newest and "no events arrived on 30 of the days" in caplog.text
    with pytest.raises(NothingArrived, match="on the days from"):
        backfill(ingested, ["bikes_demand"], (newest + DAY_LONG, newest + 2 * DAY_LONG)).require()


def test_a_day_between_the_arrivals_keeps_its_run_and_so_does_one_that_has_rows_to_lose(published):
    lake, tables = Lake(published), QueryTables.of(registry.query("bikes_demand"))
    arrived = ArrivalDays.read(lake, tables.source.partitions.name)
    ends = ArrivalDays({day: arrived.by_date[day] for day in (DAYS[1], DAYS[3])})
    assert with_arrivals(lake, tables, ends, DAYS) == DAYS, "all of them are published"
    monthly = [date(2018, month, 1) for month in range(1, 13)]
    assert with_arrivals(lake, tables, ends, monthly) == [day for day in monthly if day in DAYS]
    assert "it has no arrivals yet; if files" in str(nothing_arrived(tables, ArrivalDays({}), DAYS))
    last = DAYS[4] + 10 * DAY_LONG
    stream = replace(tables.source.stream, last_day=last)
    ended = tables._replace(source=tables.source._replace(stream=stream))
    assert with_arrivals(lake, ended, ends, [last - DAY_LONG, last]) == [last], "it closes all windows"


def test_so_does_one_whose_publication_did_not_end(ingested, monkeypatch):
    def full(*_):
        raise StorageFailed("no space")

    monkeypatch.setattr("windrow.pipelines.gate.publish._replace_days", full)
    with pytest.raises(StorageFailed):
        replay_day(ingested, "bikes_demand", DAY)
    lake, tables = Lake(ingested), QueryTables.of(registry.query("bikes_demand"))
    arrived = ArrivalDays.read(lake, tables.source.partitions.name)
    before = ArrivalDays({DAYS[1]: arrived.by_date[DAYS[1]]})
    assert with_arrivals(lake, tables, before, DAYS) == [DAYS[1], DAY], "stale asks for it as long as it has no end"


def test_a_query_or_a_stream_that_fails_keeps_no_other_from_being_published(ingested, monkeypatch):
    broken = BrokenDefinition("examples/queries/bikes_wrong.py", 3, "wrong")
    monkeypatch.setitem(registry.broken_queries(), "bikes_wrong", broken)
    done = backfill(ingested, ["bikes_wrong", "cdr_active", "bikes_demand"], (DAY, DAY))
    assert [(each.query, each.day) for each in done.reports] == [("bikes_demand", DAY)]
    assert {each.query: type(each.error) for each in done.failures} == {
        "bikes_wrong": BrokenDefinition,
        "cdr_active": NotSetUp,
    }


def test_audits_of_several_runs_are_published_together_and_a_query_without_one_fails_alone(ingested):
    for query in ("bikes_demand", "bikes_daily"):
        replay_day(ingested, query, DAY, stage="audit")
    asked = dict.fromkeys(("bikes_demand", "bikes_daily", "bikes_last_hour"), [DAY])
    done = replay(ingested, asked, stage="publish")
    assert sorted(report.query for report in done.reports) == ["bikes_daily", "bikes_demand"]
    assert [(each.query, type(each.error)) for each in done.failures] == [("bikes_last_hour", NotSetUp)]


@pytest.mark.nightly
def test_a_day_that_became_empty_is_emptied(published):
    landing.write(published.landing, landing.moved_away(landing.trips()))
    ingest(published, "bikes")
    replay_day(published, "bikes_demand", DAY)
    left = set(Lake(published).read("bikes_demand", columns=["emitted_date"])["emitted_date"].to_pylist())
    assert left == set(DAYS) - {DAY}


@pytest.mark.parametrize(
    ("window", "kinds", "refusal"),
    [(None, ("rolling", "spanning"), NotRecounted), (policy("untill", most=1), ("policy", "tumbling"), NotServed)],
)
def test_windows_that_no_kernel_serves_or_the_gate_can_not_count_are_refused_before_the_replay(
    ingested, monkeypatch, window, kinds, refusal
):
    query = registry.query("bikes_demand")
    monkeypatch.setitem(registry.queries(), "bikes_demand", replace(query, window=window or query.window))
    monkeypatch.setattr(recount_kinds, "kinds", lambda: kinds)
    with pytest.raises(refusal, match=", ".join(kinds) if refusal is NotRecounted else "untill"):
        replay_day(ingested, "bikes_demand", DAY, stage="audit")
    assert Lake(ingested).version("bikes_demand_audit") is None


def test_a_day_outside_the_stream_a_stage_without_the_one_before_or_days_the_wrong_way_are_refused(ingested):
    for day in (date(2013, 5, 26), date(1999, 1, 1)):
        with pytest.raises(OutsideStream, match=str(day)):
            replay_day(ingested, "bikes_demand", day, run_id="early")
    assert [row.state for row in ledger.rows(Lake(ingested), [("run_id", "=", "early")])] == ["refused"] * 2
    for stage, error, said in (("publish", NotSetUp, "--stage audit"), ("everything", WrongParameter, "stage")):
        with pytest.raises(error, match=said):
            replay_day(ingested, "bikes_demand", DAY, stage=stage)
    with pytest.raises(WrongParameter, match="2018-06-01"):
        backfill(ingested, ["bikes_demand"], (DAYS[1], DAYS[0])).require()


def test_the_ledger_records_what_a_run_read_made_and_how_many_keys_each_kernel_replayed(first_published):
    audited = ledger.latest(Lake(first_published), "bikes_demand", DAY, "audit")
    published = ledger.latest(Lake(first_published), "bikes_demand", DAY, "publish", audited.run_id)
    arrived = [row for row in landing.events(landing.trips()) if row["arrival"].date() <= DAY]
    of_day = [row["start_station_id"] for row in arrived if row["arrival"].date() == DAY]
    assert audited.counts["events_of_day"] == len(of_day)
    assert published.counts["bikes_demand"] == audited.counts["rows"] > 0
    assert str(DAY) in audited.inputs["days"] and audited.inputs["last_arrival_day"] == str(DAY)
    assert published.inputs == audited.outputs and audited.code_hash == code_hash()
    keys = {kernel: audited.counts[f"keys_by_{kernel}"] for kernel in CHOSEN}
    assert audited.kernel == ", ".join(kernel for kernel, count in keys.items() if count)
    assert len({*of_day}) <= sum(keys.values()) <= len({row["start_station_id"] for row in arrived})
    assert keys["finger_tree"] == sum(keys.values())


@pytest.mark.slow
def test_publishing_writes_the_checked_version_only(ingested):
    """Rows that came into the audit table after the check stay out."""
    replay_day(ingested, "bikes_demand", DAY, stage="audit", run_id="right")
    lake, tables = Lake(ingested), QueryTables.of(registry.query("bikes_demand"))
    right = AuditVersions(**ledger.latest(lake, "bikes_demand", DAY, "audit", "right").outputs)
    audit = lake.read(tables.audit.name).to_pylist()
    spoilt = [{**row, "events": row["events"] + 1} for row in audit]
    newer = lake.replace(tables.audit, {}, pa.Table.from_pylist(spoilt, arrow_schema(tables.audit)))
    [verdicts] = gate_of(lake).check_audit(AuditedDays(tables, (DAY,), right)).values()
    assert newer > right.audit and all(each.passed for each in verdicts)
    publish(lake, engine_of(ingested), tables, [DAY], right)
    assert sorted(map(repr, lake.read("bikes_demand").to_pylist())) == sorted(map(repr, audit)) != []
