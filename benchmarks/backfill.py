"""What a backfill of a month costs next to DuckDB and Spark, a year's, and one of many queries: `make bench-backfill`.

    python -m benchmarks.backfill [--parts duckdb spark growth batch] [--days 30] [--most-days 365] [--trips 4000]
                                  [--spark-trips 4000 60000] [--rounds 3] [--home var/backfill] [--into docs/benchmarks]

It writes backfill.md. Each command runs in a fresh process over a fresh copy of a lake that is ingested and not
replayed (backfill_lakes.py); costs are processor seconds of all of its processes. The final rows that Windrow has
published are compared with the other ways' rows (backfill_rows.py). The page has only the parts that were asked for.
"""

import argparse
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from benchmarks import backfill_by_duckdb
from benchmarks.backfill_lakes import LAST_DAY, IngestedLake, Words, backfill_words, costs, ingested
from benchmarks.backfill_rows import RowsCompared, compared
from benchmarks.pages import FOLDER, Figure, claim, write
from benchmarks.processor import Spent
from windrow.pipelines import compiled
from windrow.pipelines.config import REPOSITORY
from windrow.pipelines.flow import scheduled_queries
from windrow.schemas.queries.bikes_demand import QUERY
from windrow.schemas.streams.bikes import STREAM

HOME = REPOSITORY / "var" / "backfill"
MOST_OF_DUCKDB, MOST_OF_DEAREST = 1.5, 2.0
MOST_OF_SPARK = {0: 0.2, 60_000: 0.1}
"""By trips a day, from there on."""
MOST_GROWTH = 8 / (365 / 30)
"""Of the growth of events."""
OURS, BATCH = "windrow", "all in one batch"


class Sizes(NamedTuple):
    """Days of a backfill and of the longest, generated trips a day, and how often each command runs."""

    days: int = 30
    most_days: int = 365
    trips: int = 4_000
    spark_trips: Sequence[int] = (4_000, 60_000)
    rounds: int = 3

    def options(self) -> str:
        """As the command line has them."""
        given = self._asdict() | {"spark_trips": " ".join(map(str, self.spark_trips))}
        return " ".join(f"--{name.replace('_', '-')} {value}" for name, value in given.items())


TARGETED = Sizes()


class Peer(NamedTuple):
    """Another way to the final rows of `bikes_demand`, and the engine that it is measured against."""

    title: str
    engine: str
    name: str

    @property
    def module(self) -> str:
        """The program."""
        return f"benchmarks.backfill_by_{self.name}"

    @property
    def table(self) -> str:
        """What that writes."""
        return f"demand_by_{self.name}"


DUCKDB = Peer("DuckDB's one statement, its result written by delta-rs", "local", "duckdb")
SPARK = Peer("Spark's `window()`, its result written as Delta", "spark", "spark")


def next_to_duckdb(home: Path, sizes: Sizes) -> Iterator[Figure]:
    """The local engine."""
    figure = _next_to(DUCKDB, ingested(home, sizes.days, sizes.trips), sizes.rounds, MOST_OF_DUCKDB)
    figure.verdicts.append(f"DuckDB's statement:\n\n```sql\n{backfill_by_duckdb.STATEMENT}\n```")
    yield figure


def next_to_spark(home: Path, sizes: Sizes) -> Iterator[Figure]:
    """The Spark engine, at each size."""
    for trips in sizes.spark_trips:
        most = MOST_OF_SPARK[max(size for size in MOST_OF_SPARK if size <= trips)]
        yield _next_to(SPARK, ingested(home, sizes.days, trips), sizes.rounds, most)


def _next_to(peer: Peer, lake: IngestedLake, rounds: int, most: float) -> Figure:
    ours = backfill_words([QUERY.name], lake.first_day, LAST_DAY, peer.engine)
    commands = {OURS: ours, peer.name: ("-m", peer.module)}
    found = costs(lake, commands, rounds)
    ratio = found[OURS].processor_s / found[peer.name].processor_s
    rows = compared(lake.copy(OURS), lake.copy(peer.name), peer.table)
    assert rows.compared and not rows.differing, rows
    measured = (
        f"{lake.described()}. Windrow goes from silver to published rows, with every revision, late events, the gate "
        f"and the ledger. Next to it {peer.title}: final rows only."
    )
    says = f"Windrow takes {ratio:.2f} times the processor seconds of {peer.title}; at most {most} are asked."
    title = f"`{QUERY.name}` on the {peer.engine} engine, {lake.trips_per_day:,} trips a day"
    return Figure(title, measured, _lines(commands, found, peer.name), [claim(ratio <= most, says), _of(rows, peer)])


def _of(rows: RowsCompared, peer: Peer) -> str:
    return (
        f"{rows.compared:,} final rows are equal to those of {peer.name}, which has {rows.still_open:,} windows more: "
        f"the watermark has not passed them. {rows.missed:,} windows are not compared, as an event came too late for "
        "them: Windrow's answer leaves it out, and the late table has it. The other way doesn't say when an answer was "
        "known, what corrected it, and whether it was checked."
    )


