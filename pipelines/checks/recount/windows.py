"""Which windows there are, and which of them hold which event.

    windows    (number, window_start_us, window_end_us, reached_us, closed_us): reached is P(end), closed is
               P(end + allowed). Of every key; rolling ones are a key's own, with key_number and born_us
    numbered   the events of `reading`, with the numbers of their first and last window

Regular windows are numbered by start, and their ends never fall: an event lies in those from first to last.
"""

import pyarrow

from pipelines.checks.recount import rolling, sql
from pipelines.checks.recount.calendar import calendar_windows
from pipelines.checks.recount.subject import Recount
from pipelines.checks.recount.ticks import with_passes


def add_windows(recount: Recount) -> None:
    """Make `windows`: O(windows over the time that the events cover)."""
    if recount.query.window.kind == "rolling":
        rolling.add_windows(recount)
        return
    _add_grid(recount)
    recount.connection.execute(f"CREATE TEMP TABLE windows AS {with_passes(recount, 'grid')}")
    recount.connection.execute("""
        CREATE TEMP TABLE first_of_end AS
        SELECT window_end_us, min(number) AS number FROM windows GROUP BY window_end_us""")
    recount.connection.execute(f"CREATE TEMP TABLE numbered AS {numbered('reading')}")


def _add_grid(recount: Recount) -> None:
    # Without events any time will do: a window that holds none says nothing.
    first_us, last_us = recount.one("""
        SELECT coalesce(min(start_us), 0), coalesce(max(reach_us), 0)
        FROM (SELECT start_us, reach_us FROM reading UNION ALL SELECT start_us, reach_us FROM arrived)""")
    listed = _regular if recount.query.window.zone is None else _calendar
    recount.connection.execute(f"CREATE TEMP TABLE grid AS {listed(recount, first_us, last_us)}")


def _regular(recount: Recount, first_us: int, last_us: int) -> str:
    window = recount.query.window
    size_us = sql.microseconds(window.size)
    slide_us = sql.microseconds(getattr(window, "slide", window.size))
    origin_us = sql.microseconds(window.origin - sql.EPOCH) if window.origin else 0
    # One more at either end: the first window that ends after a time is looked for, also of a time in a gap.
    first, last = (first_us - size_us - origin_us) // slide_us, (last_us - origin_us) // slide_us + 1
    return f"""
        SELECT number, {origin_us} + number * {slide_us} AS window_start_us,
               window_start_us + {size_us} AS window_end_us
        FROM range({first}, {last + 1}) r(number)"""


def _calendar(recount: Recount, first_us: int, last_us: int) -> str:
    windows = calendar_windows(recount.query.window, first_us, last_us)
    starts, ends = [start for start, _ in windows], [end for _, end in windows]
    recount.connection.register("listed", pyarrow.table(
        {"number": range(len(windows)), "window_start_us": starts, "window_end_us": ends}))
    return "SELECT * FROM listed"


def numbered(relation: str) -> str:
    """SQL: a relation with `start_us` and `reach_us`, and the numbers `first` and `last` of the windows that hold it.

    first > last where none does. The grid reaches beyond all events at both ends, so that both are always found.
    """
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
