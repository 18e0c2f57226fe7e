"""Rolling windows: one per key and event time that an event not too late for it has shown (semantics §2).

Events and windows meet in cells as long as the window: a window's events lie in its last time's cell or the
one before. A join on the key alone would pair all of a station's events of the look-back with each other.
"""

from datetime import timedelta

from windrow.pipelines.gate.recount import sql
from windrow.pipelines.gate.recount.changes import firing
from windrow.pipelines.gate.recount.kinds._windows import LookedBackWindows
from windrow.pipelines.gate.recount.query_days import QueryConnection, Recount
from windrow.pipelines.gate.recount.ticks import with_passes
from windrow.schemas.query import Query
from windrow.schemas.windows import MICROSECOND, Rolling


class RollingWindows(LookedBackWindows[Rolling]):
    """Windows at event times: a key has those of the times that it has seen."""

    began_us = "w.born_us"
    numbered_by = ("key_number",)

    def __init__(self, window: Rolling):
        super().__init__(window)
        self.size_us, self.beyond_us = sql.microseconds(window.size), window.beyond_us

    def longest(self) -> timedelta:
        return self.window.size + MICROSECOND  # to the event that it is named after, whether it holds it or not

    def first_start_us(self, recount: Recount, watermark_us: int) -> int:
        """Also every event time that a late event of the days may lie in a window of."""
        lower_us = super().first_start_us(recount, watermark_us)
        (oldest_us,) = recount.one("SELECT min(epoch_us(start)) FROM silver_of_days")
        return lower_us if oldest_us is None else min(lower_us, oldest_us - 1)

    def add_windows(self, recount: Recount | QueryConnection) -> None:
        """`times` has every event time's window; `windows` those that exist, with key_number and born_us."""
        seen = f"""(
            SELECT DISTINCT start_us + {self.beyond_us - self.size_us} AS window_start_us,
                   start_us + {self.beyond_us} AS window_end_us
            FROM candidates)"""
        recount.connection.execute(f"CREATE TEMP TABLE times AS {with_passes(recount, seen)}")
        recount.connection.execute(f"""
            CREATE TEMP TABLE windows AS
            SELECT row_number() OVER (ORDER BY e.key_number, t.window_end_us) AS number, t.*, e.key_number,
                   min(e.arrival_us) AS born_us
            FROM candidates e JOIN times t ON e.start_us + {self.beyond_us} = t.window_end_us
            WHERE e.arrival_us <= t.closed_us
            GROUP BY e.key_number, t.window_start_us, t.window_end_us, t.reached_us, t.closed_us""")

    def add_met(self, recount: Recount | QueryConnection) -> None:
        """O(events): a key's windows are numbered by their times, so that an event's windows are a range."""
        recount.connection.execute("""
            CREATE OR REPLACE TEMP TABLE met AS
            SELECT e.*, f.number AS first, l.number AS last, e.arrival_us <= f.reached_us AS in_time
            FROM candidates e
            ASOF JOIN windows f ON e.key_number = f.key_number AND e.start_us < f.window_end_us
            ASOF JOIN windows l ON e.key_number = l.key_number AND e.start_us >= l.window_start_us
            WHERE f.number <= l.number""")

    def missed(self, recount: Recount) -> str:
        """A late event's windows are those of the times that its key has seen by then, itself included. Ends never
        fall: an event that was not too late for its own time's window missed none, and is paired with none."""
        cell = f"floor_div(start_us, {self.size_us})"
        return f"""
            WITH too_late AS (
                SELECT a.* FROM arrived a JOIN times t ON a.start_us + {self.beyond_us} = t.window_end_us
                WHERE a.kept AND t.closed_us < a.arrival_us),
            shown AS (
                SELECT key_number, start_us AS time_us, min(arrival_us) AS seen_us, {cell} AS near
                FROM candidates SEMI JOIN too_late USING (key_number) GROUP BY ALL),
            counted AS (
                SELECT a.key_number, a.arrival_date, a.path_number, a.line, a.reading, count(*) AS windows,
                       count(*) FILTER (t.closed_us < a.arrival_us) AS windows_missed,
                       min(t.window_start_us) FILTER (t.closed_us < a.arrival_us) AS first_missed_us,
                       max(t.window_start_us) FILTER (t.closed_us < a.arrival_us) AS last_missed_us,
                       min(t.window_end_us) FILTER (t.closed_us < a.arrival_us) AS first_end_us
                FROM (SELECT *, unnest([{cell}, {cell} + 1]) AS near FROM too_late) a
                JOIN shown s USING (key_number, near)
                JOIN times t ON s.time_us + {self.beyond_us} = t.window_end_us
                WHERE s.time_us BETWEEN a.start_us AND a.start_us + {self.size_us - self.beyond_us}
                  AND s.seen_us <= a.arrival_us
                GROUP BY ALL)
            SELECT a.*, coalesce(c.windows, 1) AS windows, first_missed_us, first_end_us, last_missed_us,
                   coalesce(windows_missed, 0) AS windows_missed
            FROM arrived a LEFT JOIN counted c USING (arrival_date, path_number, line, reading)"""

    def history(self, recount: Recount) -> str:
        """With emit `arrival`, after each tick of a key a row of its youngest window alone, if the tick changed it
        (semantics §2)."""
        if recount.query.emit != "arrival":
            return super().history(recount)
        return f"""
            WITH own AS (
                SELECT e.key_number, e.arrival_us AS tick_us, e.start_us, e.arrival_us <= t.closed_us AS shows
                FROM candidates e JOIN times t ON e.start_us + {self.beyond_us} = t.window_end_us),
            bursts AS (
                SELECT key_number, tick_us, max(start_us) FILTER (shows) AS shown_us
                FROM own GROUP BY key_number, tick_us),
            so_far AS (
                SELECT key_number, tick_us,
                       max(shown_us) OVER (PARTITION BY key_number ORDER BY tick_us) AS time_us
                FROM bursts),
            youngest AS (
                SELECT *, time_us IS DISTINCT FROM lag(time_us) OVER before AS is_new
                FROM so_far WINDOW before AS (PARTITION BY key_number ORDER BY tick_us)),
            emitted AS (
                SELECT DISTINCT y.key_number, y.tick_us, t.window_start_us, t.window_end_us, t.reached_us, t.closed_us
                FROM youngest y
                JOIN times t ON y.time_us + {self.beyond_us} = t.window_end_us
                JOIN own e ON e.key_number = y.key_number
                    AND (e.tick_us = y.tick_us OR (y.is_new AND e.tick_us < y.tick_us))
                WHERE e.start_us >= t.window_start_us AND e.start_us < t.window_end_us AND y.tick_us <= t.closed_us)
            SELECT key_number, window_start_us, window_end_us, closed_us, tick_us,
                   row_number() OVER (PARTITION BY key_number, window_end_us ORDER BY tick_us) - 1 AS revision,
                   {firing(recount)} AS pane
            FROM emitted"""

    def exceptions(self, query: Query) -> dict[str, str]:
        """Rows of the youngest window do not say what becomes of the others (semantics §2)."""
        if query.emit != "arrival":
            return {}
        return dict.fromkeys(("law_3_counts", "law_5_final_rows"), "rolling windows with emit 'arrival'")


in_sql = RollingWindows
