"""Into how many shares of keys the recount of a day is cut."""

from pipelines.gate.recount.query_day import AuditedDay
from pipelines.gate.recount.share import ALL_KEYS, KeyShare
from pipelines.lake.engine import Engine
from pipelines.lake.lake import Lake
from pipelines.lake.shares import file_sizes, packed


def key_shares(lake: Lake, engine: Engine, of: AuditedDay) -> list[KeyShare]:
    """By the bytes of the day's rows: groups of buckets where a key is in one bucket only, else parts of all keys. Rows
    of no key can't be cut."""
    query, stream = of.query, of.stream
    sizes = {bucket: _bytes(lake, of, bucket) for bucket in range(stream.buckets)}
    shares = packed(sizes, engine.slots, lake.config.task_bytes)
    if len(shares) == 1 or not query.key:
        return [ALL_KEYS]
    if set(stream.key) <= set(query.key):
        return [KeyShare(tuple(buckets)) for buckets in shares]
    return [KeyShare(part=part, parts=len(shares)) for part in range(len(shares))]


def _bytes(lake: Lake, of: AuditedDay, bucket: int) -> int:
    """A bucket's events of the day, and as large a part of the audit rows as it is of the buckets."""
    of_day, day = [("bucket", "=", str(bucket))], of.day.isoformat()
    silver = lake.files(of.tables.source.silver.name, of.versions.silver, [("arrival_date", "=", day), *of_day])
    audit = lake.files(of.tables.audit.name, of.versions.audit, [("emitted_date", "=", day)])
    return sum(file_sizes(silver).values()) + sum(file_sizes(audit).values()) // of.stream.buckets
