"""Runs over landed files: what is published, however often and in whatever order, and what is refused."""

from dataclasses import replace
from datetime import date, timedelta

import pyarrow as pa
import pytest

from kernels.replay import CHOSEN
from pipelines.delta.lake import Lake
from pipelines.engines import engine_of
from pipelines.gate.publish import publish
from pipelines.gate.recount import kinds as recount_kinds
from pipelines.gate.recount.query_days import AuditedDays
from pipelines.ledger import run_table as ledger
from pipelines.ledger.code_hash import code_hash
from pipelines.ledger.entry import Run
from pipelines.rows.arrays import arrow_schema
from pipelines.runs.backfill import backfill
from pipelines.runs.definitions import with_arrivals
from pipelines.runs.replay import replay_day
from pipelines.tables.arrival_days import ArrivalDays
from pipelines.tables.query_tables import QueryTables
from pipelines.tables.stream_tables import AuditVersions
from schemas import registry
from schemas.errors import (
    GateFailed,
    NothingArrived,
    NotRecounted,
    NotServed,
    NotSetUp,
    OutsideStream,
    Superseded,
    WrongParameter,
)
from schemas.query import policy
from tests.support.lakes import DAYS, PATIENT, QUERIES, gate_of, ingest
from tests.support.replay import landing
from tests.support.replay.reading import assert_oracles, published_rows, rows

DAY, DAY_LONG = DAYS[2], timedelta(days=1)
pytestmark = [PATIENT, pytest.mark.few_tests(2)]


@pytest.mark.parametrize("name", QUERIES)
def test_published_rows_are_the_oracles_on_the_same_files(first_published, name):
    assert_oracles(first_published, registry.query(name), landing.events(landing.trips()), DAYS)


def test_a_day_done_twice_leaves_the_tables_as_they_were(published):
    before = published_rows(published, "bikes_demand")
    replay_day(published, "bikes_demand", DAY)
    assert published_rows(published, "bikes_demand") == before


@pytest.mark.nightly
def test_backfilling_backwards_gives_the_same_rows(ingested, first_published):
    small = replace(ingested, asked_task_bytes=1)
    reports = backfill(small, ["bikes_last_hour"], (DAYS[0], DAYS[-1]), backwards=True).require()
    assert [report.day for report in reports] == DAYS[::-1]
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
    assert report.day == newest and "nothing arrived on 30 of the days" in caplog.text
    with pytest.raises(NothingArrived, match="on the days from"):
        backfill(ingested, ["bikes_demand"], (newest + DAY_LONG, newest + 2 * DAY_LONG)).require()


def test_a_day_between_the_arrivals_keeps_its_run_and_so_does_one_that_has_rows_to_lose(published):
    lake, tables = Lake(published), QueryTables.of(registry.query("bikes_demand"))
    arrived = ArrivalDays.read(lake, tables.source.partitions.name)
    ends = ArrivalDays({day: arrived.by_date[day] for day in (DAYS[1], DAYS[3])})
    assert with_arrivals(lake, tables, ends, DAYS) == DAYS, "all of them are published"
    monthly = [date(2018, month, 1) for month in range(1, 13)]
    assert with_arrivals(lake, tables, ends, monthly) == [day for day in monthly if day in DAYS]
    last = DAYS[4] + 10 * DAY_LONG
    stream = replace(tables.source.stream, last_day=last)
    ended = tables._replace(source=tables.source._replace(stream=stream))
    assert with_arrivals(lake, ended, ends, [last - DAY_LONG, last]) == [last], "it closes all windows"


@pytest.mark.nightly
def test_a_day_that_became_empty_is_emptied(published):
    landing.write(published.landing, landing.moved_away(landing.trips()))
    ingest(published, "bikes")
    replay_day(published, "bikes_demand", DAY)
    left = set(Lake(published).read("bikes_demand", columns=["emitted_date"])["emitted_date"].to_pylist())
    assert left == set(DAYS) - {DAY}


@pytest.mark.nightly
def test_two_stages_in_two_steps_give_the_same_rows(ingested, first_published):
    replay_day(ingested, "bikes_demand", DAY, stage="audit", run_id="scheduled")
    assert Lake(ingested).version("bikes_demand") is None
    replay_day(ingested, "bikes_demand", DAY, stage="publish", run_id="scheduled")
    whole = [row for row in rows(first_published, "bikes_demand", ()) if row["emitted_date"] == DAY]
    assert rows(ingested, "bikes_demand", ()) == whole


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


@pytest.mark.parametrize("day", [date(2013, 5, 26), date(1999, 1, 1)])
def test_a_day_outside_the_stream_is_refused_and_the_ledger_says_so(ingested, day):
    with pytest.raises(OutsideStream, match=str(day)):
        replay_day(ingested, "bikes_demand", day, run_id="early")
    assert [row.state for row in ledger.rows(Lake(ingested), [("run_id", "=", "early")])] == ["refused"]


def test_publishing_needs_an_audit(ingested):
    with pytest.raises(NotSetUp, match="--stage audit"):
        replay_day(ingested, "bikes_demand", DAY, stage="publish")


