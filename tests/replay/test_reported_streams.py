"""Small streams as users have them, from files to published tables, on both engines."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from unittest.mock import patch

import pytest

from tests.support.buoys import BUOYS
from tests.support.engines import ENGINES
from tests.support.lakes import ingest
from tests.support.replay import landing
from tests.support.replay.reading import assert_oracles, events_of_silver
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ingest import parse
from windrow.pipelines.ledger import code_hash
from windrow.pipelines.ledger.stale import stale
from windrow.pipelines.runs.backfill import backfill, redo_stale
from windrow.pipelines.runs.replay import replay_day
from windrow.pipelines.sql import statements
from windrow.schemas import registry
from windrow.schemas.errors import NothingArrived
from windrow.schemas.query import Query, agg, session, tumbling

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
pytestmark = pytest.mark.slow

CALLS = {
    "cdr/social-evolution/Calls.csv": """\
user_id,time_stamp,duration,dest_user_id_if_known,dest_phone_hash
19,2009-01-02 10:04:28,15,,1000000001
,2009-01-02 10:05:28,15,7,1000000002
20,2009-01-02 11:04:28,15,,1000000001
"""
}
LINE = (
    '{{"buoy": {{"id": "{}"}}, "taken_at": "2024-05-0{}:00Z", "received_at": "2024-05-0{}:00Z", "wave_height_m": {}}}\n'
)


@pytest.fixture(autouse=True)
def defined(monkeypatch):
    """Streams and queries without files."""
    monkeypatch.setitem(registry.streams(), BUOYS.name, BUOYS)
    monkeypatch.setattr(parse, "stream_hash", lambda name: name)
    for read in ("stream_hash", "query_hash", "replay_hash"):
        monkeypatch.setattr(code_hash, read, lambda name: name)
    with patch.dict(registry.queries()):
        yield


def published(config, query: Query, first: date, last: date) -> list[tuple]:
    """Whole rows of what turned out to be true."""
    registry.queries()[query.name] = query
    backfill(config, [query.name], (first, last)).require()
    found = statements.run(Lake(config), f"SELECT * FROM {query.name}_final ORDER BY ALL").to_pylist()
    names = [*query.key, "window_start", "window_end", *query.aggregates]
    return [tuple(row[name] for name in names) for row in found]


@ENGINES
def test_calls_without_a_caller_or_a_receiver_are_published_as_a_group_of_their_own(engine, config):
    landing.write(config.landing, CALLS)
    ingest(config, "phone_calls")
    lengths = {"calls": agg("count"), "talk_s": agg("sum", "duration_s")}
    day, ten = date(2009, 1, 2), datetime(2009, 1, 2, 10, tzinfo=UTC)
    for key, other in (("caller", 19), ("receiver", 7)):
        query = Query(f"by_{key}", "phone_calls", (key,), tumbling(HOUR), lengths, timedelta(0), HOUR, "watermark")
        found = published(config, query, day, day)
        assert found == [(each, ten, ten + HOUR, 1, 15) for each in (other, None)]
        assert_oracles(config, query, events_of_silver(config, "phone_calls"), [day])


# Readings of the first day, of the third and late ones; nothing arrives on the second day and on the fourth.
SPARSE = {
    "buoys/s1.jsonl": (("A", "1T10:00", "1T10:00", 1), ("B", "1T12:10", "1T13:00", 2), ("A", "1T20:00", "1T21:00", 3)),
    "buoys/s2.jsonl": (("A", "3T13:00", "3T13:05", 4), ("B", "2T21:30", "3T13:05", 5), ("A", "3T02:00", "3T16:00", 6),
                       ("B", "3T22:50", "3T23:50", 7)),
}  # fmt: skip
INTO_THE_SILENCE = {"buoys/s3.jsonl": (("A", "2T05:00", "2T06:00", 8), ("B", "1T22:00", "2T06:00", 9))}
SILENT_DAYS = [date(2024, 5, day) for day in (1, 2, 3, 4)]
IDLE_AFTER = 100 * MINUTE


def until_the_end_of(day: date, events: list[dict]) -> list[dict]:
    """With an event that is too late for all windows, at the midnight after it: until then there are heartbeats."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1)
    long_ago = datetime(1990, 1, 1, tzinfo=UTC)
    return [*events, {**events[-1], "start": long_ago, "end": long_ago, "arrival": midnight, "seq": len(events)}]


