"""One day of 10 and of 50 million events, by both engines: `make bench-scale`. It writes docs/benchmarks/scale.md.

    python -m benchmarks.scale [--antennas 2000 10000] [--home var/scale]

Silver is generated (generated_sessions.py). Measured is, each in a fresh process and over a fresh copy of the lake, the
gate's check of the day's silver, which the first query of a day pays for, and then the command that a task of the DAG
runs: `windrow replay cdr_active`, with gate and publication. Processor seconds and peak memory are of each process
(process_tree.py). The rows that both engines published are compared.
"""

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.generated_sessions import DAY, Day, build
from benchmarks.process_tree import watched
from benchmarks.scale_page import CHECK, MOST_MIB, PAGE, QUERY_RUN, MeasuredCommand, growth, page
from tests.support import processes
from tests.support.digests import digests
from windrow.pipelines import config as configuration
from windrow.pipelines.config import ENGINES, REPOSITORY, Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines import engine_of
from windrow.pipelines.gate.gate import Gate, failure
from windrow.pipelines.ledger import run_table, snapshots
from windrow.pipelines.ledger.entry import Run
from windrow.pipelines.tables.arrival_days import ArrivalDays
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas.queries.cdr_active import QUERY
from windrow.schemas.streams.cdr import STREAM

HOME = REPOSITORY / "var" / "scale"
ANTENNAS = (2_000, 10_000)
COMMANDS = {
    CHECK: ("-m", "benchmarks.scale", "--check-silver"),
    QUERY_RUN: ("-m", "windrow.pipelines", "replay", QUERY.name, "--day", str(DAY), "--run-id", "scale"),
}
TABLES = QueryTables.of(QUERY)


def run(home: Path, days: Sequence[Day]) -> list[MeasuredCommand]:
    """Each day by each engine. AssertionError where their rows differ."""
    found = []
    for day in days:
        shutil.rmtree(home, ignore_errors=True)
        made = Config(home / "made", home / "landing")
        build(made, day)
        found += of_day(made, day)
    shutil.rmtree(home)
    return found


def of_day(made: Config, day: Day) -> list[MeasuredCommand]:
    """Both engines check silver; then both run the query where Spark has checked it."""
    unchecked = {engine: copied(made, f"{engine}-checks") for engine in ENGINES}
    checks = [measured(CHECK, engine, day, config) for engine, config in unchecked.items()]
    queries = [measured(QUERY_RUN, engine, day, copied(unchecked["spark"], engine)) for engine in ENGINES]
    ended = [each for each in queries if not each.watched.stopped]
    assert ended and all(each.rows[QUERY.name] for each in ended), "nothing was published"
    assert all(each.digests == ended[0].digests for each in ended), [each.digests for each in ended]
    return [*checks, *queries]


def copied(made: Config, name: str) -> Config:
    """A lake with the same files, of which none ever changes."""
    config = Config(made.home.parent / name, made.landing)
    shutil.copytree(made.home, config.home, copy_function=os.link)
    return config


def measured(work: str, engine: str, day: Day, config: Config) -> MeasuredCommand:
    """One command in a fresh process."""
    environment = processes.environment(config) | {"WINDROW_ENGINE": engine}
    found = watched([sys.executable, *COMMANDS[work]], environment, MOST_MIB)
    published = work == QUERY_RUN and not found.stopped
    left = digests(config, [TABLES.results.name, TABLES.late.name]) if published else {}
    rows = {name: sum(count for _, count, *_ in groups) for name, groups in left.items()}
    made = MeasuredCommand(work, engine, day, found, _stages(config), rows, left)
    print(
        made.of, f"{found.wall_s:.0f} s, {found.processor_s:.0f} processor s, {found.together_mib:.0f} MiB", flush=True
    )
    return made


def _stages(config: Config) -> dict[str, float]:
    """Seconds of a query's stages, as the ledger has them."""
    return {row.stage: row.seconds for row in run_table.rows(Lake(config), stages=True) if row.query and row.stage}


def check_silver(config: Config) -> None:
    """As the first query of a day does it."""
    lake, tables = Lake(config), StreamTables.of(STREAM)
    snapshot, days = snapshots.newest(lake, STREAM.name), ArrivalDays.read(lake, tables.partitions.name)
    run = Run("check", STREAM.name)
    [verdicts] = Gate(lake, engine_of(config)).record_silver(run, tables, snapshot, days, [DAY]).values()
    if failed := failure(verdicts):
        raise failed


def main(arguments: list[str] | None = None) -> None:
    """Measure, print and write the page; exit code 1 where a query costs more than it may."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--antennas", type=int, nargs="+", default=ANTENNAS, help="of the days, the smallest first")
    parser.add_argument("--home", type=Path, default=HOME, help="a folder that may be emptied")
    parser.add_argument("--check-silver", action="store_true", help="only that, of the lake in WINDROW_HOME")
    chosen = parser.parse_args(arguments)
    if chosen.check_silver:
        check_silver(configuration.load())
        return
    found = run(chosen.home, [Day(antennas) for antennas in chosen.antennas])
    text = page(found)
    PAGE.write_text(text)
    print(text)
    sys.exit("a query costs more than it may" if any(line["too much"] for line in growth(found)) else 0)


if __name__ == "__main__":
    main()
