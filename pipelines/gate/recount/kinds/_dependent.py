"""Windows that depend on their key's other events: those that the run's rows name, held against silver.

Where such a window ends, a walk over all of its key's events says, and no grouping; so nothing here says which windows
there are. A row says from when to when it is, and silver how many events it can have held then (rows_held.py). Of some
keys the walk is made (../plain/).
"""

from collections.abc import Mapping
from typing import Generic

import numpy as np
import pyarrow as pa

from windrow.pipelines.gate.recount import aggregates, sql
from windrow.pipelines.gate.recount.changes import firing
from windrow.pipelines.gate.recount.final_values import key_parts, values_of_ranges
from windrow.pipelines.gate.recount.kinds._windows import Asked, SqlWindows
from windrow.pipelines.gate.recount.plain.aggregates import EXACT
from windrow.pipelines.gate.recount.plain.kinds import of_kind
from windrow.pipelines.gate.recount.query_days import Recount, column_name
from windrow.pipelines.gate.recount.rows_held import HeldBounds, OrderedEvents, RowsToCount, bounds
from windrow.pipelines.gate.recount.ticks import with_passes
from windrow.schemas.query import Query

# SQL: whether a row came with an event of its key, or as the watermark rose.
IS_TICK = """(r.emitted_at_us IN (SELECT tick_us FROM ticks) OR EXISTS (
    FROM arrived v WHERE v.kept AND v.key_number = r.key_number AND v.arrival_us = r.emitted_at_us))"""


