"""Some keys of a day, drawn by what the run reads: the same run draws the same keys.

askable_keys     keys that have rows or events in the day, as many as may be drawn, with `is_drawn`
silver_of_drawn  events of the buckets that they are in, since the stream's first day
"""

from datetime import date
from itertools import accumulate, chain

from pipelines.delta.day_files import files_by_day
from pipelines.delta.lake import Lake
from pipelines.gate.recount import sql
from pipelines.gate.recount.query_days import Recount
from pipelines.gate.recount.tables import TableVersion, add_view
from schemas.buckets import bucket_of

KEYS, EVENTS, STEPS = 100, 20_000, 50_000
"""At most so many keys are drawn of a share, with so many events in all since the stream's first day; a step is one
event looked at once: whenever one of a key comes in the day, all before it are, by each aggregate that a policy reads
once more."""
CANDIDATES = 10 * KEYS
BYTES = 64 << 20
"""Of silver, in which the keys' events are looked for."""


def add_drawn(recount: Recount, lake: Lake) -> None:
    """Draw, by what the run reads. O(events of the buckets that are looked at)."""
    _add_askable(recount)
    buckets = _buckets(recount, lake)
    among = [("bucket", "in", [str(each) for each in buckets])] if buckets else []
    silver = TableVersion(lake, recount.tables.source.silver.name, recount.versions.silver, "arrival_date", among)
    last = date.min if buckets == [] else recount.days[-1]
    add_view(recount.connection, "silver_of_drawn", silver, last=last)
    drawn = ", ".join(map(str, _drawn(recount))) or "NULL"
    recount.connection.execute(f"UPDATE askable_keys SET is_drawn = TRUE WHERE key_number IN ({drawn})")


def events_of_askable(recount: Recount) -> str:
    """SQL: the events `s` of the keys `d` that `where` lets through: FROM … WHERE …."""
    return f"""
        FROM silver_of_drawn s JOIN (FROM keys SEMI JOIN askable_keys USING (key_number)) k
            ON {sql.same(recount.query.key, "s", "k")}
        JOIN askable_keys d ON d.key_number = k.key_number
        WHERE {sql.where(recount.query.where, "s")}"""


def _add_askable(recount: Recount) -> None:
    columns = ", ".join(("", *(f"k.{sql.name(column)}" for column in recount.query.key)))
    seed = sql.literal(f"{recount.query.name} {recount.versions.snapshot} {recount.days[0]}")
    order = f"hash({seed}{columns}), k.key_number"
    recount.connection.execute(f"""
        CREATE TEMP TABLE askable_keys AS
        WITH asked AS (
            SELECT key_number, count(*) FILTER (is_event) AS arrived
            FROM (SELECT key_number, FALSE AS is_event FROM audit
                  UNION ALL SELECT key_number, TRUE FROM arrived WHERE kept)
            GROUP BY key_number)
        SELECT key_number, arrived, row_number() OVER (ORDER BY {order}) AS turn, count(*) OVER () AS of_keys,
               FALSE AS is_drawn
        FROM asked JOIN keys k USING (key_number)
        QUALIFY turn <= {CANDIDATES}""")


def _buckets(recount: Recount, lake: Lake) -> list[int] | None:
    """Those of the keys whose turn is first, as many as have BYTES of silver, but one at least. Where a key may be in
    any bucket: None, for all, or [] where these are more than that."""
    stream, sizes = recount.stream, _bytes_by_bucket(recount, lake)
    if not stream.key or not set(stream.key) <= set(recount.query.key):
        return None if sum(sizes.values()) <= BYTES else []
    columns = ", ".join(f"k.{sql.name(column)}" for column in stream.key)
    keys = recount.rows(f"SELECT {columns} FROM keys k JOIN askable_keys d USING (key_number) ORDER BY d.turn")
    found = list(dict.fromkeys(bucket_of(key, stream.buckets) for key in keys))
    so_far = accumulate(sizes[each] for each in found)
    return [bucket for bucket, size in zip(found, so_far, strict=True) if size <= BYTES] or found[:1]


def _bytes_by_bucket(recount: Recount, lake: Lake) -> dict[int, int]:
    """From Delta's log: no file is asked."""
    name, found = recount.tables.source.silver.name, dict.fromkeys(range(recount.stream.buckets), 0)
    of_days = files_by_day(lake, name, recount.versions.silver, lambda day: day <= recount.days[-1])
    for each in chain.from_iterable(of_days.values()):
        assert each.bucket is not None, "silver is partitioned by bucket"
        found[each.bucket] += each.file_bytes
    return found


def _drawn(recount: Recount) -> list[int]:
    """In turn those whose events are few enough, next to those of the keys before it."""
    candidates = recount.rows(f"""
        SELECT d.key_number, any_value(d.arrived), count(*) {events_of_askable(recount)}
        GROUP BY d.key_number ORDER BY any_value(d.turn)""")
    looks = 1 + len(recount.query.window.reads)
    chosen: list[int] = []
    events = steps = 0
    for key_number, arrived, its_events in candidates:
        its_steps = (arrived + 1) * its_events * looks
        if len(chosen) < KEYS and events + its_events <= EVENTS and steps + its_steps <= STEPS:
            chosen.append(key_number)
            events, steps = events + its_events, steps + its_steps
    return chosen
