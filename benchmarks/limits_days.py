"""Days of fifty million events, two and ten of them, backfilled by each engine in one command."""

import shutil
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from benchmarks.generated_sessions import DAY, Day, build
from benchmarks.pages import Figure, claim
from benchmarks.process_tree import DRIVER, JVM, WORKER, Watched, watched
from benchmarks.scale import copied
from tests.support import processes
from tests.support.digests import digests
from windrow.pipelines.config import ENGINES, Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import run_table
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas.queries.cdr_active import QUERY

MOST_MIB, MOST_GROWTH, MIB = 12_288, 1.15, 1 << 20
TABLES = (QueryTables.of(QUERY).results.name, QueryTables.of(QUERY).late.name)


class Backfill(NamedTuple):
    """Of some days by an engine. events_read: with those of earlier days, as often as a day reads them; digests: of the
    rows that it published; lake_mib: with them."""

    engine: str
    days: list[Day]
    watched: Watched
    events_read: int
    digests: dict[str, list]
    lake_mib: float

    @property
    def events(self) -> int:
        """Of all days."""
        return sum(day.events for day in self.days)

    @property
    def row(self) -> dict:
        """Of the figure's table. Peaks are of the largest process of each role."""
        peaks = {
            f"{role}, peak MiB": round(max((each.peak_mib for each in self.watched.of(role)), default=0))
            for role in (DRIVER, JVM, WORKER)
        }
        return {
            "engine": self.engine, "events": self.events, "read": self.events_read,
            "rows": self.digests[QUERY.name][0][1] if self.digests else 0,
            "wall, s": self.watched.wall_s, "processor, s": self.watched.processor_s,
            "all at once, MiB": round(self.watched.together_mib), **peaks, "lake, MiB": round(self.lake_mib),
        }  # fmt: skip


def figure(home: Path, antennas: int, sizes: tuple[int, int]) -> Figure:
    """sizes: numbers of days, the smaller first."""
    found = list(_backfills(home, antennas, sizes))
    few, many = found[: len(ENGINES)], found[len(ENGINES) :]
    same = all(each.digests == of[0].digests for of in (few, many) for each in of if not each.watched.stopped)
    verdicts = [claim(same, "both engines publish the same rows.")]
    for first, last in zip(few, many, strict=True):
        verdicts += _growth(first, last)
    measured = (
        f"`windrow backfill {QUERY.name} --from … --to …`, with gate and publication, over days of "
        f"{few[0].days[0].events:,} generated phone sessions each; one command, a fresh process, over a lake that has "
        "only these days. A day reads the earlier days that its windows reach, here up to four. Memory is what all "
        "processes take at one moment, and the largest of each kind."
    )
    return Figure("Many events", measured, [each.row for each in found], verdicts)


def _growth(first: Backfill, last: Backfill) -> Iterator[str]:
    if last.watched.stopped:
        yield claim(False, f"{last.engine}: {last.events:,} events took more than {MOST_MIB:,} MiB, and were stopped.")
        return
    read, cost = last.events_read / first.events_read, last.watched.processor_s / first.watched.processor_s
    memory = last.watched.together_mib / first.watched.together_mib
    yield claim(
        cost <= MOST_GROWTH * read,
        f"{last.engine}: {last.events / first.events:.1f} times the events, for which {read:.1f} times as many are "
        f"read, cost {cost:.2f} times the processor seconds; at most {MOST_GROWTH * read:.2f} are asked.",
    )
    yield claim(
        memory <= MOST_GROWTH, f"{last.engine}: {memory:.2f} times the memory; at most {MOST_GROWTH} are asked."
    )


def _backfills(home: Path, antennas: int, sizes: tuple[int, int]) -> Iterator[Backfill]:
    made, built = Config(home / "made", home / "landing"), 0
    for size in sizes:
        days = [Day(antennas, date=DAY + timedelta(days=number)) for number in range(size)]
        build(made, *days[built:])
        built = size
        for engine in ENGINES:
            config = copied(made, engine)
            words = ("backfill", QUERY.name, "--from", str(days[0].date), "--to", str(days[-1].date))
            environment = processes.environment(config) | {"WINDROW_ENGINE": engine}
            seen = watched([sys.executable, "-m", "windrow.pipelines", *words], environment, MOST_MIB)
            taken = sum(file.stat().st_size for file in Path(config.home).rglob("*") if file.is_file()) / MIB
            audits = run_table.rows(Lake(config), [("step", "=", "audit"), ("state", "=", "done")])
            read = sum(row.counts["events_read"] for row in audits)
            found = Backfill(engine, days, seen, read, {} if seen.stopped else digests(config, TABLES), taken)
            print(found.row, flush=True)
            yield found
            shutil.rmtree(config.home)
