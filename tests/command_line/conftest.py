"""A small lake of known rows, and `windrow` over it."""

from datetime import UTC, datetime

import pyarrow as pa
import pytest

from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.rows.arrays import arrow_schema
from windrow.schemas import registry, tables
from windrow.schemas.stream import Column

QUERY = registry.query("bikes_demand")
AGGREGATES = (
    Column("trips", "int64", "trips"),
    Column("mean_trip_duration_s", "float64", "mean", "s"),
    Column("longest_trip_duration_s", "int64", "longest", "s"),
)
TABLE = tables.window_table(QUERY, registry.stream("bikes"), AGGREGATES)


def at(day: int, hour: int = 0) -> datetime:
    return datetime(2018, 10, day, hour, tzinfo=UTC)


def revision(station: int, number: int, emitted: datetime, events: int) -> dict:
    """A revision of the window of 2018-10-01 of one station; the events also distinguish the revisions."""
    return {
        "start_station_id": station,
        "window_start": at(1),
        "window_end": at(2),
        "revision": number,
        "pane": "late" if number else "on_time",
        "emitted_at": emitted,
        "events": events,
        "late_events": number,
        "trips": events,
        "mean_trip_duration_s": 60.5,
        "longest_trip_duration_s": 600,
        "emitted_date": emitted.date(),
    }


# Station 7 is revised on three days, station 8 never, twice within its day.
ROWS = [
    revision(7, 0, at(2, 1), 10), revision(7, 1, at(3, 5), 11), revision(7, 2, at(4, 5), 12),
    revision(8, 0, at(2, 1), 20), revision(8, 1, at(2, 23), 21),
]  # fmt: skip


def write_days(config: Config, rows: list[dict]) -> None:
    """Write rows as daily runs would: one commit per day."""
    Lake(config).ensure(TABLE)
    for day in sorted({row["emitted_date"] for row in rows}):
        of_day = pa.Table.from_pylist([row for row in rows if row["emitted_date"] == day], arrow_schema(TABLE))
        Lake(config).replace(TABLE, {"emitted_date": [day]}, of_day)


@pytest.fixture(scope="session")
def small_lake(tmp_path_factory) -> Config:
    """Only ever read."""
    home = tmp_path_factory.mktemp("home")
    config = Config(home, home / "landing")
    write_days(config, ROWS)
    return config


@pytest.fixture
def windrow(tmp_path, monkeypatch, here):
    """Run `windrow` against a small lake of the test's own, or the home that the test names."""
    home = tmp_path / "home"
    write_days(Config(home, home / "landing"), ROWS)
    monkeypatch.setenv("WINDROW_HOME", str(home))
    monkeypatch.delenv("WINDROW_LANDING", raising=False)
    return here
