"""The arrival ticks of a stream: what comes with each, and the watermark before and after it (semantics §1)."""

import math
import operator
from collections import defaultdict
from datetime import timedelta
from itertools import pairwise

from windrow.pipelines.gate.recount.plain.expressions import evaluate
from windrow.pipelines.gate.recount.plain.ticks import Event, Tick, to_us
from windrow.schemas.expression_text import parse
from windrow.schemas.query import Query

DAY_US = 86_400_000_000
OPERATORS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def history(events: list[dict], query: Query, complete: bool, idle_after: timedelta | None = None) -> list[Tick]:
    """The arrival ticks in order, with heartbeats as ticks without a burst. All events move the watermark; only those
    that pass `where` are in a burst."""
    rows_at = defaultdict(list)
    for row in events:
        rows_at[to_us(row["arrival"])].append(row)
    last = max(rows_at, default=None)
    beats = [] if idle_after is None else heartbeats(sorted(rows_at), to_us(idle_after))
    watermark, ticks = -math.inf, []
    for at in sorted([*rows_at, *beats]):
        rows, before = sorted(rows_at[at], key=lambda row: row["seq"]), watermark
        newest = max([to_us(row["start"]) for row in rows] or [at - to_us(idle_after)])
        watermark = max(before, newest - to_us(query.lateness))
        if complete and at == last:
            watermark = math.inf
        burst = [
            Event(tuple(row[c] for c in query.key), to_us(row["start"]), to_us(row["end"]), at, row, before)
            for row in rows
            if passes(row, query.where)
        ]
        ticks.append(Tick(at, burst, before, watermark))
    return ticks


def heartbeats(arrivals: list[int], idle: int) -> list[int]:
    """At each whole `idle` of silence, which counts from the last arrival or, if later, the day's beginning; before the
    next arrival, and after the last one until its day ends."""
    found = []
    for at, following in pairwise([*arrivals, *(midnight_after(at) for at in arrivals[-1:])]):
        silent_since, until = at, following
        while silent_since < until:
            day_ends = midnight_after(silent_since)
            beat = silent_since + idle
            while beat < min(until, day_ends):
                found.append(beat)
                beat += idle
            silent_since = day_ends
    return found


def midnight_after(time: int) -> int:
    """Of UTC."""
    return (time // DAY_US + 1) * DAY_US


def passes(row: dict, where: str | tuple) -> bool:
    """Whether all conditions hold; a comparison with null is false."""
    if isinstance(where, str):
        return evaluate(parse(where), row) is True
    return all(_holds(row[column], operation, value) for column, operation, value in where)


def _holds(value: object, operation: str, limit: object) -> bool:
    if operation in ("is_null", "not_null"):
        return (value is None) == (operation == "is_null")
    if value is None:
        return False
    if operation in ("in", "not_in"):
        known = [each for each in limit if each is not None]
        if operation == "in":
            return value in known
        return len(known) == len(limit) and value not in known
    return limit is not None and OPERATORS[operation](value, limit)
