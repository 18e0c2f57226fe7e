"""The page of scale.py: what large days cost, how that grows, and the memory of every process."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from benchmarks.generated_sessions import Day
from benchmarks.pages import FOLDER, machine, table
from benchmarks.process_tree import DRIVER, FORKING, JVM, OTHER, WORKER, Seen, Watched
from windrow.pipelines.config import ENGINES
from windrow.schemas.queries.cdr_active import QUERY

PAGE = FOLDER / "scale.md"
CHECK, QUERY_RUN = "check of silver", "query"
MOST_MIB, MOST_GROWTH = 12_288, 1.1
"""What a command may take, and by how much more than the events its cost may grow."""
ROLES = {DRIVER: "driver (Python)", JVM: "JVM", FORKING: FORKING, WORKER: WORKER, OTHER: "all others: the largest"}


class MeasuredCommand(NamedTuple):
    """A command on a day: its processes, seconds by stage, rows by published table, and these rows' digests."""

    work: str
    engine: str
    day: Day
    watched: Watched
    stages: dict[str, float]
    rows: dict[str, int]
    digests: dict[str, list]

    @property
    def of(self) -> dict:
        """First cells of a line."""
        return {"events": f"{self.day.events:,}", "what": self.work, "engine": self.engine}

    @property
    def outcome(self) -> str:
        """Whether it came to its end."""
        return f"STOPPED at {MOST_MIB:,} MiB" if self.watched.stopped else "done"


def costs(found: Sequence[MeasuredCommand]) -> list[dict]:
    """A line for each command."""
    return [
        each.of | {
            "rows published": each.rows.get(QUERY.name, 0), "wall, s": each.watched.wall_s,
            "processor, s": each.watched.processor_s,
            "processor, s per million events": each.watched.processor_s / each.day.events * 1e6,
            "all processes at once, MiB": round(each.watched.together_mib), "": each.outcome,
        }
        for each in found
    ]  # fmt: skip


def growth(found: Sequence[MeasuredCommand]) -> list[dict]:
    """A line for each engine's query: the largest day by the smallest. None where one of them was stopped."""
    of_engine = {name: [each for each in found if (each.work, each.engine) == (QUERY_RUN, name)] for name in ENGINES}
    return [
        _grown(each[0], each[-1]) for each in of_engine.values() if not any(day.watched.stopped for day in each)
    ]  # fmt: skip


def _grown(first: MeasuredCommand, last: MeasuredCommand) -> dict:
    events = last.day.events / first.day.events
    by_processor = last.watched.processor_s / first.watched.processor_s
    return {
        "engine": last.engine, "events, times": events, "rows, times": last.rows[QUERY.name] / first.rows[QUERY.name],
        "wall, times": last.watched.wall_s / first.watched.wall_s, "processor, times": by_processor,
        "at most": MOST_GROWTH * events, "too much": "TOO MUCH" if by_processor > MOST_GROWTH * events else "",
    }  # fmt: skip


def stages(found: Sequence[MeasuredCommand]) -> list[dict]:
    """A line for each query: wall seconds of its stages, and the gate's by the replay's."""
    lines = []
    for ran in (each for each in found if each.stages):
        seconds = {f"{stage}, s": seconds for stage, seconds in ran.stages.items()}
        lines.append(ran.of | seconds | {"gate ÷ replay": f"{ran.stages['gate'] / ran.stages['replay']:.2f}"})
    return lines


def memory(found: Sequence[MeasuredCommand]) -> list[dict]:
    """A line for each process, but one for all of Java's and Python's starts."""
    return [
        each.of | {"process": ROLES[seen.role], "peak, MiB": round(seen.peak_mib), "processor, s": seen.processor_s}
        for each in found
        for seen in _shown(each.watched)
    ]


def _shown(watched: Watched) -> list[Seen]:
    return [seen for role in ROLES for seen in watched.of(role)[: 1 if role == OTHER else None]]


def page(found: Sequence[MeasuredCommand]) -> str:
    """The page's text."""
    return "\n\n".join([
        "# Days of many events", "<!-- Made by `make bench-scale`: run that again, don't edit this page. -->",
        _head(found[0].day, found[-1].day), machine(),
        "## What it costs", table(costs(found)),
        "## How a query grows", "By processor seconds of all its processes; wall time also has what the machine did "
        "meanwhile.", table(growth(found)),
        "## Where a query's time goes", "Wall time of its stages; what else a run takes is Python and Spark starting. "
        "At 50 million events the gate may take as long as the replay.", table(stages(found)),
        "## Memory of every process", "Peak resident memory of each, what it shares with others included.",
        table(memory(found)), ""])  # fmt: skip


def _head(smallest: Day, largest: Day) -> str:
    return (
        f"Generated phone sessions of one day, {smallest.sessions_each:,} of each of {smallest.antennas:,} and of "
        f"{largest.antennas:,} antennas, so that rows grow with events. Check of silver: what the first query of a day "
        f"does before it reads silver, and no other. Query: `windrow replay {QUERY.name}`, with gate and publication. "
        "Each once, in a fresh process; the rows that both engines published are the same. A command whose processes "
        f"take more than {MOST_MIB:,} MiB is stopped. On {datetime.now(UTC):%Y-%m-%d}, with {os.getloadavg()[2]:.1f} "
        "processes that run or wait, on average of the last quarter of an hour."
    )
