"""Pass ticks and digests per arrival day: what later stages know of silver without reading it.

`partitions_<stream>` drives both: before silver changes, the rows of the days that will change are taken out;
afterwards every day of silver without a row gets its pass ticks and its row. A kill in between leaves days without a
row, and the next ingest makes them, whatever files it is about.

Pass ticks are the watermark's history, from which `P(E) = min { arrival(e) : start(e) ≥ E + lateness }` is exact. Each
arrival day keeps its own staircase: the arrival ticks that raised the newest event start of that day. It depends on
that day's silver alone, so days can be made in any order; joined and made to rise, they are the stream's staircase
(`pipelines/replay/watermark.py`).

Where silence moves the watermark (schemas/validation.py), the heartbeats after the day's first arrival are steps too. A
part of a day's events doesn't know how long the day was silent: of its arrivals it has `stretches` without a heartbeat.
"""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import date
from functools import partial
from typing import NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow.pipelines import storage
from windrow.pipelines.delta.day_files import files_of, parquet
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines.engine import Engine, file_sizes
from windrow.pipelines.ingest.erased import erased_ticks
from windrow.pipelines.rows.arrays import TIME
from windrow.pipelines.tables.arrival_days import DAY_US, beats_of_silences
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas.tables import Table
from windrow.schemas.windows import MICROSECOND

# What no result depends on: the definition's hash changes with every comment in its file, and the identity is only
# compared while a file is ingested.
NOT_DIGESTED = ("definition", "identity")
_DAY = ("arrival_date", pa.date32())
STEPS = pa.schema([("tick", TIME), ("newest_start", TIME), _DAY])
STRETCHES = pa.schema([_DAY, ("since_us", pa.int64()), ("until_us", pa.int64())])


def forget(lake: Lake, partitions: Table, days: Iterable[date]) -> None:
    """Take out the rows of days that are about to change."""
    known = _known_days(lake, partitions) & set(days)
    if known:
        lake.replace(partitions, {"arrival_date": sorted(known)}, [])


def make(lake: Lake, engine: Engine, tables: StreamTables) -> tuple[date, ...]:
    """Bring pass ticks and digests up to silver; returns the days that were made or taken away."""
    present, stepped = (lake.partition_dates(table.name) for table in (tables.silver, tables.passes))
    erased = erased_ticks(lake, tables.stream)
    present |= {*erased["arrival_date"].to_pylist()}
    known = _known_days(lake, tables.partitions)
    new, gone = present - (known & stepped), (known | stepped) - present
    days = tuple(sorted(new | gone))
    if not days:
        return ()
    files = files_of(lake, tables.silver, new)
    every_us = tables.stream.idle_after // MICROSECOND if tables.stream.idle_after else None
    noted = engine.share_out(partial(note_share, lake, tables.silver, every_us), file_sizes(files))
    if len(of_new := erased.filter(pc.is_in(erased["arrival_date"], pa.array([*new], pa.date32())))):
        noted.append(_noted_erased(of_new))
    rows = _joined(lake, lake.existing_version(tables.silver.name), noted, every_us) if noted else ([], [])
    for table, of_table in zip((tables.passes, tables.partitions), rows, strict=True):
        lake.replace(table, {"arrival_date": days}, of_table)
    return days


def _known_days(lake: Lake, partitions: Table) -> set[date]:
    return set(lake.read(partitions.name, columns=["arrival_date"])["arrival_date"].to_pylist())


class Noted(NamedTuple):
    """Of some of silver's files: pass ticks, by day `events` and what its digest is of, and between which silences
    events arrived."""

    staircase: pa.Table
    digests: pa.Table
    stretches: pa.Table


def note_share(lake: Lake, silver: Table, every_us: int | None, files: Sequence[str]) -> list[Noted]:
    """Of these files together. Per day: rows, and order-free sum and exclusive or of the rows' hashes (so that equal
    rows don't cancel out). every_us: of heartbeats, None where there are none."""
    digested = [column for column in silver.columns if column.name not in NOT_DIGESTED]
    # Microseconds, since a timestamp's text depends on the session's time zone; U+001E distinguishes null from empty.
    values = (f'epoch_us("{each.name}")' if each.type == "timestamp" else f'"{each.name}"' for each in digested)
    columns = ", ".join(f"coalesce({value}::VARCHAR, chr(30))" for value in values)
    with storage.open_database(lake.config.scratch, lake.config.lake) as database:
        database.execute(f"CREATE TEMP VIEW silver AS SELECT * FROM {parquet(silver, files)}")
        digests = database.sql(f"""
            SELECT arrival_date, count(*) AS events, CAST(sum(hashed) AS VARCHAR) AS added,
                   CAST(bit_xor(hashed) AS VARCHAR) AS crossed
            FROM (SELECT arrival_date, md5_number_lower(concat_ws(chr(31), {columns})) AS hashed FROM silver)
            GROUP BY arrival_date""").to_arrow_table()
        busy = STRETCHES.empty_table() if every_us is None else stretches(database, every_us)
        return [Noted(staircases(database), digests, busy)]


