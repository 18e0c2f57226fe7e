"""What a backfill of a month costs with 20 windows in one query, next to one window: `make bench-windows`.

    python -m benchmarks.several_windows [--days 30] [--trips 4000] [--rounds 3] [--home var/several_windows]
                                         [--into docs/benchmarks]

It writes windows.md. The queries are files of a project that it makes in its home. Each command runs in a fresh process
over a fresh copy of a lake that is ingested and not replayed (backfill_lakes.py); costs are processor seconds of all of
its processes. What the query of 20 windows publishes is compared with what 20 queries of one window publish.
"""

import argparse
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.backfill_lakes import LAST_DAY, IngestedLake, backfill_words, costs, ingested
from benchmarks.pages import FOLDER, Figure, claim, write
from windrow.pipelines import compiled
from windrow.pipelines.config import REPOSITORY, Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.sql import statements
from windrow.schemas.project import FILE, VARIABLE

HOME = REPOSITORY / "var" / "several_windows"
MOST_OF_ONE = 4.0
TUMBLING = (5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, 1440, 2880)
"""Minutes."""
SLIDING = ((60, 15), (180, 30), (360, 60), (720, 60), (1440, 60), (10080, 1440))
"""Minutes of the size, and of the slide."""
WINDOWS = {
    **{f"every_{size}": f"tumbling(timedelta(minutes={size}))" for size in TUMBLING},
    **{f"last_{size}": f"sliding(timedelta(minutes={size}), timedelta(minutes={slide}))" for size, slide in SLIDING},
}
"""By name, as a query's file has them."""
ONE, DEAREST, SEVERAL = "every_60", "last_1440", f"{len(WINDOWS)}_windows"
FILE_OF_A_QUERY = '''"""Windows of a benchmark."""

from datetime import timedelta

from windrow.schemas.query import Query, agg, sliding, tumbling

QUERY = Query(
    name="{name}",
    stream="bikes",
    key=("start_station_id",),
    {windows},
    aggregates={{
        "trips": agg("count"),
        "mean_trip_duration_s": agg("mean", "trip_duration_s"),
        "longest_trip_duration_s": agg("max", "trip_duration_s"),
    }},
    lateness=timedelta(hours=1),
    allowed_lateness=timedelta(days=1),
)
'''


def alone(name: str) -> str:
    """The query of that window."""
    return f"bikes_{name}"


def write_project(folder: Path) -> None:
    """The query of all windows, and one of each."""
    (folder / "queries").mkdir(parents=True)
    (folder / FILE).write_text(f'definitions = ["{REPOSITORY / "examples"}", "."]\n')
    listed = ", ".join(f'"{name}": {window}' for name, window in WINDOWS.items())
    windows = {alone(SEVERAL): f"windows={{{listed}}}"}
    windows |= {alone(name): f"window={window}" for name, window in WINDOWS.items()}
    for query, written in windows.items():
        text = FILE_OF_A_QUERY.format(name=query, windows=written)
        (folder / "queries" / f"{query}.py").write_text(text)


def measured(lake: IngestedLake, rounds: int) -> Figure:
    """The costs of each way, and whether the rows are the same."""
    every = f"{len(WINDOWS)} queries in one batch"
    asked = {SEVERAL: [SEVERAL], ONE: [ONE], DEAREST: [DEAREST], every: [*WINDOWS]}
    commands = {way: backfill_words([*map(alone, names)], lake.first_day, LAST_DAY) for way, names in asked.items()}
    found = costs(lake, commands, rounds)
    rows = same_rows(lake.copy(SEVERAL), lake.copy(every))
    ratio = found[SEVERAL].processor_s / found[ONE].processor_s
    of_dearest = found[SEVERAL].processor_s / found[DEAREST].processor_s
    lines = [
        {"way": way, "processor, s": f"{spent.processor_s:.2f}", "wall, s": f"{spent.wall_s:.2f}",
         f"times {ONE}": f"{spent.processor_s / found[ONE].processor_s:.2f}"}
        for way, spent in found.items()
    ]  # fmt: skip
    says = (
        f"{len(WINDOWS)} windows take {ratio:.2f} times the processor seconds of one, tumbling hours; at most "
        f"{MOST_OF_ONE} are asked. Next to the dearest, a day that slides by an hour, it is {of_dearest:.2f} times."
    )
    verdicts = [
        claim(ratio <= MOST_OF_ONE, says),
        f"The {rows:,} rows and late rows are those that {len(WINDOWS)} queries of one window each publish.",
    ]
    shapes = (
        f"{len(TUMBLING)} tumbling windows of 5 minutes to 2 days, {len(SLIDING)} sliding ones of an hour to a week"
    )
    return Figure(
        f"{len(WINDOWS)} windows in one query",
        f"{lake.described()}; the local engine, from silver to published rows, with the gate and the ledger. {shapes}, "
        "all of one key and with three aggregates.",
        lines,
        verdicts,
    )


def same_rows(several: Config, each: Config) -> int:
    """How many rows the windows have in both lakes; AssertionError where they are others."""
    total = 0
    for kind in ("", "_late"):
        for name in WINDOWS:
            of_window = f"SELECT * EXCLUDE (window_name) FROM {alone(SEVERAL)}{kind} WHERE window_name = '{name}'"
            one, other = _digest(several, of_window), _digest(each, f"FROM {alone(name)}{kind}")
            assert one == other, (name, kind, one, other)
            total += one[0]
    return total


def _digest(config: Config, rows: str) -> tuple[int, ...]:
    [found] = statements.run(Lake(config), f"SELECT count(*), coalesce(sum(hash(r)), 0) FROM ({rows}) r").to_pylist()
    return tuple(map(int, found.values()))


def main(arguments: list[str] | None = None) -> Path:
    """Measure, print and write the page, whose path it returns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=30, help="of a backfill")
    parser.add_argument("--trips", type=int, default=4_000, help="a day")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--home", type=Path, default=HOME, help="a folder that is emptied")
    parser.add_argument("--into", type=Path, default=FOLDER, help="the page's folder")
    chosen = parser.parse_args(arguments)
    compiled.ensure()
    shutil.rmtree(chosen.home, ignore_errors=True)
    home = chosen.home.resolve()
    write_project(home / "project")
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = str(home / "project")  # of the commands; this process has read its definitions
    try:
        figure = measured(ingested(home, chosen.days, chosen.trips), chosen.rounds)
    finally:
        os.environ.pop(VARIABLE) if before is None else os.environ.update({VARIABLE: before})
    options = f"--days {chosen.days} --trips {chosen.trips} --rounds {chosen.rounds}"
    head = (
        "# Several windows in one query\n"
        "Each command runs in a fresh process over a fresh copy of a lake of generated bike trips that is ingested and "
        "not replayed. Costs are processor seconds of all of its processes, user and system, starts included; the "
        f"least of {chosen.rounds}, the commands taking turns. On {datetime.now(UTC):%Y-%m-%d}, with "
        f"{os.getloadavg()[2]:.1f} processes that run or wait, on average of the last quarter of an hour. Made by "
        f"`python -m benchmarks.several_windows {options}`."
    )
    page = write(chosen.into, "windows", head, [figure])
    print(page.read_text())
    shutil.rmtree(chosen.home)
    return page


if __name__ == "__main__":
    main()
