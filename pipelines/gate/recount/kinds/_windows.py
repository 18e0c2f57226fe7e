"""What a recount asks of a query's windows, in SQL. Each file of this folder answers it for one kind."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import timedelta
from typing import Generic, TypeVar

from pipelines.gate.recount import changes, sql
from pipelines.gate.recount.query_days import QueryConnection, Recount
from schemas.query import Query
from schemas.windows import Window

Asked = TypeVar("Asked", bound=Window)


class SqlWindows(ABC, Generic[Asked]):
    """The windows of a query, `window` being how it asks for them."""

    # Whether a later revision may count fewer events.
    events_may_fall = False
    # SQL: of an event that missed windows, how many its late row says that they are.
    windows_missed = "windows_missed"

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

    def reach_us(self, event: str) -> str:
        """SQL: the last microsecond of an event that a window must hold some of: its start, unless its end counts."""
        return f"epoch_us({event}.start)"

    def from_us(self, event: str) -> str:
        """SQL: the first microsecond of an event of `candidates` or `arrived` that counts."""
        return f"{event}.start_us"

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
    def add_windows(self, recount: QueryConnection) -> None: ...

    @abstractmethod
    def add_met(self, recount: QueryConnection) -> None:
        """Make the table `met`: the events of `candidates` that windows hold, with the numbers `first` and `last` of
        these, and `in_time`, whether the event came before any of them was reached."""

    @abstractmethod
    def longest(self) -> timedelta:
        """The longest time between the start of an event and the end of a window that holds it; more does no harm."""

    def spans(self, recount: Recount) -> str:
        """SQL: the events of `candidates` that windows hold of which the days may emit rows, as ranges of numbers:
        those from `held_from` to before `until` hold it, and it was late for those before `on_time_from`.

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
                SELECT *, first AS held_first, first AS on_time_first FROM met WHERE in_time
                UNION ALL
                SELECT e.*, c.number AS held_first, coalesce(r.number, {high} + 1) AS on_time_first
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

    def final_rows(self, recount: Recount) -> str:
        newest_tick_us = changes.NEWEST_TICKS[recount.query.emit].format(began_us=self.began_us)
        return f"""
            SELECT v.* EXCLUDE (number), w.window_start_us, w.window_end_us,
                   {sql.day_of("w.closed_us")} AS emitted_date,
                   {newest_tick_us} AS newest_tick_us
            FROM (SELECT *, unnest(generate_series(first, until - 1)) AS number FROM final_values) v
            JOIN windows w USING (number)
            WHERE w.closed_us >= {recount.start_us} AND w.closed_us < {recount.end_us}"""
