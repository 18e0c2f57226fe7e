"""A few made-up days of trips in the daily layout: small enough for the oracle, late enough to matter."""

import random
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

HEADER = "start_ts,duration,start_station,end_station,subscriber,birth_year"
NEW_YORK = ZoneInfo("America/New_York")
FIRST_DAY, LAST_DAY = date(2018, 6, 1), date(2018, 6, 4)
DURATIONS_S = (60, 61, 300, 300, 900, 3_700, 7_300, 40_000, 100_000)


def trips(seed: int = 3, stations: int = 3, per_day: int = 40) -> dict[str, str]:
    """Text of each landing file by its path: a file per local day, rows nearly in order of start."""
    return {
        f"bikes/generated-nyc/trips-{day}.csv": _day(day, random.Random(f"{seed} {day}"), stations, per_day)
        for day in _days()
    }


def late_file(seed: int = 4) -> dict[str, str]:
    """One more file with trips that start and end on the second day."""
    day = FIRST_DAY + timedelta(days=1)
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    chance = random.Random(seed)
    draws = [(chance.randrange(6 * 3_600), 1 + chance.randrange(3)) for _ in range(5)]
    rows = [_line(noon + timedelta(seconds=second), 300, station) for second, station in draws]
    return {f"bikes/generated-nyc/trips-{day}-late.csv": "\n".join([HEADER, *rows]) + "\n"}


def moved_away(files: dict[str, str]) -> dict[str, str]:
    """New content for the same paths: one trip each, weeks later."""
    start = datetime(2018, 7, 1, 12, tzinfo=UTC)
    return {
        path: f"{HEADER}\n{_line(start + timedelta(minutes=number), 300, 1)}\n" for number, path in enumerate(files)
    }


def of_days(days: int, last: date, lines: Callable[[date], Iterable[str]]) -> dict[str, str]:
    """A file for each day up to the last, with these lines of trips."""
    every = (last - timedelta(days=number) for number in range(days))
    return {f"bikes/generated-nyc/trips-{day}.csv": "\n".join([HEADER, *lines(day)]) + "\n" for day in every}


def write(landing: Path, files: dict[str, str]) -> None:
    """Put the files into the landing folder."""
    for path, text in files.items():
        (landing / path).parent.mkdir(parents=True, exist_ok=True)
        (landing / path).write_text(text)


def _days() -> list[date]:
    return [FIRST_DAY + timedelta(days=n) for n in range((LAST_DAY - FIRST_DAY).days + 1)]


def _day(day: date, chance: random.Random, stations: int, per_day: int) -> str:
    midnight = datetime(day.year, day.month, day.day, tzinfo=NEW_YORK).astimezone(UTC)
    starts = sorted(midnight + timedelta(seconds=chance.randrange(86_400)) for _ in range(per_day))
    lines = [_line(start, chance.choice(DURATIONS_S), 1 + chance.randrange(stations)) for start in starts]
    return "\n".join([HEADER, *lines]) + "\n"


def _line(start: datetime, duration_s: int, station: int) -> str:
    return f"{start.astimezone(NEW_YORK):%Y-%m-%d %H:%M:%S},{duration_s},{station},{station},1,1980"


def events(files: dict[str, str]) -> list[dict]:
    """The trips of the files for the oracle, read without the pipeline, in the order of arrival; equal lines are one,
    and lines that the generator of samples spoilt are none."""
    found = {}
    for path in sorted(files):
        for line, text in enumerate(files[path].splitlines()[1:], start=2):
            found.setdefault(text, (path, line, text))
    rows = [row for each in found.values() if (row := _event(*each))]
    rows.sort(key=lambda row: (row["arrival"], row["path"], row["line"]))
    return [{**row, "seq": seq} for seq, row in enumerate(rows)]


def _event(path: str, line: int, text: str) -> dict | None:
    fields = text.split(",")
    if len(fields) != len(HEADER.split(",")):
        return None
    started, duration_s, station, *_ = fields
    try:
        start = datetime.strptime(started, "%Y-%m-%d %H:%M:%S").replace(tzinfo=NEW_YORK).astimezone(UTC)
    except ValueError:
        return None
    end = start + timedelta(seconds=int(duration_s))
    of_trip = {"start_station_id": int(station), "trip_duration_s": int(duration_s)}
    return {"start": start, "end": end, "arrival": end, **of_trip, "path": path, "line": line, "reading": 0}


def arrival_days(files: dict[str, str]) -> set[date]:
    """The days on which the trips of the files became known."""
    return {row["arrival"].date() for row in events(files)}