@ENGINES
@pytest.mark.parametrize(
    "window", [tumbling(HOUR), pytest.param(session(3 * HOUR), marks=pytest.mark.nightly)], ids=lambda each: each.kind
)
def test_silence_passes_windows_also_on_days_without_arrivals_and_a_file_for_one_makes_the_days_behind_it_stale(
    engine, config, monkeypatch, window
):
    monkeypatch.setitem(registry.streams(), BUOYS.name, replace(BUOYS, idle_after=IDLE_AFTER))
    query = Query("quiet", "buoys", ("buoy",), window, {"total": agg("sum", "wave_height_m")}, 10 * MINUTE,
                  20 * HOUR, "watermark")  # fmt: skip

    def assert_the_rule() -> list[dict]:
        events = until_the_end_of(SILENT_DAYS[-1], events_of_silver(config, "buoys"))
        assert_oracles(config, query, events, SILENT_DAYS, IDLE_AFTER)
        return Lake(config).read(query.name).to_pylist()

    land(config, SPARSE)
    published(config, query, SILENT_DAYS[0] - timedelta(days=1), SILENT_DAYS[-1])
    rows = assert_the_rule()
    assert {row["emitted_date"] for row in rows} == {*SILENT_DAYS}
    with pytest.raises(NothingArrived, match="from 2024-05-01 to 2024-05-03, and heartbeats go on until 20"):
        replay_day(config, query.name, date(2024, 4, 1))
    assert [run.day for run in stale(Lake(config))] == []
    land(config, INTO_THE_SILENCE)
    changed = SILENT_DAYS[1:] if not window.context_free else SILENT_DAYS[1:3]
    assert {*changed} <= {run.day for run in stale(Lake(config))} <= {*SILENT_DAYS[1:]}
    redo_stale(config, [query.name]).require()
    assert assert_the_rule() != rows


@pytest.mark.nightly
def test_a_file_for_a_day_before_all_that_a_run_read_makes_it_stale_where_it_begins_the_heartbeats(config, monkeypatch):
    """The event of 03:30 is too late once the silence before 4 May counts; days behind the last are left out."""
    last = date(2024, 5, 7)
    monkeypatch.setitem(registry.streams(), BUOYS.name, replace(BUOYS, idle_after=IDLE_AFTER, last_day=last))
    query = Query("quiet", "buoys", ("buoy",), tumbling(HOUR), {"total": agg("sum", "wave_height_m")}, timedelta(0),
                  timedelta(days=3), "watermark")  # fmt: skip
    land(config, {"buoys/s1.jsonl": (("A", "4T03:00", "4T12:00", 1), ("A", "7T06:00", "7T06:00", 2),
                                     ("A", "4T03:30", "7T02:00", 5))})  # fmt: skip
    published(config, query, date(2024, 5, 3), date(2024, 5, 9))
    before = {repr(row) for row in Lake(config).read(query.name).to_pylist()}
    land(config, {"buoys/s0.jsonl": (("B", "2T10:00", "2T10:00", 9),)})
    of_days = {run.day for run in stale(Lake(config))}
    published(config, query, date(2024, 5, 4), last)
    changed = {row["emitted_date"] for row in Lake(config).read(query.name).to_pylist() if repr(row) not in before}
    assert last in changed <= of_days


def land(config, files: dict) -> None:
    landing.write(config.landing, {path: "".join(LINE.format(*each) for each in of) for path, of in files.items()})
    ingest(config, "buoys")
