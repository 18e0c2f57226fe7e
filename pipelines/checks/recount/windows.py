"""Which windows there are, and which of them hold which event.

    windows    (number, window_start_us, window_end_us, reached_us, closed_us): reached is P(end), closed is
               P(end + allowed). Those that an event meets, of every key; rolling ones are a key's own, with
               key_number and born_us
    numbered   the events of `reading`, with the numbers of their first and last window

Regular windows are numbered by start, and their ends never fall: an event lies in those from first to last.
"""

import pyarrow

from pipelines.checks.recount import rolling, sql
from pipelines.checks.recount.calendar import calendar_windows
from pipelines.checks.recount.subject import Recount
from pipelines.checks.recount.ticks import with_passes


def add_windows(recount: Recount) -> None:
    """Make `windows`: O(windows that events meet); for calendar windows, those over the time that events cover."""
    if recount.query.window.kind == "rolling":
        rolling.add_windows(recount)
        return
    grid = _regular(recount) if recount.query.window.zone is None else _calendar(recount)
    recount.connection.execute(f"CREATE TEMP TABLE grid AS {grid}")
    recount.connection.execute(f"CREATE TEMP TABLE windows AS {with_passes(recount, 'grid')}")
    recount.connection.execute("""
        CREATE TEMP TABLE first_of_end AS
        SELECT window_end_us, min(number) AS number FROM windows GROUP BY window_end_us""")
    recount.connection.execute(f"CREATE TEMP TABLE numbered AS {numbered(recount, 'reading')}")


def _regular(recount: Recount) -> str:
    """Every window between the first and the last of an event, in stretches that events have in common.

    Listing all windows over the time that the events cover took billions of them for one clock that says 1970.
    Of an event that is too long its first and its last window are enough: no other is told.
    """
    size_us, slide_us, origin_us = _lengths_us(recount)
    return f"""
        WITH met AS (
            SELECT first, last FROM ({numbered(recount, 'reading')})
            UNION ALL SELECT first, last FROM ({numbered(recount, 'arrived')}) WHERE kept AND NOT too_long
            UNION ALL SELECT edge, edge FROM (
                SELECT unnest([first, last]) AS edge
                FROM ({numbered(recount, 'arrived')}) WHERE kept AND too_long AND first <= last)),
        ahead AS (
            SELECT first, last, max(last) OVER (ORDER BY first, last
                                                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached
            FROM met WHERE first <= last),
        stretches AS (
            SELECT first, last, sum(CASE WHEN first <= reached THEN 0 ELSE 1 END) OVER (ORDER BY first, last) AS stretch
            FROM ahead),
        ranges AS (SELECT min(first) AS low, max(last) AS high FROM stretches GROUP BY stretch)
        SELECT number, {origin_us} + number * {slide_us} AS window_start_us,
               window_start_us + {size_us} AS window_end_us
        FROM (SELECT unnest(generate_series(low, high)) AS number FROM ranges)"""


def _lengths_us(recount: Recount) -> tuple[int, int, int]:
    """Size, slide and origin of windows without a zone."""
    window = recount.query.window
    origin_us = sql.microseconds(window.origin - sql.EPOCH) if window.origin else 0
    return sql.microseconds(window.size), sql.microseconds(getattr(window, "slide", window.size)), origin_us


def _calendar(recount: Recount) -> str:
    # Without events any time will do: a window that holds none says nothing.
    first_us, last_us = recount.one("""
        SELECT coalesce(min(start_us), 0), coalesce(max(reach_us), 0)
        FROM (SELECT start_us, reach_us FROM reading UNION ALL SELECT start_us, reach_us FROM arrived)""")
    windows = calendar_windows(recount.query.window, first_us, last_us)
    starts, ends = [start for start, _ in windows], [end for _, end in windows]
    recount.connection.register("listed", pyarrow.table(
        {"number": range(len(windows)), "window_start_us": starts, "window_end_us": ends}))
    return "SELECT * FROM listed"


def numbered(recount: Recount, relation: str) -> str:
    """SQL: a relation with `start_us` and `reach_us`, and the numbers `first` and `last` of the windows that hold it.

    first > last where none does. The calendar reaches beyond all events at both ends, so that both are always found.
    """
    if recount.query.window.zone is None:
        size_us, slide_us, origin_us = _lengths_us(recount)
        return f"""
            SELECT e.*, floor_div(e.start_us - {origin_us + size_us}, {slide_us}) + 1 AS first,
                   floor_div(e.reach_us - {origin_us}, {slide_us}) AS last
            FROM {relation} e"""
    return f"""
        SELECT e.*, f.number AS first, l.number AS last
        FROM {relation} e
        ASOF LEFT JOIN first_of_end f ON e.start_us < f.window_end_us
        ASOF LEFT JOIN windows l ON e.reach_us >= l.window_start_us"""


def held(recount: Recount, of_windows: str) -> str:
    """SQL: each event of `reading` with each chosen window that takes it, and from which tick rows count it.

    O(events x windows of an event): no event is paired with a window that is not one of its own.
    """
    if recount.query.window.kind == "rolling":
        return rolling.held(recount, of_windows, _tick(recount))
    low, high = recount.one(
        f"SELECT coalesce(min(number), 0), coalesce(max(number), -1) FROM windows WHERE {of_windows}")
    return f"""(
        SELECT e.*, w.window_start_us, w.window_end_us, w.reached_us, w.closed_us, {_tick(recount)} AS tick_us
        FROM (
            SELECT *, unnest(generate_series(greatest(first, {low}), least(last, {high}))) AS number
            FROM numbered) e
        JOIN (SELECT * FROM windows WHERE {of_windows}) w USING (number)
        WHERE e.arrival_us <= w.closed_us)"""


def tells(recount: Recount) -> str:
    """SQL: whether the day may say something of a window: still open, and its first row can have come."""
    first_row = {"final": "closed_us", "watermark": "reached_us"}.get(recount.query.emit)
    return f"closed_us >= {recount.start_us}" + (f" AND {first_row} < {recount.end_us}" if first_row else "")


def _tick(recount: Recount) -> str:
    """SQL: the tick from which rows count an event `e` of a window `w`, by emit (semantics §3)."""
    return {"final": "w.closed_us", "arrival": "e.arrival_us",
            "watermark": "greatest(e.arrival_us, w.reached_us)"}[recount.query.emit]
