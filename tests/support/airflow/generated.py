"""Generated landing files, and their trips read without the pipeline, for the oracle."""

import gzip
from datetime import date
from pathlib import Path

from tests.support.replay import landing
from windrow.samples import bikes


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
    """As the oracle takes them."""
    packed = sorted(folder.rglob("trips-*.csv.gz"))
    return landing.events({str(path): gzip.decompress(path.read_bytes()).decode() for path in packed})
