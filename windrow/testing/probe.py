"""A stream of random events that belongs to no project: what a new window kind is tried on, up to the gate."""

from datetime import UTC, datetime, timedelta
from random import Random

from windrow.schemas import project
from windrow.testing.plugin import TestLake

FIRST_DAY, DAYS = datetime(2024, 3, 9, tzinfo=UTC), 3
STREAM = """
from datetime import date, timedelta
from windrow.schemas.fields import whole_number
from windrow.schemas.local_time import LocalClock
from windrow.schemas.stream import Column, Layout, Record, Stream

def parse(fields, _):
    start, arrival, key, value = fields
    start_us, arrival_us = (LocalClock("UTC").read(each)[0] for each in (start, arrival))
    return [Record(start_us, start_us, arrival_us, (key, whole_number(value)))]

STREAM = Stream(
    name="probe", title="random events of a test", source="a test", layouts=(Layout(
        name="lines", paths=("probe/*.csv",), header=("start", "arrival", "key", "value"), parse=parse,
        identity=None, fields=4),),
    columns=(Column("key", "string", "a key", nullable=False), Column("value", "int64", "a whole number")),
    key=("key",), buckets=2, ahead_at_most=timedelta(0), zone="UTC", clock_rule="none", first_day=date(2024, 1, 1),
    why_these_days="a test", start_meaning="when it began", arrival_meaning="when it was known")
"""
QUERY = """
from datetime import timedelta
from windrow.schemas.query import Query, agg
from windrow.schemas.windows.{kind} import {name}

QUERY = Query(name="probe_rows", stream="probe", key=("key",), window={name}({arguments}),
    aggregates={{"n": agg("count"), "total": agg("sum", "value")}},
    lateness=timedelta(hours=1), allowed_lateness=timedelta(hours=6))
"""


def gated_rows(lake: TestLake, kind: str, name: str, arguments: str, count: int = 60, seed: int = 1) -> list[dict]:
    """Every revision of the windows of `name(arguments)`, a class of `windows/query/<kind>.py`, over random events of
    three days. AssertionError, with what the gate found, where it counts other rows than the kernels made."""
    folder = lake.home.parent / "project"
    for path, text in {
        project.FILE: f"definitions = {[str(each) for each in ('.', *project.folders())]!r}\n",
        "streams/probe.py": STREAM,
        "queries/probe_rows.py": QUERY.format(kind=kind, name=name, arguments=arguments),
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    lake.land("probe/events.csv", _events(count, Random(seed)))
    lake.variables[project.VARIABLE] = str(folder)
    lake.run("ingest", "probe")
    last = FIRST_DAY + timedelta(days=DAYS - 1)
    lake.run("backfill", "probe_rows", "--from", f"{FIRST_DAY:%Y-%m-%d}", "--to", f"{last:%Y-%m-%d}")
    return lake.rows("SELECT * FROM probe_rows ORDER BY key, window_start, window_end, revision")


def _events(count: int, random: Random) -> str:
    lines = ["start,arrival,key,value"]
    for number in range(count):
        arrival = FIRST_DAY + number * timedelta(days=DAYS) / count
        start = max(FIRST_DAY, arrival - random.choice((0, 1, 1, 9)) * timedelta(hours=1))
        lines.append(
            f"{start:%Y-%m-%d %H:%M:%S},{arrival:%Y-%m-%d %H:%M:%S},{random.choice('ab')},{random.randint(-9, 9)}"
        )
    return "\n".join(lines) + "\n"
