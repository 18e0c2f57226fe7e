"""How many events an ingest says are in open windows: those whose windows, listed one by one, end behind the
watermark."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from tests.support.lakes import DAYS, tables_of
from tests.support.oracle.windows import windows_around, windows_met
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.gate.recount.plain.ticks import to_us
from windrow.pipelines.runs import ingest_day
from windrow.schemas import registry
from windrow.schemas.query import Query, agg, month, rolling, sliding, spanning, tumbling

HOUR = timedelta(hours=1)
WINDOWS = {
    "tumbling": tumbling(HOUR),
    "sliding": sliding(6 * HOUR, HOUR / 4),
    "gaps": sliding(HOUR, 5 * HOUR),
    "local_days": tumbling(24 * HOUR, zone="America/New_York"),
    "days_from_six": tumbling(24 * HOUR, datetime(2024, 1, 1, 6), zone="America/New_York"),
    "months": month(zone="America/New_York"),
    "local_parts": sliding(8 * HOUR, 4 * HOUR, zone="America/New_York"),
    "spanning": spanning(6 * HOUR, 2 * HOUR),
    "rolling": rolling(HOUR),
}


def asked(name: str) -> Query:
    return Query(name, "bikes", key=("start_station_id",), window=WINDOWS[name], aggregates={"trips": agg("count")},
                 lateness=10 * HOUR, allowed_lateness=HOUR)  # fmt: skip


@pytest.fixture
def queries(monkeypatch) -> dict[str, Query]:
    made = {name: asked(name) for name in WINDOWS}
    of_both = {name: WINDOWS[name] for name in ("tumbling", "sliding")}
    made["several"] = replace(made["sliding"], name="several", window=None, windows=of_both)
    monkeypatch.setattr(registry, "queries_of", lambda stream: list(made.values()))
    return made


def last_end_us(row: dict, query: Query) -> int:
    """When the last window ends that an event is in."""
    if query.windows:
        return max(last_end_us(row, part) for part in query.parts.values())
    start_us, end_us, window = to_us(row["start"]), to_us(row["end"]), query.window
    if query.name == "rolling":
        return start_us
    met = windows_met(start_us, end_us, window) if query.name == "spanning" else windows_around(start_us, window)
    return max((end for _, end in met), default=0)


def test_they_are_the_events_whose_last_window_the_watermark_has_not_reached(first_ingested, queries):
    rows = Lake(first_ingested).read("silver_bikes", columns=["start", "end"]).to_pylist()
    watermark_us = max(to_us(row["start"]) for row in rows) - to_us(10 * HOUR)
    counted = ingest_day.events_in_open_windows(Lake(first_ingested), tables_of("bikes"))
    expected = {name: sum(last_end_us(row, query) > watermark_us for row in rows) for name, query in queries.items()}
    in_gaps = {"gaps"}  # an event between two windows is counted with the later one
    assert {name: counted[name] for name in counted if name not in in_gaps} == {
        name: expected[name] for name in expected if name not in in_gaps
    }
    assert counted["gaps"] >= expected["gaps"]
    assert 0 < min(counted.values()) < len(rows)


def test_a_stream_whose_last_day_has_come_has_none(first_ingested, queries):
    tables = tables_of("bikes")._replace(stream=replace(registry.stream("bikes"), last_day=DAYS[-1]))
    assert set(ingest_day.events_in_open_windows(Lake(first_ingested), tables).values()) == {0}


def test_a_file_that_can_t_be_read_is_reported_and_no_error(ingested):
    for file in (ingested.lake / "silver_bikes").rglob("*.parquet"):
        file.write_bytes(b"no Parquet")
    (sentence,) = ingest_day.open_windows(ingested, "bikes")
    assert sentence.startswith("events in open windows could not be counted: ")
