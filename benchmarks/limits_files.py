"""Landing files that come at once: what an ingest of each costs when there are ten times as many."""

import sys
from datetime import date
from pathlib import Path

from benchmarks.pages import Figure, claim
from benchmarks.process_tree import Watched, watched
from tests.support import processes, trips
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake

LINES_A_FILE, DAY, MOST_GROWTH = 20, date(2018, 11, 4), 1.15


def figure(home: Path, counts: tuple[int, int]) -> Figure:
    """counts: numbers of files, the smaller first."""
    seen = {count: _ingest(home / str(count), count) for count in counts}
    rows = [
        {
            "files": count, "wall, s": each.wall_s, "processor, s": each.processor_s,
            "processor, ms a file": each.processor_s / count * 1_000, "all at once, MiB": round(each.together_mib),
        }
        for count, each in seen.items()
    ]  # fmt: skip
    few, many = counts
    cost, most = seen[many].processor_s / seen[few].processor_s, MOST_GROWTH * many / few
    says = (
        f"{many / few:.0f} times the files cost {cost:.1f} times the processor seconds; at most {most:.1f} are asked."
    )
    measured = (
        f"`windrow ingest bikes` of files of {LINES_A_FILE} trips each, all of which are there when it begins; local "
        "engine."
    )
    return Figure("Many files at once", measured, rows, [claim(cost <= most, says)])


def _ingest(folder: Path, count: int) -> Watched:
    config = Config(folder / "home", folder / "landing")
    for number in range(count):
        at = f"{DAY} {number // 3_600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}"
        trips.write(
            config,
            f"{number:06}",
            [trips.trip(at, 60 + n, station=number * LINES_A_FILE + n) for n in range(LINES_A_FILE)],
        )
    environment = processes.environment(config) | {"WINDROW_ENGINE": "local"}
    seen = watched([sys.executable, "-m", "windrow.pipelines", "ingest", "bikes"], environment)
    events = Lake(config).dataset("silver_bikes").count_rows()
    assert events == count * LINES_A_FILE, f"{events:,} events of {count:,} files"
    print(f"{count:,} files: {seen.processor_s:.1f} processor s", flush=True)
    return seen
