"""A small lake of known rows, and `windrow` as a user starts it."""

import json
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest

from pipelines.cli import _app as command_line
from pipelines.config import Config
from pipelines.lake.arrow_schemas import arrow_schema
from pipelines.lake.lake import Lake
from schemas import registry, tables
from schemas.stream import Column

REPOSITORY = Path(__file__).resolve().parents[2]
WINDROW = REPOSITORY / ".venv" / "bin" / "windrow"
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


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    error: str

    @property
    def json(self):
        return json.loads(self.out)


def _ended(capsys: pytest.CaptureFixture, *words: str) -> Ended:
    """In this process: one of its own imports for seconds."""
    return Ended(command_line.run(list(words)), *capsys.readouterr())


@pytest.fixture
def run(monkeypatch, capsys):
    """Run `windrow` with these words over an installation."""

    def over(config: Config, *words: str) -> Ended:
        monkeypatch.setenv("WINDROW_HOME", str(config.home))
        monkeypatch.setenv("WINDROW_LANDING", str(config.landing))
        return _ended(capsys, *words)

    return over


@pytest.fixture
def windrow(tmp_path, monkeypatch, capsys):
    """Run `windrow` against a small lake of the test's own, or the home that the test names."""
    home = tmp_path / "home"
    write_days(Config(home, home / "landing"), ROWS)
    monkeypatch.setenv("WINDROW_HOME", str(home))
    monkeypatch.delenv("WINDROW_LANDING", raising=False)
    return partial(_ended, capsys)


def typed(*words: str, limit_s: float = 120, **environment: str) -> Ended:
    """Run `windrow` as a process of its own, with nothing but this environment."""
    done = subprocess.run([WINDROW, *words], env=environment, capture_output=True, text=True, timeout=limit_s)
    return Ended(done.returncode, done.stdout, done.stderr)
