"""A lake in a folder, filled with events and with the rows that the oracle, or a replay, makes of them. No JVM."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from random import Random

import pyarrow as pa

from tests.support.oracle import oracle
from tests.support.oracle.history import heartbeats
from tests.support.replay.work import audit_day
from tests.support.small_windows import AGGREGATES, DAY, HOUR, OF_SHARES, WINDOWS
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines import engine_of
from windrow.pipelines.gate.gate import Gate
from windrow.pipelines.gate.recount.plain.ticks import to_time, to_us
from windrow.pipelines.gate.recount.query_days import AuditedDays
from windrow.pipelines.ledger.verdicts import Verdict
from windrow.pipelines.rows.arrays import arrow_schema
from windrow.pipelines.tables.arrival_days import ArrivalDays
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.pipelines.tables.stream_tables import AuditVersions, Snapshot, StreamTables
from windrow.schemas import registry
from windrow.schemas.query import Query
from windrow.schemas.stream import Column, Stream
from windrow.schemas.tables import (
    Table,
    bronze_table,
    bucket_of,
    files_table,
    partitions_table,
    pass_table,
    quarantine_table,
    silver_table,  # fmt: skip
)

FIRST_DAY = date(2024, 3, 9)
DAYS = [FIRST_DAY + n * DAY for n in range(3)]
PATH = "probe/events.csv"
Bucket = Callable[[tuple, int], int]
STREAM = Stream(
    name="probe",
    title="events of a test",
    source="this file",
    layouts=(),
    columns=(
        Column("key", "string", "a key"),
        Column("whole", "int64", "a whole number", low=-1_000, high=1_000),
        Column("real", "float64", "a real number"),
    ),
    key=("key",),
    buckets=2,
    ahead_at_most=HOUR,
    zone="UTC",
    clock_rule="none",
    first_day=FIRST_DAY,
)


def asked(kind: str = "sliding", emit: str = "watermark", **changes) -> Query:
    """A query of the probe stream."""
    window = WINDOWS[kind]
    of = {"window": window, "aggregates": OF_SHARES if window.counts_shares else AGGREGATES, "emit": emit}
    of |= {"key": ("key",), "lateness": HOUR, "allowed_lateness": 6 * HOUR}
    return Query(**{"name": "asked", "stream": STREAM.name, **of, **changes})


def random_events(seed: int, count: int = 150, days: int = 3) -> list[dict]:
    """Events of a few keys (one is null) over some days: bursts, disorder, long delays, clocks ahead."""
    random = Random(seed)
    first = datetime(FIRST_DAY.year, FIRST_DAY.month, FIRST_DAY.day, tzinfo=UTC)
    arrivals = [first + timedelta(minutes=random.randrange(days * 1440)) for _ in range(count // 2)]
    return [_event(random, number, random.choice(arrivals)) for number in range(count)]


def _event(random: Random, number: int, arrival: datetime) -> dict:
    delay_min = random.choice((-30, 0, 5, 20, 90, 400, 2000))
    start = arrival - timedelta(minutes=delay_min, seconds=random.randrange(0, 120, 20))
    return {
        "key": random.choice(("a", "b", 'it\'s "$c"', None)),
        "start": start,
        "end": start + number % 5 * timedelta(minutes=40),
        "arrival": arrival,
        "seq": (PATH, number, 0),
        "whole": random.choice((None, random.randrange(-50, 50))),
        "real": random.choice((None, random.uniform(-1e6, 1e6))),
    }


@dataclass(frozen=True)
class SmallLake:
    """A lake of one stream and one query. `tables` are the query's."""

    config: Config
    query: Query
    stream: Stream
    tables: QueryTables

    @property
    def versions(self) -> AuditVersions:
        """The newest version of each table that is checked or read."""
        tables = (self.tables.audit, self.tables.late_audit, silver_table(self.stream), pass_table(self.stream))
        return AuditVersions(*(Lake(self.config).version(table.name) for table in tables), self.snapshot.name)

    @property
    def snapshot(self) -> Snapshot:
        """Of the tables as they are now."""
        return Snapshot.taken(Lake(self.config), StreamTables.of(self.stream))

    @property
    def arrival_days(self) -> ArrivalDays:
        """What ingest noted."""
        return ArrivalDays.read(Lake(self.config), partitions_table(self.stream).name)

    def verdicts(self, day: date) -> dict[str, Verdict]:
        """What the laws of a run say of a day, by "law" and its number."""
        [found] = self.laws_by_day(day).values()
        return {verdict.check_name.partition(":")[0]: verdict for verdict in found}

    def laws_by_day(self, *days: date) -> dict[date, list[Verdict]]:
        """The same of several days, asked at once."""
        return Gate(Lake(self.config), engine_of(self.config)).laws_of_rows(self.audited(*days))

    def audited(self, *days: date) -> AuditedDays:
        """Some days, as their rows are now."""
        tables = self.tables._replace(query=self.query, source=StreamTables.of(self.stream))
        return AuditedDays(tables, days, self.versions)

    def failing(self, day: date) -> set[str]:
        """The laws that don't hold on a day."""
        return {name for name, verdict in self.verdicts(day).items() if not verdict.passed}

    def rows(self, table: Table) -> list[dict]:
        """All rows of a table."""
        return Lake(self.config).read(table.name).to_pylist()

    def rewrite(self, table: Table, rows: list[dict]) -> None:
        """Replace all rows of a table."""
        Lake(self.config).replace(table, {}, pa.Table.from_pylist(rows, arrow_schema(table)))

    def change(self, table: Table, chosen: dict, **values) -> None:
        """Change one row's values."""
        self.rewrite(table, [{**row, **values} if row == chosen else row for row in self.rows(table)])

    def delete(self, table: Table, chosen: dict) -> None:
        """Delete one row."""
        self.rewrite(table, [row for row in self.rows(table) if row != chosen])

    def add(self, table: Table, row: dict) -> None:
        """Add a row."""
        self.rewrite(table, [*self.rows(table), row])


