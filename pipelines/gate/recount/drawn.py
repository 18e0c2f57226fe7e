"""Some keys of a day, drawn by what the run reads: the same run draws the same keys.

askable_keys     keys that have rows or events in the day, as many as may be drawn, with `is_drawn`
silver_of_drawn  events of the buckets that they are in, since the stream's first day
"""

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import chain
from typing import NamedTuple

from pipelines.delta.day_files import files_by_day
from pipelines.delta.lake import Lake
from pipelines.gate.recount import sql
from pipelines.gate.recount.query_days import AuditedDays, Recount
from pipelines.gate.recount.tables import TableVersion, add_view
from schemas.buckets import bucket_of

KEYS, EVENTS, STEPS = 100, 20_000, 50_000
"""At most so many keys are drawn of a share, with so many events in all since the stream's first day; a step is one
event looked at once: whenever one of a key comes in the day, all before it are, by each aggregate that a policy reads
once more."""
CANDIDATES = 10 * KEYS
BYTES = 64 << 20
"""Of silver, in which the keys' events are looked for."""


class _Candidate(NamedTuple):
    """A key: how many events came in the day, and since the stream's first day."""

    key_number: int
    arrived: int
    events: int


def add_drawn(recount: Recount, lake: Lake) -> None:
    """Draw. O(events of the buckets that are looked at)."""
    _add_askable(recount)
    buckets = _buckets(recount, lake)
    among = [("bucket", "in", [str(each) for each in buckets])] if buckets else []
    silver = TableVersion(lake, recount.tables.source.silver.name, recount.versions.silver, "arrival_date", among)
    last = date.min if buckets == [] else recount.days[-1]
    add_view(recount.connection, "silver_of_drawn", silver, last=last)
    drawn = ", ".join(map(str, _drawn(_candidates(recount), 1 + len(recount.query.window.reads)))) or "NULL"
    recount.connection.execute(f"UPDATE askable_keys SET is_drawn = TRUE WHERE key_number IN ({drawn})")


def seed(of: AuditedDays) -> str:
    """By which the keys of a day are drawn."""
    return f"{of.query.name} {of.versions.snapshot} {of.days[0]}"


def events_of_askable(recount: Recount) -> str:
    """SQL: the events `s` of the keys `d` that `where` lets through: FROM … WHERE …."""
    return f"""
        FROM silver_of_drawn s JOIN (FROM keys SEMI JOIN askable_keys USING (key_number)) k
            ON {sql.same(recount.query.key, "s", "k")}
        JOIN askable_keys d ON d.key_number = k.key_number
        WHERE {sql.where(recount.query.where, "s")}"""


def _add_askable(recount: Recount) -> None:
    columns = ", ".join(("", *(f"k.{sql.name(column)}" for column in recount.query.key)))
    order = f"hash({sql.literal(seed(recount))}{columns}), k.key_number"
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
    return [bucket for place, bucket in enumerate(found) if not place or _up_to(found, place, sizes) <= BYTES]


def _up_to(buckets: Sequence[int], place: int, sizes: Mapping[int, int]) -> int:
    return sum(sizes[each] for each in buckets[: place + 1])


def _bytes_by_bucket(recount: Recount, lake: Lake) -> dict[int, int]:
    """From Delta's log: no file is asked."""
    name, found = recount.tables.source.silver.name, dict.fromkeys(range(recount.stream.buckets), 0)
    of_days = files_by_day(lake, name, recount.versions.silver, lambda day: day <= recount.days[-1])
    for each in chain.from_iterable(of_days.values()):
        assert each.bucket is not None, "silver is partitioned by bucket"
        found[each.bucket] += each.file_bytes
    return found


def _candidates(recount: Recount) -> list[_Candidate]:
    """Those whose events can be in the buckets that are looked at, in turn."""
    found = recount.rows(f"""
        SELECT d.key_number, any_value(d.arrived), count(*) {events_of_askable(recount)}
        GROUP BY d.key_number ORDER BY any_value(d.turn)""")
    return [_Candidate._make(each) for each in found]


def _drawn(candidates: Sequence[_Candidate], looks: int) -> list[int]:
    """Whose events are few enough, next to those of the keys before it. looks: how often each is looked at."""
    chosen: list[int] = []
    events = steps = 0
    for each in candidates:
        its_steps = (each.arrived + 1) * each.events * looks
        if len(chosen) < KEYS and events + each.events <= EVENTS and steps + its_steps <= STEPS:
            chosen.append(each.key_number)
            events, steps = events + each.events, steps + its_steps
    return chosen
