"""What the gate costs next to the replay that it checks: `make gate-cost LANDING=../shared/data`.

    python -m benchmarks.gate_cost LANDING [--only bikes_demand,by_1_s]

Processor seconds and peak memory of the replay (rows into the audit table) and of the gate (Great Expectations and the
laws), each in a process of its own, for every query of the repository on the busiest day of its real stream, and for
two shapes that no real stream has: windows of a day that slide by seconds, over 4,000 generated trips a day; and
rolling windows of ten minutes over keys with 11,000 readings in each. Imports are not counted: they are the same for
every run. The lakes are made once and kept in var/gate_cost.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import NamedTuple

from benchmarks.pages import table
from benchmarks.processor import peak_mib
from tests.support.lakes import ingest
from tests.support.small_lake import write_ingested
from windrow.pipelines import compiled
from windrow.pipelines.config import REPOSITORY, Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines import engine_of
from windrow.pipelines.gate import gate, validation  # noqa: F401 (Great Expectations, imported before the clock starts)
from windrow.pipelines.gate.gate import Gate
from windrow.pipelines.gate.recount.query_days import AuditedDays
from windrow.pipelines.replay.audit import audit
from windrow.pipelines.replay.work import Reading, work_of
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.pipelines.tables.stream_tables import AuditVersions, Snapshot
from windrow.samples import bikes
from windrow.schemas import registry
from windrow.schemas.query import Query, agg, rolling, sliding

HOME = REPOSITORY / "var" / "gate_cost"
STREAMS = ("bikes", "cdr", "telemetry")
DENSE_DAY = date(2024, 3, 9)
TRIP_DAY = date(2018, 11, 5)
TRIPS_A_DAY, READINGS, READINGS_A_KEY = 4_000, 252_000, 11_000
ALLOWED_SLOPE, ALLOWED_S = 1.0, 2.0


class GateCase(NamedTuple):
    """A query, the lake that it is asked of, and its day; None: the day on which most arrived."""

    query: Query
    lake: str
    day: date | None = None


class Cost(NamedTuple):
    """Of one step: processor seconds, peak memory of its process, and what it reported."""

    processor_s: float
    peak_mib: float
    reported: dict


def by_seconds(slide_s: int) -> Query:
    """Trips of the last day, every few seconds."""
    return Query(
        name=f"by_{slide_s}_s",
        stream="bikes",
        key=(),
        window=sliding(timedelta(days=1), timedelta(seconds=slide_s)),
        aggregates={
            "trips": agg("count"),
            "total_s": agg("sum", "trip_duration_s"),
            "mean_s": agg("mean", "trip_duration_s"),
            "longest_s": agg("max", "trip_duration_s"),
        },
        lateness=timedelta(hours=1),
        allowed_lateness=timedelta(days=1),
    )


def dense() -> Query:
    """The last ten minutes before each of very many readings."""
    return Query(
        name="dense",
        stream="telemetry",
        key=("source",),
        window=rolling(timedelta(minutes=10)),
        aggregates={"value_mean": agg("mean", "value"), "value_max": agg("max", "value"), "readings": agg("count")},
        lateness=timedelta(seconds=90),
        allowed_lateness=timedelta(hours=1),
    )


def cases() -> dict[str, GateCase]:
    """By the query's name."""
    kept = [registry.query(name) for name in registry.queries()]
    # Others need the days before.
    real = [GateCase(query, "real") for query in kept if query.stream in STREAMS and query.context_free]
    made = [GateCase(by_seconds(slide_s), "trips", TRIP_DAY) for slide_s in (300, 20, 4, 1)]
    return {case.query.name: case for case in (*real, *made, GateCase(dense(), "dense", DENSE_DAY))}


def prepare(landing: Path) -> None:
    """The three lakes, where they are not there yet."""
    compiled.ensure()
    ready("real", landing, lambda config: [ingest(config, stream) for stream in STREAMS])
    ready("trips", HOME / "trips" / "landing", _make_trips)
    ready("dense", landing, _make_readings)


def ready(name: str, landing: Path, make: Callable[[Config], object]) -> None:
    """Make a lake, once."""
    done = HOME / name / "made"
    if not done.exists():
        done.parent.mkdir(parents=True, exist_ok=True)
        make(Config(HOME / name, landing))
        done.touch()


def _make_trips(config: Config) -> None:
    bikes.write(config.landing, 7, TRIP_DAY + timedelta(days=1), 1, TRIPS_A_DAY)
    ingest(config, "bikes")


def _make_readings(config: Config) -> None:
    write_ingested(config, registry.stream("telemetry"), list(_readings()))


def _readings() -> Iterator[dict]:
    """Readings of each key all over ten minutes, most of them in order; one in a thousand a minute late or later."""
    random, first = Random(1), datetime(2024, 3, 9, 12, tzinfo=UTC)
    for number in range(READINGS):
        start = first + timedelta(microseconds=random.randrange(600_000_000))
        delay_s = random.uniform(60, 600) if random.random() < 0.001 else random.uniform(0, 5)
        yield {
            "source": f"source {number % (READINGS // READINGS_A_KEY)}",
            "service": "load",
            "metric": "load",
            "start": start,
            "end": start,
            "arrival": start + timedelta(seconds=delay_s),
            "seq": ("dense.csv", number, 0),
            "value": random.uniform(0, 100),
            "made_arrival": False,
        }


