"""Some keys of a day, drawn by what the run reads, so that the same run draws the same keys; and the rows that a plain
replay of all their events (plain/) gives.

askable_keys     keys that have rows or events in the day, as many as may be drawn, with `is_drawn`
silver_of_drawn  events of the buckets that they are in, since the stream's first day

A key's windows are those of its events since the stream's first day: nothing of what an earlier day left is asked, but
for the numbers of revisions, which go on from the rows of earlier days, as law 4 has them.
"""

import math
from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from itertools import accumulate, groupby

from windrow.pipelines.gate.recount import expressions, sql
from windrow.pipelines.gate.recount.plain.replay import KeyReplay, Place, PlainRow, go_through
from windrow.pipelines.gate.recount.plain.ticks import Event, Staircase, to_time
from windrow.pipelines.gate.recount.query_days import Recount
from windrow.pipelines.gate.recount.tables import TableVersion, add_view, bytes_by_bucket
from windrow.pipelines.gate.recount.ticks import staircase
from windrow.schemas.tables import bucket_of

KEYS, EVENTS, STEPS = 100, 20_000, 50_000
"""At most so many keys are drawn of a share, with so many events in all since the stream's first day; a step is one
event looked at once: whenever one of a key comes in the day, all before it are, by each aggregate that a policy reads
once more."""
CANDIDATES = 10 * KEYS
BYTES = 64 << 20
"""Of silver, in which the keys' events are looked for."""


def add_drawn(recount: Recount) -> None:
    """Draw, by what the run reads. O(events of the buckets that are looked at)."""
    _add_askable(recount)
    buckets = _buckets(recount)
    among = [("bucket", "in", [str(each) for each in buckets])]
    silver = TableVersion(recount.lake, recount.tables.source.silver, recount.versions.silver, among)
    last = recount.days[-1] if buckets else date.min
    add_view(recount.connection, "silver_of_drawn", silver, (date.min, last))
    drawn = sql.literals(_drawn(recount))
    recount.connection.execute(f"UPDATE askable_keys SET is_drawn = TRUE WHERE key_number IN ({drawn})")


def events_of_askable(recount: Recount) -> str:
    """SQL: the events `s` of the keys `d` that `where` lets through: FROM … WHERE …."""
    types = expressions.types_of(recount.connection, "silver_of_drawn")
    return f"""
        FROM silver_of_drawn s JOIN (FROM keys SEMI JOIN askable_keys USING (key_number)) k
            ON {sql.same(recount.query.key, "s", "k")}
        JOIN askable_keys d ON d.key_number = k.key_number
        WHERE {expressions.where(recount.query.condition, "s", types)}"""


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


def _buckets(recount: Recount) -> list[int]:
    """Those of the keys whose turn is first, as many as have BYTES of silver, but one at least. Where a key may be in
    any bucket all, or none where these are more than that."""
    stream, sizes = recount.stream, bytes_by_bucket(recount.lake, recount)
    if not stream.key or not set(stream.key) <= set(recount.query.key):
        return list(sizes) if sum(sizes.values()) <= BYTES else []
    columns = ", ".join(f"k.{sql.name(column)}" for column in stream.key)
    keys = recount.rows(f"SELECT {columns} FROM keys k JOIN askable_keys d USING (key_number) ORDER BY d.turn")
    found = list(dict.fromkeys(bucket_of(key, stream.buckets) for key in keys))
    so_far = accumulate(sizes[each] for each in found)
    return [bucket for bucket, size in zip(found, so_far, strict=True) if size <= BYTES] or found[:1]


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


def rows_by_key(recount: Recount) -> Iterator[tuple[int, list[PlainRow]]]:
    """Of each drawn key. O(events that come in the day · events before them)."""
    keys = [key for (key,) in recount.rows("SELECT key_number FROM askable_keys WHERE is_drawn")]
    if keys:
        recount.connection.execute(f"CREATE OR REPLACE TEMP TABLE every_tick AS {staircase(recount, date.min)}")
        steps, events, revisions, start_us = _steps(recount), _events(recount), _revisions(recount), recount.start_us
        for key in keys:
            replay = KeyReplay(recount.query)
            earlier = [each for each in events[key] if each.arrival < start_us]
            replay.begin(earlier, steps.before(start_us), revisions[key])
            of_day = (each for each in events[key] if each.arrival >= start_us)
            bursts = [list(burst) for _, burst in groupby(of_day, key=lambda event: event.arrival)]
            go_through(replay, bursts, steps, (start_us, recount.end_us))
            yield key, replay.rows


def _steps(recount: Recount) -> Staircase:
    """The day's, and the one before."""
    found = recount.rows(f"""
        SELECT tick_us, newest_us FROM every_tick
        WHERE tick_us >= coalesce(
            (SELECT max(tick_us) FROM every_tick WHERE tick_us < {recount.start_us}), {sql.EVER_US})
        ORDER BY tick_us""")
    return Staircase([tick for tick, _ in found], [_watermark(recount, newest) for _, newest in found])


def _watermark(recount: Recount, newest_us: int | None) -> float:
    if newest_us is None:
        return -math.inf
    return math.inf if newest_us >= sql.NEVER_US else newest_us - sql.microseconds(recount.query.lateness)


def _events(recount: Recount) -> dict[int, list[Event]]:
    """By key, in order of arrival, with the watermark before each."""
    columns = recount.query.read_columns
    values = "".join(f", s.{sql.name(each)} AS value_{place}" for place, each in enumerate(columns))
    rows = recount.connection.sql(f"""
        SELECT e.*, t.newest_us FROM (
            SELECT d.key_number, epoch_us(s.start) AS start_us, epoch_us(s.end) AS end_us,
                   epoch_us(s.arrival) AS arrival_us, s.path, s.line, s.reading{values}
            {events_of_askable(recount)} AND d.is_drawn) e
        ASOF LEFT JOIN every_tick t ON e.arrival_us > t.tick_us
        ORDER BY e.key_number, e.arrival_us, e.path, e.line, e.reading""").to_arrow_table()
    found = defaultdict(list)
    for row in rows.to_pylist():
        key, start, end, arrival = (row[name] for name in ("key_number", "start_us", "end_us", "arrival_us"))
        named = {each: row[f"value_{place}"] for place, each in enumerate(columns)}
        named |= {"start": to_time(start), "end": to_time(end), "arrival": to_time(arrival)}
        found[key].append(Event((key,), start, end, arrival, named, _watermark(recount, row["newest_us"])))
    return found


def _revisions(recount: Recount) -> dict[int, dict[Place, int]]:
    """By key: the newest of each window that has rows of earlier days."""
    found: dict[int, dict[Place, int]] = defaultdict(dict)
    for key, start, end, number, revision in recount.rows("""
            SELECT key_number, window_start_us, window_end_us, window_number, earlier
            FROM published SEMI JOIN (FROM askable_keys WHERE is_drawn) USING (key_number)"""):
        found[key][start, end, number] = revision
    return found