def test_an_unknown_stage_is_refused(ingested):
    with pytest.raises(WrongParameter, match="stage"):
        replay_day(ingested, "bikes_demand", DAY, stage="everything")


def test_a_backfill_from_later_to_earlier_is_refused(ingested):
    with pytest.raises(WrongParameter, match="2018-06-01"):
        backfill(ingested, ["bikes_demand"], (DAYS[1], DAYS[0])).require()


def test_the_ledger_records_what_a_run_read_made_and_how(first_published):
    audited = ledger.latest(Lake(first_published), "bikes_demand", DAY, "audit")
    published = ledger.latest(Lake(first_published), "bikes_demand", DAY, "publish", audited.run_id)
    arrived = [row for row in landing.events(landing.trips()) if row["arrival"].date() == DAY]
    assert audited.counts["events_of_day"] == len(arrived)
    assert published.counts["bikes_demand"] == audited.counts["rows"] > 0
    assert str(DAY) in audited.inputs["days"] and audited.inputs["last_arrival_day"] == str(DAY)
    assert published.inputs == audited.outputs and audited.code_hash == code_hash()


def test_the_ledger_records_how_many_keys_each_kernel_replayed(first_published):
    audited = ledger.latest(Lake(first_published), "bikes_demand", DAY, "audit")
    keys = {kernel: audited.counts[f"keys_by_{kernel}"] for kernel in CHOSEN}
    assert audited.kernel == ", ".join(kernel for kernel, count in keys.items() if count)
    arrived = [row for row in landing.events(landing.trips()) if row["arrival"].date() <= DAY]
    of_day = {row["start_station_id"] for row in arrived if row["arrival"].date() == DAY}
    assert len(of_day) <= sum(keys.values()) <= len({row["start_station_id"] for row in arrived})
    assert keys["finger_tree"] == sum(keys.values())


def _audited_twice(config) -> tuple[AuditVersions, AuditVersions]:
    made = []
    for run_id in ("first", "second"):
        replay_day(config, "bikes_demand", DAY, stage="audit", run_id=run_id)
        made.append(AuditVersions(**ledger.latest(Lake(config), "bikes_demand", DAY, "audit", run_id).outputs))
    return made[0], made[1]


@pytest.mark.nightly
def test_a_version_is_not_published_after_a_newer_one_was_checked(ingested):
    _audited_twice(ingested)
    replay_day(ingested, "bikes_demand", DAY, stage="publish", run_id="second")
    before = Lake(ingested).version("bikes_demand")
    with pytest.raises(Superseded, match="was not published"):
        replay_day(ingested, "bikes_demand", DAY, stage="publish", run_id="first")
    assert Lake(ingested).version("bikes_demand") == before
    assert ledger.rows(Lake(ingested), [("run_id", "=", "first")])[-1].state == "skipped"


def _spoilt(config) -> AuditVersions:
    """A later version of the audit table in which a row counts one event too many."""
    replay_day(config, "bikes_demand", DAY, stage="audit", run_id="right")
    right = ledger.latest(Lake(config), "bikes_demand", DAY, "audit", "right")
    table = QueryTables.of(registry.query("bikes_demand")).audit
    spoilt = Lake(config).read(table.name, filters=[("emitted_date", "=", DAY)]).to_pylist()
    spoilt[0]["events"] += 1
    version = Lake(config).replace(
        table,
        {"emitted_date": [DAY]},
        pa.Table.from_pylist(spoilt, arrow_schema(table)),
    )
    with ledger.step(Lake(config), Run("spoilt", "bikes", "bikes_demand", DAY), "audit") as entry:
        entry.outputs, entry.inputs = {**right.outputs, "audit": version}, right.inputs
    return AuditVersions(**{**right.outputs, "audit": version})


def test_rows_that_fail_the_gate_leave_the_published_table_as_it_was(published):
    before = published_rows(published, "bikes_demand")
    versions = _spoilt(published)
    with pytest.raises(GateFailed, match="windrow query"):
        replay_day(published, "bikes_demand", DAY, stage="publish", run_id="spoilt")
    assert published_rows(published, "bikes_demand") == before
    assert ledger.rows(Lake(published), [("run_id", "=", "spoilt")])[-1].state == "refused"
    kept = Lake(published).read("bikes_demand_audit", versions.audit, [("emitted_date", "=", DAY)])
    assert len(kept) > 0


@pytest.mark.slow
def test_publishing_writes_the_checked_version_only(ingested):
    """Rows that came into the audit table after the check stay out."""
    first, _ = _audited_twice(ingested)
    query = registry.query("bikes_demand")
    spoilt = _spoilt(ingested)
    [verdicts] = gate_of(Lake(ingested)).check_audit(AuditedDays(QueryTables.of(query), (DAY,), first)).values()
    assert spoilt.audit > first.audit and all(each.passed for each in verdicts)
    publish(Lake(ingested), engine_of(ingested), QueryTables.of(query), [DAY], first)
    expected = Lake(ingested).read("bikes_demand_audit", first.audit).num_rows
    right = {row["events"] for row in rows(ingested, "bikes_demand")}
    assert Lake(ingested).read("bikes_demand").num_rows == expected and right