def measured(work: Callable[[], dict]) -> Cost:
    """The cost of work in this process, of all its threads and its children."""
    before_s = _used_s()
    reported = work()
    return Cost(_used_s() - before_s, peak_mib(os.getpid()), reported)


def _used_s() -> float:
    return time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def replayed(config: Config, case: GateCase, day: date) -> dict:
    """Make the day's audit rows, in this process. Says their versions and how many they are."""
    lake, tables = Lake(config), QueryTables.of(case.query)
    read = Reading.of(lake, tables.source, Snapshot.taken(lake, tables.source))
    found = audit(lake, engine_of(config), work_of(lake, tables, [day], read), read)[day]
    return {"versions": list(vars(found.versions).values()), **found.counts}


def checked(config: Config, case: GateCase, day: date, versions: list[int]) -> dict:
    """The verdicts of the gate, and the processor seconds of Great Expectations among them."""
    library_s = 0.0
    expected = gate.verdicts_by_day

    def timed(*given):
        nonlocal library_s
        before_s = time.process_time()
        try:
            return expected(*given)
        finally:
            library_s += time.process_time() - before_s

    gate.verdicts_by_day = timed
    of = AuditedDays(QueryTables.of(case.query), (day,), AuditVersions(*versions))
    verdicts = Gate(Lake(config), engine_of(config)).check_audit(of)[day]
    figures = {each.check_name: each.figure for each in verdicts if each.check_name.startswith("law")}
    return {"library_s": library_s, "failed": [each.check_name for each in verdicts if not each.passed], **figures}


def busiest_day(config: Config, stream: str) -> date:
    """The arrival day with most events."""
    rows = Lake(config).read(f"partitions_{stream}").to_pylist()
    return max(rows, key=lambda row: (row["events"], row["arrival_date"]))["arrival_date"]


def child(step: str, landing: Path, name: str, versions: list[int]) -> None:
    """One step in this process; its cost is the last line of what it prints."""
    case = cases()[name]
    config = Config(HOME / case.lake, landing)
    day = case.day or busiest_day(config, case.query.stream)
    work = replayed if step == "replay" else checked
    given = () if step == "replay" else (versions,)
    print(json.dumps(measured(lambda: work(config, case, day, *given))))


def in_a_process(step: str, landing: Path, name: str, versions: list[int], limit_s: float) -> Cost | None:
    """The cost of a step in a fresh process; None if it took too long."""
    words = [sys.executable, "-m", "benchmarks.gate_cost", str(landing), "--step", step, "--only", name]
    words += ["--versions", json.dumps(versions)]
    # Without Spark, whose start would make every gate look cheap next to it.
    environment = os.environ | {"WINDROW_ENGINE": "local"}
    settings = {"cwd": REPOSITORY, "stdout": subprocess.PIPE, "text": True, "timeout": limit_s, "check": True}
    try:
        ended = subprocess.run(words, env=environment, **settings)
    except subprocess.TimeoutExpired:
        return None
    return Cost(*json.loads(ended.stdout.splitlines()[-1]))


def row(landing: Path, name: str, limit_s: float) -> dict:
    """A line of the table: one query's replay and gate."""
    replay = in_a_process("replay", landing, name, [], limit_s)
    assert replay is not None, f"the replay of {name} took more than {limit_s:g} s"
    line: dict = {"query": name, "rows": replay.reported["rows"], "late rows": replay.reported["late_rows"]}
    line |= {"replay, s": replay.processor_s, "replay, MiB": round(replay.peak_mib)}
    found = in_a_process("gate", landing, name, replay.reported["versions"], limit_s)
    if found is None:
        return line | {"gate": f"more than {limit_s:g} s"}
    assert not found.reported["failed"], found.reported
    within = found.processor_s <= ALLOWED_SLOPE * replay.processor_s + ALLOWED_S
    library_s = found.reported["library_s"]
    line |= {"expectations, s": library_s, "laws, s": found.processor_s - library_s, "gate, s": found.processor_s}
    return line | {"gate, MiB": round(found.peak_mib), "gate": "within" if within else "more than replay + 2 s"}


def main(arguments: list[str] | None = None) -> list[dict]:
    """Measure and print; returns the lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("landing", type=Path, help="real files")
    parser.add_argument("--only", default=",".join(cases()), help="names of queries, with commas between")
    parser.add_argument("--limit-s", type=float, default=300.0, help="seconds that a step may take")
    parser.add_argument("--step", choices=("replay", "gate"), help="one step of one query, in this process")
    parser.add_argument("--versions", type=json.loads, default=[], help="what the replay reported")
    asked = parser.parse_args(arguments)
    if asked.step:
        child(asked.step, asked.landing, asked.only, asked.versions)
        return []
    prepare(asked.landing)
    lines = []
    for name in asked.only.split(","):
        lines.append(row(asked.landing, name, asked.limit_s))
        print(lines[-1], flush=True)
    print(table(lines))
    return lines


if __name__ == "__main__":
    main()
