"""What a recount asks of a query's windows, in SQL. Each file of this folder answers it for one kind."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import timedelta
from typing import Generic, TypeVar

from windrow.pipelines.gate.recount import changes, sql
from windrow.pipelines.gate.recount.query_days import QueryConnection, Recount
from windrow.pipelines.gate.recount.ticks import with_passes
from windrow.schemas.query import Query
from windrow.schemas.windows import Window

Asked = TypeVar("Asked", bound=Window)


class SqlWindows(ABC, Generic[Asked]):
    """The windows of a query, `window` being how it asks for them."""

    def __init__(self, window: Asked):
        self.window = window

    @property
    def limits(self) -> Mapping[str, str]:
        """How far laws are looked at, by file, where that isn't all that they say."""
        return {}

    @abstractmethod
    def add_windows(self, recount: Recount) -> None:
        """Make the table `windows` (number, window_start_us, window_end_us, reached_us, closed_us): reached is P(end),
        closed is P(end + allowed). They are those that an event meets, of every key."""

    @abstractmethod
    def missed(self, recount: Recount) -> str:
        """SQL: each event of `arrived` with `windows`, how many hold it, `windows_missed`, and of those that it missed
        `first_missed_us`, `first_end_us` and `last_missed_us`."""

    @abstractmethod
    def first_start_us(self, recount: Recount, watermark_us: int) -> int:
        """The start after which events are read; the watermark is that before the days."""

    @abstractmethod
    def history(self, recount: Recount) -> str:
        """SQL: what was known of each window after each tick that changed it (opening.py)."""

    @abstractmethod
    def final_rows(self, recount: Recount) -> str:
        """SQL: what each window holds that closed in one of the days: `recount.window`, recounted_events,
        recounted_late_events, recounted_i, tolerance_i; emitted_date, the day in which it closed; and newest_tick_us,
        the tick of its newest row."""

    def in_panes(self, recount: QueryConnection) -> str:
        """SQL: the events of `candidates` that windows hold, with `pane_us`: the last time at or before each at which a
        window starts or ends; of windows that panes are kept of."""
        raise NotImplementedError

    def closed_in_their_day(self, recount: Recount) -> str | None:
        """SQL: a join that keeps of audit rows those of windows that closed in the row's day; None where windows don't
        say it without their rows."""
        return None

    def reach_us(self, event: str) -> str:
        """SQL: the last microsecond of an event that a window must hold some of: its start, unless its end counts."""
        return f"epoch_us({event}.start)"

    def numbers(self, event: str) -> str:
        """SQL: columns more of an event with `start_us` and `reach_us`: the numbers `first` and `last` of the windows
        that hold it, where they follow from these alone."""
        return ""

    def too_long(self, event: str) -> str:
        """SQL: whether an event is longer than windows hold."""
        longest_us = self.window.longest_event_us
        return "FALSE" if longest_us is None else f"epoch_us({event}.end) - epoch_us({event}.start) > {longest_us}"

    def exceptions(self, query: Query) -> dict[str, str]:
        """The laws that do not apply, by file ("law_3_counts"), with the windows and emit for which that is so."""
        return {}