class DependentWindows(SqlWindows[Asked], Generic[Asked]):
    """What the times of a row say of its window, the kind's walk knows (`shape`)."""

    # SQL: how many events a row that closes a window has, where silver says whether it is right.
    closing_events = "0"
    # How far law 3 is looked at, where all events between a window's times are in it.
    ends = "but for events of one time at a window's ends"

    def __init__(self, window: Asked):
        super().__init__(window)
        self.shape = of_kind(window).shape(window)

    @property
    def limits(self) -> Mapping[str, str]:
        passing = "" if self.shape.passes_at_end else ", nor when a window was passed"
        return {
            "law_2_events": "which windows an event is in is counted again of drawn keys only",
            "law_3_counts": self.ends if self.shape.all_between else "no more than lie between a window's times",
            "law_4_revisions": f"rows that are missing are looked for of drawn keys only{passing}",
            "law_5_final_rows": "the newest row of each window, where it holds all events between its times",
        }

    def exceptions(self, query: Query) -> dict[str, str]:
        """A plain replay can't cut windows as kernels do by an aggregate that it doesn't know, or that is rounded."""
        functions = {each.function for each in self.window.reads.values()} | {getattr(self.window, "function", "count")}
        others = sorted(functions - EXACT)
        return {"law_5_drawn_keys": f"windows that {', '.join(others)} cuts"} if others else {}

    def first_start_us(self, recount: Recount, watermark_us: int) -> int:
        """Of the oldest window of the run's rows."""
        (oldest_us,) = recount.one("SELECT min(epoch_us(window_start)) FROM audit_table")
        return (watermark_us if oldest_us is None else oldest_us) - 1

    def add_windows(self, recount: Recount) -> None:
        """`numbered_rows`: those of the run; `bounds`: what they can hold; `ranges`: what is in windows that hold
        all that came between their times. Events are taken EVENTS_AT_ONCE, whole keys."""
        ends = "(SELECT DISTINCT window_end_us FROM audit)"
        recount.connection.execute(f"CREATE TEMP TABLE windows AS {with_passes(recount, ends)}")
        recount.connection.execute(f"CREATE TEMP TABLE taken AS {self._taken(recount)}")
        recount.connection.execute(f"CREATE TEMP TABLE numbered_rows AS {_numbered_rows(recount)}")
        entries = "SELECT key_number FROM taken UNION ALL SELECT key_number FROM numbered_rows"
        for first, last, _ in key_parts(recount, entries):
            self._add_counted(recount, f"WHERE key_number BETWEEN {first} AND {last}")

    def missed(self, recount: Recount) -> str:
        """An event that starts before the watermark less the allowed lateness."""
        return f"""
            SELECT a.*, 1 AS windows, NULL AS first_missed_us, a.start_us + 1 AS first_end_us,
                   NULL AS last_missed_us, CAST({self.is_too_late(recount, "a")} AS BIGINT) AS windows_missed
            FROM arrived a ASOF LEFT JOIN ticks t ON a.arrival_us > t.tick_us"""

    def is_too_late(self, recount: Recount, event: str) -> str:
        """SQL: whether an event, with the ticks `t` before its own, changes nothing."""
        if self.shape.never_late:
            return "FALSE"
        waits_us = sql.microseconds(recount.query.lateness) + sql.microseconds(recount.query.allowed_lateness)
        return f"coalesce({event}.start_us < t.newest_us - {waits_us}, FALSE)"

    def history(self, recount: Recount) -> str:
        """The run's rows with the nearest that silver allows; a window that is no more has a row without events."""
        pane = firing(recount) if self.shape.passes_at_end else "pane"
        window, size = ", ".join(recount.window), sql.literal(self.shape.size)
        return f"""
            SELECT {window}, {sql.NEVER_US} AS closed_us, {pane} AS pane,
                   CASE WHEN is_tick THEN emitted_at_us END AS tick_us,
                   coalesce(earlier, -1) + row_number() OVER (
                       PARTITION BY {window} ORDER BY emitted_at_us, revision) AS revision,
                   CASE WHEN is_closed THEN {self.closing_events} WHEN events = 0 THEN 1
                        WHEN {size} IS NULL THEN greatest(least, least(most, events))
                        WHEN {size} BETWEEN least AND most THEN {size} ELSE 0 END AS events,
                   CASE WHEN is_closed THEN 0
                        ELSE greatest(least_late, least(most_late, late_events)) END AS late_events
            FROM (
                SELECT r.*, r.emitted_at_us AS tick_us, b.* EXCLUDE (row),
                       r.events = 0 AND r.revision > 0 AS is_closed, {IS_TICK} AS is_tick, p.earlier
                FROM numbered_rows r JOIN bounds b USING (row) LEFT JOIN published p USING ({window}))"""

    def final_rows(self, recount: Recount) -> str:
        """Of windows that hold all that came between their times: then what they hold is known."""
        window = ", ".join(recount.window)
        return f"""
            SELECT {window}, emitted_date, events AS recounted_events, late_events AS recounted_late_events,
                   emitted_at_us AS newest_tick_us, g.* EXCLUDE (row)
            FROM numbered_rows JOIN ranges g USING (row)"""

    def holds(self, recount: Recount, event: str) -> str:
        """SQL: whether an event counts at all: where its value cuts windows, it must have one."""
        column = getattr(self.window, "column", None)
        return "TRUE" if column is None else f"{event}.{column_name(recount.query, column)} IS NOT NULL"

    def since_us(self, recount: Recount) -> str:
        """SQL: from which start on the events of a key are looked at, by its rows."""
        return "min(window_start_us)"

    def read_of_events(self, recount: Recount) -> str:
        """SQL: columns more of the events that are taken, for bounds_of."""
        return ""

    def bounds_of(self, events: OrderedEvents, read: Mapping[str, np.ndarray], rows: RowsToCount) -> HeldBounds:
        return bounds(events, rows, self.shape)

    def _taken(self, recount: Recount) -> str:
        # Of keys that have rows, from the first of their windows on.
        return f"""
            SELECT e.* FROM (
                SELECT e.* FROM candidates e JOIN (
                    SELECT key_number, {self.since_us(recount)} AS since_us FROM audit GROUP BY key_number)
                    USING (key_number)
                WHERE e.start_us >= since_us) e
            ASOF LEFT JOIN ticks t ON e.arrival_us > t.tick_us
            WHERE {self.holds(recount, "e")} AND NOT {self.is_too_late(recount, "e")}"""

    def _add_counted(self, recount: Recount, of_keys: str) -> None:
        values_sql = aggregates.values_of(recount, "taken")
        values = recount.connection.execute(
            f"""SELECT key_number, start_us, arrival_us {self.read_of_events(recount)} {values_sql}
                FROM taken {of_keys} ORDER BY key_number, start_us"""
        ).fetchnumpy()
        events = OrderedEvents(*(_whole_numbers(values.pop(each)) for each in ("key_number", "start_us", "arrival_us")))
        columns = recount.connection.execute(f"SELECT * FROM numbered_rows {of_keys} ORDER BY row").fetchnumpy()
        named = ("key_number", "window_start_us", "window_end_us", "emitted_at_us", "reached_us")
        rows = RowsToCount(*(_whole_numbers(columns[name]) for name in named))
        found = self.bounds_of(events, values, rows)
        numbers, held = _whole_numbers(columns["row"]), _whole_numbers(columns["events"])
        recount.add_rows("bounds", pa.table({"row": numbers, **found._asdict()}))
        [whole] = np.nonzero(np.ma.getdata(columns["is_newest"]).astype(bool) & (held > 0) & (held == found.ever))
        first = events.place(rows.keys[whole], rows.starts_us[whole])
        of_ranges = values_of_ranges(recount.query, values, first, first + found.ever[whole])
        recount.add_rows("ranges", of_ranges.append_column("row", pa.array(numbers[whole])))


def _numbered_rows(recount: Recount) -> str:
    """SQL: the run's rows without aggregates, whose names are the user's; is_newest: of its window."""
    window = ", ".join(f"a.{column}" for column in recount.window)
    named = f"{window}, a.revision, a.pane, a.emitted_at_us, a.emitted_date, a.events, a.late_events"
    return f"""
        SELECT row_number() OVER (ORDER BY {named}) - 1 AS row, {named}, w.reached_us,
               row_number() OVER (PARTITION BY {window} ORDER BY a.revision DESC) = 1 AS is_newest
        FROM audit a JOIN windows w USING (window_end_us)"""


def _whole_numbers(column: np.ndarray) -> np.ndarray:
    return np.ma.getdata(column).astype(np.int64)
