"""Generated landing files, and their trips read without the pipeline, for the oracle."""

import gzip
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from samples import bikes
from tests.support.replay import landing

NEW_YORK = ZoneInfo("America/New_York")
COLUMNS = 6


def land(folder: Path, days: int, last_day: date, trips_per_day: int) -> None:
    """The daily layout, with its dirt; the monthly one goes: its clock rule is not read in a line."""
    for path in bikes.write(folder, days, last_day, trips_per_day=trips_per_day):
        if "trips-" not in path.name:
            path.unlink()


def land_late(folder: Path, day: date) -> None:
    """A file with one more trip, at noon of a day."""
    path = folder / f"bikes/generated-nyc/trips-{day}-late.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{landing.HEADER}\n{day} 12:00:00,300,1,1,1,1980\n")


def trips(folder: Path) -> list[dict]:
    """As the oracle takes them: unreadable lines left out, equal lines one trip, in the order of arrival."""
    found = {}
    for path in sorted(folder.rglob("trips-*.csv.gz")):
        for number, line in enumerate(gzip.decompress(path.read_bytes()).decode().splitlines()[1:], start=2):
            if line not in found and (trip := read(line)):
                found[line] = {**trip, "place": (str(path), number)}
    ordered = sorted(found.values(), key=lambda trip: (trip["arrival"], trip["place"]))
    return [{**trip, "seq": seq} for seq, trip in enumerate(ordered)]


def read(line: str) -> dict | None:
    """A trip of the daily layout; None for a line that the generator spoilt."""
    fields = line.split(",")
    if len(fields) != COLUMNS:
        return None
    try:
        start = datetime.strptime(fields[0], "%Y-%m-%d %H:%M:%S").replace(tzinfo=NEW_YORK).astimezone(UTC)
    except ValueError:
        return None
    end = start + timedelta(seconds=int(fields[1]))
    return {"start": start, "end": end, "arrival": end, "start_station_id": int(fields[2]),
            "trip_duration_s": int(fields[1])}  # fmt: skip