class LookedBackWindows(SqlWindows[Asked], Generic[Asked]):
    """Windows that are known without their events: those of days follow from a look-back (semantics §4), and an event
    is in a range of them."""

    # SQL: from when on a window `w` exists; no row counts an event of it before.
    began_us = str(sql.EVER_US)
    # What windows have a numbering of.
    numbered_by: tuple[str, ...] = ()

    @abstractmethod
    def add_windows(self, recount: Recount | QueryConnection) -> None: ...

    @abstractmethod
    def add_met(self, recount: Recount | QueryConnection) -> None:
        """Make the table `met`: the events of `candidates` that windows hold, with the numbers `first` and `last` of
        these, and `in_time`, whether the event came before any of them was reached."""

    @abstractmethod
    def longest(self) -> timedelta:
        """The longest time between the start of an event and the end of a window that holds it; more does no harm."""

    def spans(self, recount: Recount) -> str:
        """SQL: the events of `candidates` that windows hold of which the days may emit rows, as ranges of numbers:
        those from `held_from` to before `until` hold it, and it was late for those before `on_time_from` (`is_late`).

        To look up which windows had closed took as long as all the rest of a recount; most events are in time.
        """
        self.add_met(recount)
        low, high = recount.one(f"""
            SELECT coalesce(min(number), 0), coalesce(max(number), -1) FROM windows
            WHERE {changes.can_emit(recount)}""")
        by = "".join(f"{column}, " for column in self.numbered_by)
        same_c, same_r = ("".join(f"e.{column} = {of}.{column} AND " for column in self.numbered_by) for of in "cr")
        return f"""
            SELECT * EXCLUDE (first, last, in_time, held_first, on_time_first),
                   greatest(first, held_first, {low}) AS held_from, least(last, {high}) + 1 AS until,
                   least(greatest(first, on_time_first, {low}), least(last, {high}) + 1) AS on_time_from
            FROM (
                SELECT *, FALSE AS is_late, first AS held_first, first AS on_time_first FROM met WHERE in_time
                UNION ALL
                SELECT e.*, TRUE, c.number, coalesce(r.number, {high} + 1)
                FROM (FROM met WHERE NOT in_time) e
                ASOF JOIN (SELECT {by}closed_us, min(number) AS number FROM windows GROUP BY ALL) c
                    ON {same_c}e.arrival_us <= c.closed_us
                ASOF LEFT JOIN (SELECT {by}reached_us, min(number) AS number FROM windows GROUP BY ALL) r
                    ON {same_r}e.arrival_us <= r.reached_us)
            WHERE greatest(first, held_first, {low}) <= least(last, {high})"""

    def first_start_us(self, recount: Recount, watermark_us: int) -> int:
        """Of the oldest window that can still change (semantics §4)."""
        return watermark_us - sql.microseconds(recount.query.allowed_lateness) - sql.microseconds(self.longest())

    def history(self, recount: Recount) -> str:
        return changes.history(recount, self.spans(recount), self.began_us)

    def closed_in_their_day(self, recount: Recount) -> str:
        window = ", ".join((*self.numbered_by, "window_start_us", "window_end_us"))
        closed = f"SELECT {window}, {sql.day_of('closed_us')} AS emitted_date FROM windows WHERE {_closes(recount)}"
        return f"SEMI JOIN ({closed}) USING ({window}, emitted_date)"

    def final_rows(self, recount: Recount) -> str:
        newest_tick_us = changes.NEWEST_TICKS[recount.query.emit].format("v.newest_arrival_us", self.began_us)
        return f"""
            SELECT v.* EXCLUDE (number), w.window_start_us, w.window_end_us,
                   {sql.day_of("w.closed_us")} AS emitted_date,
                   {newest_tick_us} AS newest_tick_us
            FROM (SELECT *, unnest(generate_series(first, until - 1)) AS number FROM final_values) v
            JOIN windows w USING (number)
            WHERE {_closes(recount)}"""


def _closes(recount: Recount) -> str:
    """SQL: whether a window closes in the days."""
    return f"closed_us >= {recount.start_us} AND closed_us < {recount.end_us}"


class NumberedWindows(LookedBackWindows[Asked], Generic[Asked]):
    """Windows that have numbers, by start, and whose ends never fall: an event lies in those from first to last. A kind
    says which windows there are, and which numbers an event meets."""

    met_is_a = "TABLE"

    @abstractmethod
    def listed(self, recount: Recount | QueryConnection) -> str:
        """SQL: number, window_start_us and window_end_us of every window that an event meets."""

    @abstractmethod
    def numbered(self, relation: str) -> str:
        """SQL: a relation with `start_us` and `reach_us`, and the numbers `first` and `last` of the windows that hold
        it; first > last where none does."""

    def add_windows(self, recount: Recount | QueryConnection) -> None:
        listed = f"({self.listed(recount)})"
        recount.connection.execute(f"CREATE TEMP TABLE windows AS {with_passes(recount, listed)}")

    def add_met(self, recount: Recount | QueryConnection) -> None:
        """O(events): ends never fall, so that an event's windows that had not passed are its last ones."""
        recount.connection.execute(f"""
            CREATE OR REPLACE TEMP {self.met_is_a} met AS
            SELECT e.*, e.arrival_us <= f.reached_us AS in_time
            FROM ({self.numbered("candidates")}) e JOIN windows f ON f.number = e.first WHERE e.first <= e.last""")

    def in_panes(self, recount: QueryConnection) -> str:
        self.add_windows(recount)
        return f"""
            SELECT e.*, greatest(l.window_start_us, b.window_end_us) AS pane_us
            FROM ({self.numbered("candidates")}) e JOIN windows l ON l.number = e.last
            LEFT JOIN windows b ON b.number = e.first - 1 WHERE e.first <= e.last"""

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

    met_is_a = "VIEW"  # one look-up an event

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

    def from_us(self, event: str) -> str:
        """SQL: the first microsecond of an event of `candidates` or `arrived` that counts."""
        return f"{event}.start_us"

    def numbers(self, event: str) -> str:
        first, last = self.first_end_after(self.from_us(event)), self.last_start_until(f"{event}.reach_us")
        return f", {first} AS first, {last} AS last"

    def numbered(self, relation: str) -> str:
        return f"FROM {relation}"

    def in_panes(self, recount: QueryConnection) -> str:
        edges = f"greatest({self.start('last')}, {self.end('(first - 1)')})"
        return f"SELECT *, {edges} AS pane_us FROM ({self.numbered('candidates')}) WHERE first <= last"

    def listed(self, recount: Recount | QueryConnection) -> str:
        """Every window between the first and the last of an event, in stretches that events have in common: listing
        all windows over the time that the events cover took billions of them for one clock that says 1970. Of an event
        that is too long its first and its last window are enough: no other is shown."""
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
