"""Into how many shares of keys the recount of a day is cut."""

from pipelines.gate.recount.query_day import AuditedDay
from pipelines.gate.recount.share import ALL_KEYS, KeyShare
from pipelines.lake.engine import Engine
from pipelines.lake.lake import Lake
from pipelines.lake.shares import file_sizes, limit_bytes, packed_within


def key_shares(lake: Lake, engine: Engine, of: AuditedDay) -> list[KeyShare]:
    """By the bytes of the day's rows. Where a key is in one bucket only: groups of buckets, and parts of the keys of a
    bucket that is too large; else parts of all keys. Rows of no key can't be cut."""
    query, stream = of.query, of.stream
    if not query.key:
        return [ALL_KEYS]
    sizes = {bucket: _bytes(lake, of, bucket) for bucket in range(stream.buckets)}
    limit = limit_bytes(sizes.values(), engine.slots, lake.config.task_bytes)
    if sum(sizes.values()) <= limit:
        return [ALL_KEYS]
    if not set(stream.key) <= set(query.key):
        return _parts((), sum(sizes.values()), limit)
    together = packed_within(sizes, limit)
    return [part for buckets in together for part in _parts(buckets, sum(sizes[each] for each in buckets), limit)]


def _parts(buckets: tuple[int, ...], size: int, limit: int) -> list[KeyShare]:
    """Of the keys of some buckets, as many as have about so many bytes each."""
    parts = max(1, -(-size // limit))
    return [KeyShare(buckets, part, parts) for part in range(parts)]


def _bytes(lake: Lake, of: AuditedDay, bucket: int) -> int:
    """A bucket's events of the day, and as large a part of the audit rows as it is of the buckets."""
    of_day, day = [("bucket", "=", str(bucket))], of.day.isoformat()
    silver = lake.files(of.tables.source.silver.name, of.versions.silver, [("arrival_date", "=", day), *of_day])
    audit = lake.files(of.tables.audit.name, of.versions.audit, [("emitted_date", "=", day)])
    return sum(file_sizes(silver).values()) + sum(file_sizes(audit).values()) // of.stream.buckets
