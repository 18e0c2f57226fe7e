"""How many events lie in windows that aren't closed yet: a stream's newest events have no row on time before later ones
move the watermark, and an ingest logs how many these are, so that nobody looks for rows that can't be there.

A window is open until the watermark has reached its end. Those that depend on their key's other events, and rolling
ones, are open at least until it has passed their newest event: of these the events that it has not passed are counted.
"""

from collections.abc import Iterator
from datetime import timedelta

import duckdb

from pipelines.config import Config
from pipelines.delta.day_files import files_of, parquet
from pipelines.delta.lake import Lake
from pipelines.gate.recount.kinds._calendar import calendar_windows
from pipelines.replay.watermark import PassTable
from pipelines.rows import databases
from pipelines.tables.arrival_days import ArrivalDays
from pipelines.tables.heartbeats import DAY_US, day_start_us
from pipelines.tables.stream_tables import StreamTables
from schemas import registry
from schemas.query import Query
from schemas.windows import MICROSECOND, Regular, Window


def open_windows(config: Config, stream_name: str) -> Iterator[str]:
    """A sentence for each query of a stream. Also where a file of silver can't be read: the ingest before has ended."""
    tables = StreamTables.of(registry.stream(stream_name))
    try:
        counts = events_in_open_windows(Lake(config), tables)
    except duckdb.Error as error:
        yield f"events in open windows could not be counted: {str(error).splitlines()[0]}"
        return
    for query, events in counts.items():
        yield f"{query}: " + (
            f"{events:,} events are in windows that aren't closed yet" if events else "no open window"
        )


def events_in_open_windows(lake: Lake, tables: StreamTables) -> dict[str, int]:
    """By query, of all events of the stream that silver has; conditions of the query (`where`) are not looked at. Zero
    of each where the stream's last day has come: its run closes every window. TableDamaged where silver is. O(events of
    the arrival days from the oldest open window on)."""
    stream, queries = tables.stream, registry.queries_of(tables.stream.name)
    names = [query.name for query in queries]
    arrivals = ArrivalDays.read(lake, tables.partitions.name)
    days = arrivals.by_date
    if not days or not queries or stream.newest_day <= max(days):
        return dict.fromkeys(names, 0)
    passes = PassTable(lake, tables, lake.existing_version(tables.passes.name), arrivals)
    newest_us = passes.newest_before_us(max(days) + timedelta(days=1))
    assert newest_us is not None, "there are arrival days"
    conditions = [_is_open(query, newest_us) for query in queries]
    oldest_us = min(start_us for start_us, _ in conditions) - stream.ahead_at_most_us
    files = files_of(lake, tables.silver, [day for day in days if day_start_us(day) + DAY_US > oldest_us])
    if not files:
        return dict.fromkeys(names, 0)
    asked = ", ".join(f"count(*) FILTER ({condition})" for _, condition in conditions)
    with databases.open_database(lake.config.scratch, lake.config.lake) as database:
        (counts,) = database.sql(f"SELECT {asked} FROM {parquet(tables.silver, files)}").fetchall()
    return dict(zip(names, counts, strict=True))


def _is_open(query: Query, newest_us: int) -> tuple[int, str]:
    """The time before which no event of an open window starts, in µs since the epoch, and which events are in one."""
    watermark_us = newest_us - query.lateness // MICROSECOND
    open_us = first_open_us(query.window, watermark_us)
    longest_us = query.window.longest_event_us
    if longest_us is not None:
        last_us = 'greatest(epoch_us("start"), epoch_us("end") - 1)'
        return open_us - longest_us, f"{last_us} >= {open_us}"
    return open_us, f'epoch_us("start") >= {open_us}'


def first_open_us(window: Window, watermark_us: int) -> int:
    """The start of the oldest window whose end a watermark has not reached; of windows that depend on events, rolling
    ones among them, the time behind the watermark. All in µs since the epoch."""
    if not isinstance(window, Regular):
        return watermark_us + 1
    if window.zone is None:
        number = (watermark_us - window.origin_us - window.size_us) // window.slide_us + 1
        return window.origin_us + number * window.slide_us
    around = calendar_windows(window, watermark_us - window.longest_us, watermark_us + window.longest_us)
    return min(start_us for start_us, end_us in around if end_us > watermark_us)
