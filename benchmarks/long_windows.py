"""What a run of a day costs with windows much longer than a day: `make bench-long-windows`.

A lake with a landing file a day for 400 days. Each way is the whole `replay` of one day in a process of its own, which
checks silver, replays, asks the gate, publishes, and writes the ledger: processor seconds of the process with all that
it started, the least of some rounds, in which the ways take turns. Windows slide by a day.

    1 day                   what there is to do anyway
    365 days, from panes    those of the days before are there, those of the newest are made by the run
    365 days, from silver   all events of the look-back are read: the planner of panes is told that they don't pay
    365 days, first         no panes are there: all are made
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

from benchmarks.pages import claim, table
from tests.support.replay.landing import of_days, write
from windrow.pipelines.config import REPOSITORY, Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.runs.ingest_day import ingest_day
from windrow.schemas.side_tables import panes_name

LAST_DAY = date(2023, 12, 28)
STATIONS = 100
MOST = 1.5
"""By what a run of a year's windows may cost more than one of a day's."""
QUERY = """from datetime import timedelta

from windrow import Query, agg, sliding

DAY = timedelta(days=1)
QUERY = Query(
    name="{name}",
    stream="bikes",
    key=("start_station_id",),
    window=sliding({days} * DAY, DAY),
    aggregates={{
        "trips": agg("count"),
        "total_s": agg("sum", "trip_duration_s"),
        "mean_s": agg("mean", "trip_duration_s"),
        "longest_s": agg("max", "trip_duration_s"),
    }},
    lateness=timedelta(hours=2),
    allowed_lateness=timedelta(hours=12),
)
"""
WITHOUT_PANES = "from windrow.pipelines.replay import pane_plan; pane_plan.LEAST_BYTES = 1 << 62; "
COMMAND = "import sys; from windrow.pipelines.__main__ import main; sys.exit(main())"
WAYS = {
    "1 day": ("one_day", ""),
    "365 days, from panes": ("one_year", ""),
    "365 days, from silver": ("one_year", WITHOUT_PANES),
    "365 days, first": ("one_year", ""),
}


def build(folder: Path, days: int, trips: int) -> Config:
    """An ingested lake, and a project with the two queries."""
    config = Config(folder / "home", folder / "landing", asked_engine="local")
    queries = folder / "project" / "queries"
    queries.mkdir(parents=True)
    for name, length in (("one_day", 1), ("one_year", 365)):
        (queries / f"{name}.py").write_text(QUERY.format(name=name, days=length))
    (folder / "project" / "windrow.toml").write_text(f'definitions = [".", "{REPOSITORY}/examples"]\n')
    write(config.landing, of_days(days, LAST_DAY, lambda day: _lines(day, trips)))
    ingest_day(config, "bikes", None, None, lambda text: None)
    return config


def _lines(day: date, trips: int) -> Iterator[str]:
    for number in range(trips):
        minute = number * 1_380 // trips
        started = f"{day} {minute // 60:02}:{minute % 60:02}:{number % 60:02}"
        yield f"{started},{300 + number % 3_000},{1 + number % STATIONS},1,1,1980"


def seconds_of(config: Config, way: str, day: date) -> float:
    """Processor seconds of a run of that day."""
    query, before = WAYS[way]
    places = {"WINDROW_HOME": config.home, "WINDROW_LANDING": config.landing, "WINDROW_ENGINE": "local"}
    places["WINDROW_PROJECT"] = config.home.parent / "project"
    environment = os.environ | {name: str(value) for name, value in places.items()}
    words = [sys.executable, "-c", before + COMMAND, "replay", query, "--day", str(day)]
    started = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, env=environment, check=True, capture_output=True)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime - started.ru_utime - started.ru_stime


def measured(config: Config, rounds: int) -> dict[str, float]:
    """The least processor seconds of each way, each round of another day: the run makes the newest panes that it
    reads."""
    least: dict[str, float] = {}
    panes = Lake(config).folder(panes_name("one_year"))
    for number in range(rounds + 1):
        day = LAST_DAY - timedelta(days=rounds - number)
        for way in WAYS:
            if way == "365 days, first":
                shutil.rmtree(panes, ignore_errors=True)
            spent = seconds_of(config, way, day)
            print(f"{day}, {way}: {spent:.2f} processor s", flush=True)
            if number:  # before the first round there were no panes
                least[way] = min(spent, least.get(way, spent))
    return least


def main(arguments: list[str]) -> list[dict]:
    """Print the figures as a table; returns its rows."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.long_windows", description=__doc__)
    parser.add_argument("--days", type=int, default=400)
    parser.add_argument("--trips", type=int, default=5_000, help="of each day")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--home", type=Path, help="a folder with what an earlier call built, or for it")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as made:
        folder = options.home or Path(made)
        config = Config(folder / "home", folder / "landing", asked_engine="local")
        if not config.home.exists():
            build(folder, options.days, options.trips)
        least = measured(config, options.rounds)
    anyway = least["1 day"]
    rows = [
        {"way": way, "processor s": f"{spent:.2f}", "÷ 1 day": f"{spent / anyway:.2f}"} for way, spent in least.items()
    ]
    print(table(rows))
    times = least["365 days, from panes"] / anyway
    print(claim(times <= MOST, f"with panes a year's window costs {times:.2f} times a day's, at most {MOST}"))
    return rows


if __name__ == "__main__":
    main(sys.argv[1:])
