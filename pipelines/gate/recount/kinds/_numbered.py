"""Windows that have numbers, by start, and whose ends never fall: an event lies in those from first to last."""

from abc import abstractmethod
from typing import Generic

from pipelines.gate.recount.kinds._windows import Asked, LookedBackWindows
from pipelines.gate.recount.query_days import QueryConnection, Recount
from pipelines.gate.recount.ticks import with_passes


class NumberedWindows(LookedBackWindows[Asked], Generic[Asked]):
    """A kind says which windows there are, and which numbers an event meets."""

    @abstractmethod
    def listed(self, recount: QueryConnection) -> str:
        """SQL: number, window_start_us and window_end_us of every window that an event meets."""

    @abstractmethod
    def numbered(self, relation: str) -> str:
        """SQL: a relation with `start_us` and `reach_us`, and the numbers `first` and `last` of the windows that hold
        it; first > last where none does."""

    def add_windows(self, recount: QueryConnection) -> None:
        listed = f"({self.listed(recount)})"
        recount.connection.execute(f"CREATE TEMP TABLE windows AS {with_passes(recount, listed)}")

    def add_met(self, recount: QueryConnection) -> None:
        """O(events): ends never fall, so that an event's windows that had not passed are its last ones."""
        recount.connection.execute(f"""
            CREATE OR REPLACE TEMP TABLE met AS
            SELECT e.*, e.arrival_us <= f.reached_us AS in_time
            FROM ({self.numbered("candidates")}) e JOIN windows f ON f.number = e.first WHERE e.first <= e.last""")

    def missed(self, recount: Recount) -> str:
        """Ends never fall: what an event missed is a first stretch of its windows. Most events missed none, since they
        came before their first window closed: only of the others it is looked up which had."""
        return f"""
            WITH met AS (
                SELECT a.*, coalesce(kept AND first <= last AND (too_long OR a.arrival_us > f.closed_us), TRUE)
                       AS missed_some
                FROM ({self.numbered("arrived")}) a LEFT JOIN windows f ON f.number = a.first),
            closed AS (
                SELECT a.*,
                       CASE WHEN too_long THEN last ELSE least(last, coalesce(c.number, first - 1)) END AS last_missed
                FROM (FROM met WHERE missed_some) a
                ASOF LEFT JOIN (SELECT closed_us, max(number) AS number FROM windows GROUP BY closed_us) c
                    ON a.arrival_us > c.closed_us)
            SELECT * EXCLUDE (first, last, missed_some), greatest(0, last - first + 1) AS windows,
                   NULL AS first_missed_us, NULL AS first_end_us, NULL AS last_missed_us, 0 AS windows_missed
            FROM met WHERE NOT missed_some
            UNION ALL
            SELECT a.* EXCLUDE (first, last, missed_some, last_missed), last - first + 1, f.window_start_us,
                   f.window_end_us, l.window_start_us, last_missed - first + 1
            FROM closed a
            LEFT JOIN windows f ON f.number = a.first LEFT JOIN windows l ON l.number = a.last_missed"""


class ClosedForms(NumberedWindows[Asked], Generic[Asked]):
    """Windows whose numbers and bounds follow from each other: a kind gives the four forms, in SQL, all times in µs."""

    @abstractmethod
    def start(self, number: str) -> str:
        """SQL: the first time of a window."""

    @abstractmethod
    def end(self, number: str) -> str:
        """SQL: the first time after a window."""

    @abstractmethod
    def first_end_after(self, time: str) -> str:
        """SQL: the number of the first window that ends after a time."""

    @abstractmethod
    def last_start_until(self, time: str) -> str:
        """SQL: the number of the last window that starts at or before a time."""

    def numbered(self, relation: str) -> str:
        return f"""
            SELECT e.*, {self.first_end_after(self.from_us("e"))} AS first,
                   {self.last_start_until("e.reach_us")} AS last
            FROM {relation} e"""

    def listed(self, recount: QueryConnection) -> str:
        """Every window between the first and the last of an event, in stretches that events have in common.

        Listing all windows over the time that the events cover took billions of them for one clock that says 1970.
        Of an event that is too long its first and its last window are enough: no other is shown.
        """
        arrived = f"({self.numbered('arrived')}) WHERE kept"
        return f"""
            WITH met AS (
                SELECT DISTINCT first, last FROM ({self.numbered("candidates")})
                UNION SELECT first, last FROM {arrived} AND NOT too_long
                UNION SELECT edge, edge FROM (
                    SELECT unnest([first, last]) AS edge FROM {arrived} AND too_long AND first <= last)),
            ahead AS (
                SELECT first, last, max(last) OVER (ORDER BY first, last
                                                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached
                FROM met WHERE first <= last),
            stretches AS (
                SELECT first, last,
                       sum(CASE WHEN first <= reached THEN 0 ELSE 1 END) OVER (ORDER BY first, last) AS stretch
                FROM ahead),
            ranges AS (SELECT min(first) AS low, max(last) AS high FROM stretches GROUP BY stretch)
            SELECT number, {self.start("number")} AS window_start_us, {self.end("number")} AS window_end_us
            FROM (SELECT unnest(generate_series(low, high)) AS number FROM ranges)"""