def make_lake(
    config: Config, query: Query, events: list[dict], stream: Stream = STREAM, constrained: bool = True
) -> SmallLake:
    """The tables of ingest from events, and audit tables from the oracle, over all days.

    constrained=False leaves out the tables' own CHECK constraints, as if a writer had gone round them.
    """
    registry.streams()[stream.name] = stream
    write_ingested(config, stream, events, constrained)
    tables, asked_of = QueryTables.of(query), (events, query, stream.last_day is not None, stream.idle_after)
    rows = [{**row, "emitted_date": row["emitted_at"].date()} for row in oracle.replay(*asked_of)]
    late = [{**row, **_place(row), "arrival_date": row["arrival"].date()} for row in oracle.late(*asked_of)]
    _write(config, tables.audit, rows, constrained)
    _write(config, tables.late_audit, late, constrained)
    return SmallLake(config, query, stream, tables)


def replayed_lake(config: Config, query: Query, events: list[dict], run: Callable = audit_day) -> SmallLake:
    """The same tables with audit rows from a run of each day, through the kernels; or as `run` makes them."""
    registry.streams()[STREAM.name] = STREAM
    write_ingested(config, STREAM, events)
    made = SmallLake(config, query, STREAM, QueryTables.of(query))
    for day in DAYS:
        run(Lake(config), made.tables, day)
    return made


def write_ingested(
    config: Config, stream: Stream, events: list[dict], constrained: bool = True, bucket: Bucket = bucket_of
) -> None:
    """The tables of ingest, as if one file had brought the events, whose lines no test asks for. bucket: in which a key
    is."""
    for table in (bronze_table(stream), quarantine_table(stream)):
        _write(config, table, [])
    rows = [{**event, **_place(event), **_partition(event, stream, bucket), "definition": "test"} for event in events]
    _write(config, silver_table(stream), rows, constrained)
    counts = dict.fromkeys(("lines", "readings", "accepted"), len(rows)) | {"quarantined": 0, "duplicates": 0}
    texts = {"path": PATH, "content_hash": "test", "state": "accepted", "definition": "test"}
    _write(config, files_table(stream), [{**texts, **counts, "file_bytes": 1, "landed_date": FIRST_DAY}])
    days = sorted({row["arrival_date"] for row in rows})
    steps = [tick for day in days for tick in _staircase(rows, day, stream)]
    _write(config, pass_table(stream), steps)
    digests = {"silver_digest": "test", "pass_digest": "test"}
    digests |= {"silver_version": Lake(config).version(silver_table(stream).name)}
    noted = [
        {
            "arrival_date": day,
            "events": sum(row["arrival_date"] == day for row in rows),
            "newest_start": max(step["newest_start"] for step in steps if step["arrival_date"] == day),
            **digests,
        }
        for day in days
    ]
    _write(config, partitions_table(stream), noted)


def _partition(event: dict, stream: Stream, bucket: Bucket) -> dict:
    key = tuple(event[column] for column in stream.key)
    return {"arrival_date": event["arrival"].date(), "bucket": bucket(key, stream.buckets)}


def _place(event: dict) -> dict:
    """Of an event that has none, it is its seq."""
    return {} if "path" in event else dict(zip(("path", "line", "reading"), event["seq"], strict=True))


def _staircase(rows: list[dict], day: date, stream: Stream) -> list[dict]:
    newest_by_tick: dict[datetime, datetime] = {}
    for row in rows:
        if row["arrival_date"] == day:
            newest_by_tick[row["arrival"]] = max(row["start"], newest_by_tick.get(row["arrival"], row["start"]))
    if stream.idle_after:
        arrivals = sorted(map(to_us, newest_by_tick))
        beats = map(to_time, heartbeats(arrivals, to_us(stream.idle_after)))
        newest_by_tick |= {beat: beat - stream.idle_after for beat in beats}
    steps: list[dict] = []
    for tick, reached in sorted(newest_by_tick.items()):
        if not steps or reached > steps[-1]["newest_start"]:
            steps.append({"tick": tick, "newest_start": reached, "arrival_date": day})
    return steps


def _write(config: Config, table: Table, rows: list[dict], constrained: bool = True) -> None:
    schema = arrow_schema(table)
    Lake(config).ensure(table if constrained else replace(table, constraints=()))
    fitted = [{name: row.get(name) for name in schema.names} for row in rows]
    Lake(config).replace(table, {}, pa.Table.from_pylist(fitted, schema))


def choose(rows: list[dict], holds: Callable[[dict], bool]) -> dict:
    """The first row of which a condition holds; StopIteration says that the events of the test lack it."""
    return next(row for row in rows if holds(row))