def growth(home: Path, sizes: Sizes) -> Iterator[Figure]:
    """A month and a year of one lake, on the local engine."""
    lake = ingested(home, sizes.most_days, sizes.trips)
    last_days = {days: lake.first_day + timedelta(days=days - 1) for days in (sizes.days, sizes.most_days)}
    commands = {f"{days} days": backfill_words([QUERY.name], lake.first_day, last)
                for days, last in last_days.items()}  # fmt: skip
    found = costs(lake, commands, sizes.rounds)
    first, last = (found[way].processor_s for way in commands)
    events = sizes.most_days / sizes.days
    says = f"{last / first:.1f} times the processor seconds for {events:.1f} times the days; at most "
    most = MOST_GROWTH * events
    yield Figure(
        f"`{QUERY.name}` of {sizes.days} and of {sizes.most_days} days",
        f"{lake.described()}; the local engine.",
        _lines(commands, found, next(iter(commands))),
        [claim(last / first <= most, f"{says}{most:.1f} are asked.")],
    )


def batch(home: Path, sizes: Sizes) -> Iterator[Figure]:
    """Each context-free query of bikes alone, and all together, on the local engine."""
    lake = ingested(home, sizes.days, sizes.trips)
    names = [query.name for query in scheduled_queries(STREAM)]
    asked = {**{name: [name] for name in names}, BATCH: names}
    commands = {way: backfill_words(queries, lake.first_day, LAST_DAY) for way, queries in asked.items()}
    found = costs(lake, commands, sizes.rounds)
    dearest = max(names, key=lambda name: found[name].processor_s)
    ratio = found[BATCH].processor_s / found[dearest].processor_s
    says = f"All take {ratio:.2f} times the processor seconds of `{dearest}`, the dearest alone; at most "
    yield Figure(
        f"The {len(names)} context-free queries of {STREAM.name} in one batch",
        f"{lake.described()}; the local engine. {sum(found[name].processor_s for name in names):.1f} processor seconds "
        "one after the other.",
        _lines(commands, found, dearest),
        [claim(ratio <= MOST_OF_DEAREST, f"{says}{MOST_OF_DEAREST} are asked.")],
    )


def _lines(commands: Mapping[str, Words], found: Mapping[str, Spent], one: str) -> list[dict]:
    return [
        {"way": way, "processor, s": f"{found[way].processor_s:.2f}", "wall, s": f"{found[way].wall_s:.2f}",
         f"times {one}": f"{found[way].processor_s / found[one].processor_s:.2f}",
         "command": f"`python {' '.join(words)}`"}
        for way, words in commands.items()
    ]  # fmt: skip


PARTS = {"duckdb": next_to_duckdb, "spark": next_to_spark, "growth": growth, "batch": batch}


def head(sizes: Sizes) -> str:
    """The page's title, and what holds for all figures."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("duckdb", "deltalake", "pyspark", "delta-spark"))
    return (
        "# What a backfill costs\n"
        "Each command runs in a fresh process over a fresh copy of a lake of generated bike trips that is ingested and "
        "not replayed, named by `WINDROW_HOME` and `WINDROW_LANDING`. Costs are processor seconds of all of its "
        f"processes, user and system, starts included; the least of {sizes.rounds}, the commands taking turns. On "
        f"{datetime.now(UTC):%Y-%m-%d}, with {os.getloadavg()[2]:.1f} processes that run or wait, on average of the "
        f"last quarter of an hour. {versions}. Made by `python -m benchmarks.backfill {sizes.options()}`"
        f"{'' if sizes == TARGETED else f'; what is asked is asked of `{TARGETED.options()}`'}."
    )


def main(arguments: list[str] | None = None) -> Path:
    """Measure, print and write the page, whose path it returns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--days", type=int, default=TARGETED.days, help="of a backfill")
    parser.add_argument("--most-days", type=int, default=TARGETED.most_days, help="of the longest")
    parser.add_argument("--trips", type=int, default=TARGETED.trips, help="a day, on the local engine")
    parser.add_argument("--spark-trips", type=int, nargs="+", default=TARGETED.spark_trips, help="a day, on Spark")
    parser.add_argument("--rounds", type=int, default=TARGETED.rounds)
    parser.add_argument("--home", type=Path, default=HOME, help="a folder that is emptied")
    parser.add_argument("--into", type=Path, default=FOLDER, help="the page's folder")
    chosen = parser.parse_args(arguments)
    asked = {name: getattr(chosen, name) for name in Sizes._fields}
    sizes = Sizes(**asked | {"spark_trips": tuple(chosen.spark_trips)})
    compiled.ensure()
    shutil.rmtree(chosen.home, ignore_errors=True)
    figures = [figure for part in chosen.parts for figure in PARTS[part](chosen.home.resolve(), sizes)]
    page = write(chosen.into, "backfill", head(sizes), figures)
    print(page.read_text())
    shutil.rmtree(chosen.home)
    return page


if __name__ == "__main__":
    main()