def _noted_erased(ticks: pa.Table) -> Noted:
    """What share_out would note of events that were erased: they are no rows, and did arrive."""
    days, tick_us = ticks["arrival_date"], ticks["tick"].cast(pa.int64())
    none = {"events": 0, "added": "0", "crossed": "0"}
    digests = pa.Table.from_pylist([{"arrival_date": day, **none} for day in days.unique().to_pylist()])
    return Noted(ticks, digests, pa.table([days, tick_us, tick_us], schema=STRETCHES))


def _joined(lake: Lake, version: int, shares: Sequence[Noted], every_us: int | None) -> tuple[pa.Table, pa.Table]:
    """Pass ticks and digests, from what shares noted. A staircase of staircases is the one of all their events."""
    with storage.open_database(lake.config.scratch, lake.config.lake) as database:
        steps = [share.staircase for share in shares]
        if every_us is not None:
            steps.append(heartbeats_of(pa.concat_tables(share.stretches for share in shares), every_us))
        staircase = joined(database, pa.concat_tables(steps))
        database.register("steps", staircase)
        database.register("parts", pa.concat_tables(share.digests for share in shares))
        digests = database.sql(f"""
            SELECT arrival_date, CAST(sum(events) AS BIGINT) AS events, any_value(newest.newest_start) AS newest_start,
                   CAST({version} AS BIGINT) AS silver_version,
                   to_hex(sum(CAST(added AS HUGEINT))) || '-' || to_hex(bit_xor(CAST(crossed AS UBIGINT)))
                   AS silver_digest
            FROM parts
            JOIN (SELECT arrival_date, max(newest_start) AS newest_start FROM steps GROUP BY ALL) newest
                USING (arrival_date)
            GROUP BY arrival_date ORDER BY arrival_date""").to_arrow_table()
    passed = [
        _pass_digest(staircase.filter(pc.equal(staircase["arrival_date"], day))) for day in digests["arrival_date"]
    ]
    return staircase, digests.append_column("pass_digest", pa.array(passed, pa.string()))


def _pass_digest(staircase: pa.Table) -> str:
    digest = hashlib.sha256()
    for name in ("tick", "newest_start"):
        digest.update(staircase[name].cast(pa.int64()).to_numpy().tobytes())
    return digest.hexdigest()[:32]


def staircases(database: duckdb.DuckDBPyConnection) -> pa.Table:
    """Rows of `pass_<stream>` for every day of the relation `silver` (arrival_date, arrival, start)."""
    return database.sql("""
        SELECT tick, newest_start, arrival_date
        FROM (SELECT *, max(newest_start) OVER (PARTITION BY arrival_date ORDER BY tick
                                                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS newest_before
              FROM (SELECT arrival_date, arrival AS tick, max("start") AS newest_start FROM silver GROUP BY ALL))
        WHERE newest_before IS NULL OR newest_start > newest_before
        ORDER BY arrival_date, tick""").to_arrow_table()


def joined(database: duckdb.DuckDBPyConnection, parts: pa.Table) -> pa.Table:
    """The staircases of parts of the events, and of heartbeats, as one of all of them."""
    database.register("silver", parts.rename_columns(["arrival", "start", "arrival_date"]))
    return staircases(database)


def stretches(database: duckdb.DuckDBPyConnection, every_us: int) -> pa.Table:
    """Of every day of `silver` when arrivals follow on each other so closely that no heartbeat comes in between."""
    return database.sql(f"""
        SELECT arrival_date, min(tick_us) AS since_us, max(tick_us) AS until_us
        FROM (SELECT *, count(*) FILTER (silence_us > {every_us}) OVER (
                         PARTITION BY arrival_date ORDER BY tick_us) AS stretch
              FROM (SELECT *, tick_us - lag(tick_us) OVER (PARTITION BY arrival_date ORDER BY tick_us) AS silence_us
                    FROM (SELECT DISTINCT arrival_date, epoch_us(arrival) AS tick_us FROM silver)))
        GROUP BY arrival_date, stretch""").to_arrow_table()


def heartbeats_of(found: pa.Table, every_us: int) -> pa.Table:
    """The heartbeats between the stretches of all parts, and from a day's last one until its end, as steps."""
    ordered = found.sort_by("since_us")
    since_us, until_us = (ordered[name].to_numpy() for name in ("since_us", "until_us"))
    silent_us = np.maximum.accumulate(until_us)
    next_us = np.append(since_us[1:], np.iinfo(np.int64).max)[: len(since_us)]
    beats_us = beats_of_silences(silent_us, np.minimum(next_us, (silent_us // DAY_US + 1) * DAY_US), every_us)
    days = (beats_us // DAY_US).astype("int32")
    return pa.table([beats_us, beats_us - every_us, days], names=STEPS.names).cast(STEPS)
