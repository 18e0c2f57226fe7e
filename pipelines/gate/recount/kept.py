"""Panes of arrival days that a run read instead of events: their plain recounts (panes.py) stand among the events, each
for as many as were counted. The gate says itself that they had come before any window was passed that the days change.

    events    (key, start, arrival, values)                           1 each
    panes     (key, start, the end of their day, a part of each aggregate)   as many as were counted
"""

from collections.abc import Mapping
from datetime import date

import numpy as np

from windrow.pipelines.gate.recount import sql
from windrow.pipelines.gate.recount.digests import holds
from windrow.pipelines.gate.recount.query_days import Recount, RecountDatabase
from windrow.pipelines.gate.recount.tables import TableVersion, add_view
from windrow.pipelines.gate.recount.ticks import newest_before_us
from windrow.pipelines.tables.arrival_days import DAY_US
from windrow.schemas.query import Query
from windrow.schemas.side_tables import NOTHING, PANE_EVENTS, panes_table, recounted_names
from windrow.schemas.windows import DAY


def add_panes(recount: Recount, since: date) -> date | None:
    """Name as `all_panes` those of arrival days since then; the day from which on events are read. None where the run
    read no panes, or maintenance has removed them since, or some came behind a window's end that the days may change:
    then all events are."""
    version, before = recount.versions.panes, recount.versions.panes_before
    if version is None or before is None:
        return None
    lake, table, from_day = recount.lake, panes_table(recount.query, recount.stream), date.fromisoformat(before)
    if lake.lacks_files(table.name, version) or not _came_in_time(recount, from_day):
        return None
    of_days = (since, from_day - DAY)
    add_view(recount.connection, "all_panes", TableVersion(lake, table, version), of_days)
    return from_day if _are_as_made(recount, table.name, version, of_days) else None


def _are_as_made(recount: Recount, name: str, version: int, of_days: tuple[date, date]) -> bool:
    among = [("arrival_date", sign, str(day)) for sign, day in zip((">=", "<="), of_days, strict=True)]
    named = (path.rpartition("/")[0].split("/")[-3:] for path in recount.lake.files(name, version, among))
    wanted = {(day.partition("=")[2], held.partition("=")[2]) for day, _, held in named}
    found = recount.rows(
        f"SELECT CAST(arrival_date AS VARCHAR), holds, {holds(recount, 'all_panes')} FROM all_panes GROUP BY ALL"
    )
    right = {(day, held) for day, held, again in found if held == again}
    return len(right) == len(found) and {each for each in wanted if each[1] != NOTHING} == right


def _came_in_time(recount: Recount, from_day: date) -> bool:
    """Whether the watermark had passed no window before that day which is open in the first of the days."""
    then_us, now_us = (newest_before_us(recount, day) for day in (from_day, recount.days[0]))
    return then_us is None or (
        now_us is not None and then_us <= now_us - sql.microseconds(recount.query.allowed_lateness)
    )


def rows(query: Query, keys: str, after_us: int) -> str:
    """SQL: the panes that start after a time, as events of sources.py; what these have besides is null."""
    parts = "".join(f", {column}" for column in _columns(query))
    return f"""
        SELECT {keys} TRUE AS is_event, start, start AS "end", epoch_us(start) AS start_us, epoch_us(start) AS end_us,
               {sql.begin_us("arrival_date")} + {DAY_US - 1} AS arrival_us, arrival_date, TRUE AS kept {parts}
        FROM panes WHERE start > {sql.at(after_us)}"""


def columns_of(recount: RecountDatabase, query: Query) -> str:
    """SQL: the columns that panes among the candidates have more; none where there are no panes."""
    has_panes = PANE_EVENTS in recount.types_of("candidates")
    return "".join(f", {column}" for column in _columns(query)) if has_panes else ""


def _columns(query: Query) -> list[str]:
    return [PANE_EVENTS, *(column for columns in recounted_names(query).values() for column in columns)]


def counts(events: Mapping[str, np.ndarray], many: int) -> np.ndarray:
    """int64: how many events each of so many rows stands for."""
    return np.ma.filled(events[PANE_EVENTS], 1).astype(np.int64) if PANE_EVENTS in events else np.ones(many, np.int64)


def parts(
    query: Query, events: Mapping[str, np.ndarray], name: str, numbers: np.ndarray, present: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Of an aggregate: its numbers, of how many values each is, and of which magnitude; those of events as they are.
    None where there are no panes."""
    if PANE_EVENTS not in events:
        return None
    is_pane = ~np.ma.getmaskarray(events[PANE_EVENTS])
    part, values, magnitude = (np.ma.filled(events[column], 0) for column in recounted_names(query)[name])
    return (
        np.where(is_pane, part, numbers).astype(numbers.dtype),
        np.where(is_pane, values, present).astype(np.int64),
        np.where(is_pane, magnitude, np.abs(numbers)).astype(np.float64),
    )
