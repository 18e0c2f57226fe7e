"""The rows of a day of the keys that are drawn, by a plain replay of all their events (plain/).

A key's windows are those of its events since the stream's first day: nothing of what an earlier day left is asked, but
for the numbers of revisions, which go on from the rows of earlier days, as law 4 has them.
"""

import math
from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from itertools import groupby

from pipelines.gate.recount import sql
from pipelines.gate.recount.drawn import events_of_askable
from pipelines.gate.recount.plain.replay import KeyReplay, Place, PlainRow, go_through
from pipelines.gate.recount.plain.ticks import Event, Staircase
from pipelines.gate.recount.plain.times import to_time
from pipelines.gate.recount.query_days import Recount, value_name
from pipelines.gate.recount.sql import EVER_US, NEVER_US
from pipelines.gate.recount.ticks import staircase
from schemas.query import EVENT_COLUMNS

TIMES = ("key_number", "start_us", "end_us", "arrival_us", "newest_us")


def rows_by_key(recount: Recount) -> Iterator[tuple[int, list[PlainRow]]]:
    """Of each drawn key. O(events that come in the day · events before them)."""
    keys = [key for (key,) in recount.rows("SELECT key_number FROM askable_keys WHERE is_drawn")]
    if keys:
        recount.connection.execute(f"CREATE OR REPLACE TEMP TABLE every_tick AS {staircase(recount, date.min)}")
        steps, events, revisions = _steps(recount), _events(recount), _revisions(recount)
        for key in keys:
            yield key, _rows(recount, steps, events[key], revisions[key])


def _rows(recount: Recount, steps: Staircase, events: list[Event], revisions: dict[Place, int]) -> list[PlainRow]:
    replay, times = KeyReplay(recount.query), (recount.start_us, recount.end_us)
    replay.begin([each for each in events if each.arrival < times[0]], steps.before(times[0]), revisions)
    of_day = (each for each in events if each.arrival >= times[0])
    bursts = [list(burst) for _, burst in groupby(of_day, key=lambda event: event.arrival)]
    go_through(replay, bursts, steps, times)
    return replay.rows


def _steps(recount: Recount) -> Staircase:
    """The day's, and the one before."""
    found = recount.rows(f"""
        SELECT tick_us, newest_us FROM every_tick
        WHERE tick_us >= coalesce((SELECT max(tick_us) FROM every_tick WHERE tick_us < {recount.start_us}), {EVER_US})
        ORDER BY tick_us""")
    return Staircase([tick for tick, _ in found], [_watermark(recount, newest) for _, newest in found])


def _watermark(recount: Recount, newest_us: int | None) -> float:
    if newest_us is None:
        return -math.inf
    return math.inf if newest_us >= NEVER_US else newest_us - sql.microseconds(recount.query.lateness)


def _events(recount: Recount) -> dict[int, list[Event]]:
    """By key, in order of arrival, with the watermark before each."""
    columns = [each for each in recount.query.value_columns if each not in EVENT_COLUMNS]
    values = "".join(f", s.{sql.name(each)} AS {value_name(recount.query, each)}" for each in columns)
    rows = recount.connection.sql(f"""
        SELECT e.*, t.newest_us FROM (
            SELECT d.key_number, epoch_us(s.start) AS start_us, epoch_us(s.end) AS end_us,
                   epoch_us(s.arrival) AS arrival_us, s.path, s.line, s.reading{values}
            {events_of_askable(recount)} AND d.is_drawn) e
        ASOF LEFT JOIN every_tick t ON e.arrival_us > t.tick_us
        ORDER BY e.key_number, e.arrival_us, e.path, e.line, e.reading""").to_arrow_table()
    found = defaultdict(list)
    for row in rows.to_pylist():
        key, start, end, arrival, newest = (row[name] for name in TIMES)
        named = {each: row[value_name(recount.query, each)] for each in columns}
        named |= {"start": to_time(start), "end": to_time(end), "arrival": to_time(arrival)}
        found[key].append(Event((key,), start, end, arrival, named, _watermark(recount, newest)))
    return found


def _revisions(recount: Recount) -> dict[int, dict[Place, int]]:
    """By key: the newest of each window that has rows of earlier days."""
    found: dict[int, dict[Place, int]] = defaultdict(dict)
    for key, start, end, number, revision in recount.rows("""
            SELECT key_number, window_start_us, window_end_us, window_number, earlier
            FROM published SEMI JOIN (FROM askable_keys WHERE is_drawn) USING (key_number)"""):
        found[key][start, end, number] = revision
    return found
