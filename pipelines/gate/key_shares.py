"""Into which days and shares of keys a recount is cut."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from math import ceil

from pipelines.delta.day_statistics import NO_ROWS, DayStatistics, by_day
from pipelines.delta.lake import Lake
from pipelines.engines.engine import Engine
from pipelines.engines.shares import file_sizes, limit_bytes, packed_within
from pipelines.gate.recount.query_days import ALL_KEYS, AuditedDays, KeyShare
from schemas.tables import Table

# Measured on four buckets of 12.5 million events each: their laws took 118 processor s with each bucket whole, 102 in
# 2 parts, 100 in 4, 138 in 9. Memory is bounded whatever a part has: DuckDB spills, and final_values.py takes a million
# events at a time (2.6 GB at most here, 1.3 in 9 parts).
ENOUGH_PARTS = 4
# Rows are far fewer bytes on disk than in DuckDB's joins: 16 million at once spilled, and took 22 processor s, in parts
# 13.
ROWS_AT_ONCE = 2_000_000


def recounts(lake: Lake, engine: Engine, of: AuditedDays) -> list[tuple[AuditedDays, KeyShare]]:
    """What is counted again at once: days without a gap, as many as have few enough rows, and shares of their keys."""
    rows = by_day(lake, of.tables.audit.name, of.versions.audit)
    stretches = [part for days in of.without_gaps for part in _cut(days, rows)]
    return [(days, share) for days in stretches for share in key_shares(lake, engine, days)]


def _cut(of: AuditedDays, rows: Mapping[date, DayStatistics]) -> Iterator[AuditedDays]:
    before = of.before
    for days in packed_within({day: rows.get(day, NO_ROWS).rows for day in of.days}, ROWS_AT_ONCE):
        yield replace(of, days=days, before=before)
        before = (*before, *days)


def key_shares(lake: Lake, engine: Engine, of: AuditedDays) -> list[KeyShare]:
    """By the bytes of all days' rows. Where a key is in one bucket only: groups of buckets, and parts of the keys of a
    bucket that is too large; else parts of all keys. Rows of no key can't be cut.

    Each part reads all rows of its buckets: there are no more of them than slots, or than ENOUGH_PARTS.
    """
    query, stream = of.query, of.stream
    if not query.key:
        return [ALL_KEYS]
    sizes = _bytes_by_bucket(lake, of)
    limit, most = limit_bytes(sizes.values(), engine.slots, lake.config.task_bytes), max(engine.slots, ENOUGH_PARTS)
    if sum(sizes.values()) <= limit:
        return [ALL_KEYS]
    if not set(stream.key) <= set(query.key):
        return _parts((), sum(sizes.values()) / limit, most)
    together = packed_within(sizes, limit)
    of_limit = {buckets: sum(sizes[each] for each in buckets) / limit for buckets in together}
    return [part for buckets, size in of_limit.items() for part in _parts(buckets, size, most)]


def _parts(buckets: tuple[int, ...], of_limit: float, most: int) -> list[KeyShare]:
    """Of the keys of some buckets, which have so many times what a task takes."""
    parts = max(1, min(most, ceil(of_limit)))
    return [KeyShare(buckets, part, parts) for part in range(parts)]


def _bytes_by_bucket(lake: Lake, of: AuditedDays) -> dict[int, int]:
    """A bucket's events of the days, and as large a part of the audit rows as it is of the buckets."""
    (events, audit), buckets = (of.tables.source.silver, of.tables.audit), of.stream.buckets
    of_audit = _bytes(lake, audit, of.versions.audit, _within("emitted_date", of)) // buckets
    at = _within("arrival_date", of)
    return {
        each: of_audit + _bytes(lake, events, of.versions.silver, [*at, ("bucket", "=", str(each))])
        for each in range(buckets)
    }


def _within(column: str, of: AuditedDays) -> list[tuple]:
    return [(column, ">=", of.days[0].isoformat()), (column, "<=", of.days[-1].isoformat())]


def _bytes(lake: Lake, table: Table, version: int, partitions: list[tuple]) -> int:
    return sum(file_sizes(lake.files(table.name, version, partitions)).values())
