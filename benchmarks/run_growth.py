"""What a run of one small day costs as the lake grows: `make bench-growth`, or `python -m benchmarks.run_growth`.

Lakes with one landing file a day for 10, 100 and 1,000 days. Measured is the run of the last day in processes of their
own, as in Airflow: an ingest with nothing new, the audit step, the publish step; processor seconds of each process with
its children, the least of several in turn, so that what the machine does meanwhile hits all lakes alike.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

from benchmarks.pages import table
from tests.support.replay.landing import of_days, write
from windrow.pipelines.config import Config
from windrow.pipelines.runs.ingest_day import ingest_day

LAST_DAY = date(2023, 12, 28)
STEPS = {
    "ingest": ("ingest", "bikes"),
    "audit": ("replay", "bikes_demand", "--stage", "audit"),
    "publish": ("replay", "bikes_demand", "--stage", "publish"),
}
MOST = 1.3
"""By what the largest lake may cost more than the smallest (../shared/spec/engine.md, "What a run costs")."""


def build(folder: Path, days: int, trips_per_day: int) -> Config:
    """An ingested lake with a file for each day up to the last."""
    config = Config(folder / "home", folder / "landing")
    write(config.landing, of_days(days, LAST_DAY, lambda day: _lines(day, trips_per_day)))
    ingest_day(config, "bikes", None, None, lambda text: None)
    return config


def _lines(day: date, trips: int) -> Iterator[str]:
    for number in range(trips):
        minute = number * 1_000 // trips
        yield f"{day} {minute // 60:02}:{minute % 60:02}:{number % 60:02},{300 + number},{1 + number % 9},1,1,1980"


def seconds_of(config: Config, words: tuple[str, ...], run_id: str) -> float:
    """Processor seconds of one process of the run, its children included."""
    day = LAST_DAY - timedelta(days=1)
    environment = {**os.environ, "WINDROW_HOME": str(config.home), "WINDROW_LANDING": str(config.landing)}
    before = os.times()
    subprocess.run(
        [sys.executable, "-m", "windrow.pipelines", *words, "--day", str(day), "--run-id", run_id],
        env=environment,
        check=True,
        capture_output=True,
    )
    after = os.times()
    return (after.children_user + after.children_system) - (before.children_user + before.children_system)


def measured(lakes: dict[int, Config], rounds: int) -> dict[str, dict[int, float]]:
    """The least processor seconds of each step, by the lake's days; the lakes take turns."""
    least: dict[str, dict[int, float]] = {step: {} for step in STEPS}
    for number in range(rounds):
        for days, config in lakes.items():
            for step, words in STEPS.items():
                spent = seconds_of(config, words, f"run-{number}")
                least[step][days] = min(spent, least[step].get(days, spent))
    return least


def main(arguments: list[str]) -> list[dict]:
    """Print the figures as a table; returns its rows."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run_growth", description=__doc__)
    parser.add_argument("--days", type=int, nargs="+", default=[10, 100, 1_000])
    parser.add_argument("--trips", type=int, default=200, help="of each day")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        lakes = {days: build(Path(folder, str(days)), days, options.trips) for days in options.days}
        least = measured(lakes, options.rounds)
    first, last = options.days[0], options.days[-1]
    rows = [
        {
            "step, processor seconds": step,
            **{f"{days:,} days": f"{spent:.2f}" for days, spent in of_lake.items()},
            f"{last:,} / {first:,}": f"{of_lake[last] / of_lake[first]:.2f}",
        }
        for step, of_lake in least.items()
    ]
    print(table(rows))
    return rows


if __name__ == "__main__":
    main(sys.argv[1:])
