"""What an ingest of one small new file costs as the lake grows: `make bench-ingest-growth`.

A lake of so many days, each with a landing file of its own, then one more file of one more day: seconds and processor
seconds of the ingest in this process, and where they went. The least of several is taken, each of another new file.
"""

import tempfile
import time
from collections import Counter
from datetime import date, timedelta
from pathlib import Path

from benchmarks.pages import table
from tests.support import trips
from tests.support.lakes import ingest
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake

DAYS = (10, 100, 1_000)
FIRST_DAY = date(2014, 1, 1)
LINES_A_DAY = 20
REPEATS = 5


def land(config: Config, number: int) -> None:
    """The landing file of one day."""
    day = FIRST_DAY + timedelta(days=number)
    lines = [trips.trip(f"{day} 08:{minute:02}:00", 60 + number, station=minute) for minute in range(LINES_A_DAY)]
    trips.write(config, f"{day}", [*lines, "no trip"])


def build(place: Path, days: int) -> Config:
    """A lake that grew day by day, as far as that shows: the last of its days came alone."""
    config = Config(place / "home", place / "landing")
    for number in range(days):
        land(config, number)
    ingest(config, "bikes")
    return config


def measure(config: Config, days: int) -> dict[str, float]:
    """Seconds, processor seconds, and seconds by stage of the ingest of one new file."""
    began_s, cpu_began_s = time.monotonic(), time.process_time()
    stages: Counter[str] = Counter()
    at: list[tuple[str, float]] = []

    def note(text: str) -> None:
        now_s = time.monotonic()
        if at:
            stages[at[-1][0]] += now_s - at[-1][1]
        at.append((text.split(":")[0], now_s))

    land(config, days)
    ingest(config, "bikes", note)
    note("end")
    return {"seconds": time.monotonic() - began_s, "processor": time.process_time() - cpu_began_s, **stages}


def main() -> None:
    """Print a table."""
    rows = []
    for days in DAYS:
        with tempfile.TemporaryDirectory() as place:
            config = build(Path(place), days)
            found = [measure(config, days + repeat) for repeat in range(REPEATS)]
            least = {name: min(each.get(name, 0.0) for each in found) for name in found[0]}
            files = len(Lake(config).files("silver_bikes"))
            rows.append({"days": days, "files of silver": files, **{name: f"{s:.2f}" for name, s in least.items()}})
    print(table(rows))


if __name__ == "__main__":
    main()
