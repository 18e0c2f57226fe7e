"""A small stream with what is rare in real ones: null keys, ties, floats, empty days, an end, early arrivals.

Its tables are written directly, without files: these tests are about what is read back.
"""

import random
from datetime import UTC, date, datetime, timedelta

import pyarrow as pa

from tests.support.small_lake import Bucket, write_ingested
from windrow.pipelines.config import Config
from windrow.pipelines.rows.arrays import arrow_schema
from windrow.schemas import registry
from windrow.schemas.query import Query
from windrow.schemas.stream import Column, Stream
from windrow.schemas.tables import silver_table

FIRST_DAY, LAST_DAY = date(2024, 3, 9), date(2024, 3, 13)
BUCKETS = 3
STREAM = Stream(
    name="toy",
    title="made-up readings",
    source="random",
    layouts=(),
    columns=(
        Column("place", "string", "where"),
        Column("kind", "int64", "which sort"),
        Column("weight", "float64", "how heavy", "kg"),
        Column("parts", "int64", "how many"),
    ),
    key=("place",),
    buckets=BUCKETS,
    ahead_at_most=timedelta(minutes=30),
    zone="UTC",
    clock_rule="UTC",
    first_day=FIRST_DAY,
    last_day=LAST_DAY,
)
MINUTE = timedelta(minutes=1)
HEAVIEST = 5e5


def events(seed: int, per_day: int = 60) -> list[dict]:
    """Records of the stream's days but one, which has none: delays from early to three days, in bursts."""
    chance = random.Random(seed)
    rows, busy = [], [day for day in days() if day != FIRST_DAY + timedelta(days=2)]
    for day in busy:
        for _ in range(per_day):
            arrival = at(day) + chance.randrange(24 * 12) * 5 * MINUTE
            delay = chance.choice((-20, 0, 1, 7, 30, 90, 300, 1_500, 4_000)) * MINUTE
            rows.append(
                {
                    "place": chance.choice(("east", "west", "ö", None)),
                    "kind": chance.choice((1, 2, None)),
                    "weight": chance.choice((None, chance.uniform(-5, 5) * 10 ** chance.randrange(6))),
                    "parts": chance.choice((None, chance.randrange(-9, 9))),
                    "start": arrival - delay - chance.randrange(60_000_000) * timedelta(microseconds=1),
                    "arrival": arrival,
                }
            )
    rows.sort(key=lambda row: row["arrival"])
    for seq, row in enumerate(rows):
        row |= {"end": row["start"] + seq % 5 * 100 * MINUTE, "seq": seq}
        row |= {"path": f"file-{seq // 40:03}", "line": seq % 40 + 1, "reading": 0}
    return rows


def days() -> list[date]:
    """The stream's days, in order."""
    return [FIRST_DAY + timedelta(days=n) for n in range((LAST_DAY - FIRST_DAY).days + 1)]


def at(day: date) -> datetime:
    """Midnight, UTC."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def event_table(rows: list[dict], query: Query) -> pa.Table:
    """The events as `replay_table` takes them."""
    silver = arrow_schema(silver_table(STREAM))
    names = dict.fromkeys((*query.read_columns, "start", "end", "arrival"))
    schema = pa.schema([silver.field(name) for name in names]).append(pa.field("seq", pa.int64()))
    return pa.Table.from_pylist(rows, schema)


def by_length(key: tuple, buckets: int) -> int:
    """A bucket that can be seen from the key."""
    return len(key[0] or "") % buckets


def build(config: Config, rows: list[dict], bucket: Bucket = by_length) -> None:
    """Write the tables of ingest of the events. bucket: which one a key is in."""
    registry.streams()[STREAM.name] = STREAM
    write_ingested(config, STREAM, rows, bucket=bucket)
