"""Whether a run's days keep what their query promises (docs/promises.md): from silver, as the lateness curve is, and
from the rows that the run made and those that earlier days published.

    day of windows' ends      ──| W |── W + 1 ──|── W + 2 ──|
    runs that judge W           ▲       ▲           ▲           as long as something new of W arrives

A run judges its own day, and of the days before it those of which something new has arrived. What an earlier day's
arrivals had broken is no news, and stops no run.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from math import ceil

import pyarrow.compute as pc

from windrow.pipelines.delta import day_files
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.gate.recount import sql
from windrow.pipelines.gate.recount.kinds._windows import LookedBackWindows
from windrow.pipelines.gate.recount.query_days import AuditedDays, QueryConnection
from windrow.pipelines.gate.recount.tables import TableVersion, add_view, open_recount_database
from windrow.pipelines.gate.recount.whole_stream import add_met, looked_back
from windrow.pipelines.ledger.promises import Judged, Judgement
from windrow.pipelines.ledger.verdicts import Verdict
from windrow.pipelines.tables.arrival_days import DAY_US, EPOCH_DATE, day_start_us
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas.errors import GateFailed
from windrow.schemas.promise import COMPLETE, FAIL, FINAL_MOVES, FRESH, LONGEST, ROWS, Promise
from windrow.schemas.query import Query
from windrow.schemas.spelling import listing
from windrow.schemas.windows import DAY, EPOCH, MICROSECOND

SHOWN = 3
_NOTHING = timedelta(0)
SECOND_US = 1_000_000
Found = dict[date, list[Judgement]]


def judge(lake: Lake, of: AuditedDays) -> Judged:
    """What the days of a run say of each promise. O(events of the days and of those before that are judged again, in
    one process, if a promise is COMPLETE; rows of the same days)."""
    found: Found = {day: [] for day in of.days}
    asked = of.tables.query.promises
    for promise in asked:
        if promise.kind == COMPLETE:
            _add(found, _complete(lake, of, promise))
    of_rows = [promise for promise in asked if promise.kind != COMPLETE]
    if of_rows:
        with _rows(lake, of) as rows:
            for promise in of_rows:
                _add(found, _RULES[promise.kind](rows, of, promise))
    return found


def judge_silent(lake: Lake, tables: QueryTables, days: Sequence[date]) -> Judged:
    """The same of days that are over and on which nothing arrived, so that no run makes rows."""
    found: Found = {day: [] for day in days}
    for promise in tables.query.promises:
        for day in filter(is_over, days):
            if promise.kind == ROWS:
                found[day].append(Judgement(promise, day, 0))
            if promise.kind == FRESH:
                found[day].append(Judgement(promise, day, _age_s(_newest_published_us(lake, tables, day), day)))
    return found


def verdicts(of: AuditedDays, judged: Sequence[Judgement]) -> list[Verdict]:
    """The verdict on each promise of one day's run: it fails where what is news is to FAIL."""
    by_promise: dict[Promise, list[Judgement]] = defaultdict(list)
    for each in judged:
        by_promise[each.promise].append(each)
    table, version = of.tables.audit.name, of.versions.audit
    found = []
    for promise, of_days in by_promise.items():
        passed = not any(each.verdict == FAIL for each in of_days)
        figures = [f"{each.figure} on {each.day} ({each.verdict})" for each in sorted(of_days, key=_news_first)]
        shown = None if passed else offending(of.tables.query, promise)
        figure = listing(figures, SHOWN)
        found.append(Verdict(f"promise: {promise.name}", passed, figure, promise.allowed, shown, table, version))
    return found


def failure(query: Query, judged: Iterable[Judgement]) -> GateFailed | None:
    """Of the first promise of a silent day that is to FAIL."""
    failed = next((each for each in judged if each.verdict == FAIL), None)
    if failed is None:
        return None
    check, shown = f"promise: {failed.promise.name}", offending(query, failed.promise)
    return GateFailed(check, f"{failed.figure} on {failed.day}", failed.promise.allowed, shown)


def offending(query: Query, promise: Promise) -> str:
    """SQL that shows what runs found of a promise, the newest first."""
    of = f"query = {sql.literal(query.name)} AND promise = {sql.literal(promise.name)}"
    return f"SELECT * FROM promises WHERE {of} ORDER BY logical_date DESC, day DESC LIMIT 10"


def is_over(day: date) -> bool:
    """Of others it can't be said how many rows they have, nor how old these are."""
    return datetime.now(UTC).date() > day


def days_back(query: Query, promise: Promise) -> int:
    """How many days before its own a run judges: as long as windows may change (semantics §4), at most LONGEST."""
    open_for = max(query.allowed_lateness, promise.within or _NOTHING)
    lateness = min(query.lateness, LONGEST)  # either may have no end
    return ceil(min(lateness + min(open_for, LONGEST), LONGEST) / DAY)


def _add(found: Found, more: Found) -> None:
    for day, judged in more.items():
        found[day] += judged


def _news_first(each: Judgement) -> tuple[bool, date]:
    return not each.is_news, each.day


def _complete(lake: Lake, of: AuditedDays, promise: Promise) -> Found:
    """Of each day's windows whose `within` is over, by pairs of an event and a window: the share that was there by
    then."""
    counted: dict[tuple[date, date], Counter[str]] = defaultdict(Counter)
    back = days_back(of.tables.query, promise) * DAY
    for part in of.parts:
        # Windows that their key's events make are those of the events until the day.
        alone = bool(looked_back(part.query).numbered_by)
        for group in [replace(part, days=(day,)) for day in of.days] if alone else part.without_gaps:
            for ended, known, pairs, late in _arrivals(lake, group, promise):
                for day in (each for each in group.days if known <= each <= ended + back):
                    counted[day, ended].update(pairs=pairs, late=late)
                    if known < day:
                        counted[day, ended].update(pairs_before=pairs, late_before=late)
    found: Found = {day: [] for day in of.days}
    for (day, ended), n in sorted(counted.items()):
        if n["pairs"] > n["pairs_before"]:
            before = 1 - n["late_before"] / n["pairs_before"] if n["pairs_before"] else None
            found[day].append(Judgement(promise, ended, 1 - n["late"] / n["pairs"], before))
    return found


def _arrivals(lake: Lake, of: AuditedDays, promise: Promise) -> list[tuple[date, date, int, int]]:
    """By the day on which windows ended, and that from which a run knows: pairs of an event and a window, and those of
    an event that arrived more than `within` after the window's end."""
    windows, query = looked_back(of.query), of.tables.query
    first_us = day_start_us(of.days[0]) - days_back(query, promise) * DAY_US
    ahead_us = sql.microseconds(windows.longest()) + sql.microseconds(of.stream.ahead_at_most)
    since_us = max(day_start_us(of.stream.first_day), first_us - ahead_us)
    silver = TableVersion(lake, of.tables.source.silver, of.versions.silver)
    with open_recount_database(lake) as connection:
        add_view(connection, "silver", silver, (EPOCH_DATE + since_us // DAY_US * DAY, of.days[-1]))
        asked = add_met(of.query, connection, of.stream.idle_after)
        return asked.rows(_pairs(windows, first_us, sql.microseconds(promise.within or _NOTHING)))


def _pairs(windows: LookedBackWindows, first_us: int, within_us: int) -> str:
    """SQL: an event's windows are a range of numbers, and ends never fall: those of one day are a range too."""
    by = "".join(f"{column}, " for column in windows.numbered_by)
    same_p, same_s = ("".join(f"e.{column} = {of}.{column} AND " for column in windows.numbered_by) for of in "ps")
    return f"""
        WITH stretches AS (
            SELECT {by} {sql.day_of("window_end_us - 1")} AS ended,
                   {sql.day_of(f"window_end_us + {within_us - 1}")} AS decided,
                   min(number) AS low, max(number) AS high
            FROM windows WHERE window_end_us > {first_us} GROUP BY ALL),
        events AS (
            SELECT e.*, coalesce(p.number, e.first - 1) AS missed
            FROM met e ASOF LEFT JOIN passed p ON {same_p} e.arrival_us - {within_us} > p.window_end_us)
        SELECT s.ended, greatest(s.decided, {sql.day_of("e.arrival_us")}) AS known,
               CAST(sum(least(e.last, s.high) - greatest(e.first, s.low) + 1) AS BIGINT),
               CAST(sum(greatest(0, least(e.last, s.high, e.missed) - greatest(e.first, s.low) + 1)) AS BIGINT)
        FROM events e JOIN stretches s ON {same_s} e.first <= s.high AND e.last >= s.low GROUP BY ALL"""


@contextmanager
def _rows(lake: Lake, of: AuditedDays) -> Iterator[QueryConnection]:
    """The view `rows`: what the days of a run made, and what other days have published; of days that are judged."""
    tables, query = of.tables, of.tables.query
    back = max(days_back(query, promise) for promise in query.promises) * DAY
    published = lake.partition_dates(tables.results.name)
    newest = max((day for day in published if day < of.days[0]), default=of.days[0])
    first = of.days[0] - back - min(of.stream.ahead_at_most, LONGEST)
    others = {day for day in published if first <= day <= of.days[-1]}
    views = {
        "made": (tables.audit, of.versions.audit, [*of.days]),
        "published": (tables.results, None, sorted((others | {newest} & published) - {*of.days})),
    }
    with open_recount_database(lake) as connection:
        for view, (table, version, days) in views.items():
            among = [("emitted_date", "in", [*map(str, days)])]
            day_files.add_view(connection, lake, table, view, lake.files(table.name, version, among) if days else [])
        connection.execute("CREATE TEMP VIEW rows AS FROM made UNION ALL BY NAME FROM published")
        yield QueryConnection(query, connection)


def _moves(rows: QueryConnection, of: AuditedDays, promise: Promise) -> Found:
    """How far the newest values are from those on time, in all, as a share of the newest. A window without a row on
    time counts with 0 there. Windows of which the first row was published by no run are left out."""
    back, value = days_back(rows.query, promise) * DAY, f"CAST({sql.name(str(promise.of))} AS DOUBLE)"
    window = ", ".join(map(sql.name, rows.query.window_identity))
    ended = sql.day_of("epoch_us(window_end) - 1")
    found: Found = {}
    for day in of.days:
        this_day = sql.literal(day)
        of_days = rows.rows(f"""
            WITH moved AS (
                SELECT {ended} AS ended, max(emitted_date) AS changed,
                       coalesce(max({value}) FILTER (pane = 'on_time'), 0) AS on_time,
                       arg_max(coalesce({value}, 0), revision) AS newest,
                       arg_max(coalesce({value}, 0), revision) FILTER (emitted_date < {this_day}) AS before
                FROM rows WHERE emitted_date <= {this_day} AND {ended} >= {sql.literal(day - back)}
                GROUP BY {window}, {ended} HAVING bool_or(revision = 0))
            SELECT ended, fsum(abs(newest - on_time)), fsum(abs(newest)), fsum(abs(before - on_time)),
                   fsum(abs(before))
            FROM moved GROUP BY ended HAVING max(changed) = {this_day} ORDER BY ended""")
        found[day] = [
            Judgement(promise, each, _share(moved, total), _share(moved_before, total_before))
            for each, moved, total, moved_before, total_before in of_days
        ]
    return found


def _row_counts(rows: QueryConnection, of: AuditedDays, promise: Promise) -> Found:
    counts = dict(rows.rows("SELECT emitted_date, count(*) FROM made GROUP BY ALL"))
    return {day: [Judgement(promise, day, counts.get(day, 0))] for day in of.days if is_over(day)}


def _ages(rows: QueryConnection, of: AuditedDays, promise: Promise) -> Found:
    newest = "SELECT max(epoch_us(emitted_at)) FROM rows WHERE emitted_date <= "
    return {
        day: [Judgement(promise, day, _age_s(rows.one(f"{newest}{sql.literal(day)}")[0], day))]
        for day in filter(is_over, of.days)
    }


_RULES = {FINAL_MOVES: _moves, ROWS: _row_counts, FRESH: _ages}


def _newest_published_us(lake: Lake, tables: QueryTables, day: date) -> int | None:
    """When the newest row before a day was emitted."""
    name = tables.results.name
    newest = max((each for each in lake.partition_dates(name) if each < day), default=None)
    if newest is None:
        return None
    found = lake.read(name, filters=[("emitted_date", "=", newest)], columns=["emitted_at"])["emitted_at"]
    return (pc.max(found).as_py() - EPOCH) // MICROSECOND


def _age_s(newest_us: int | None, day: date) -> float | None:
    """Of the newest row, when a day ended."""
    return None if newest_us is None else (day_start_us(day) + DAY_US - newest_us) / SECOND_US


def _share(moved: float | None, total: float | None) -> float | None:
    """None without windows; what moved of a total of 0 has moved as a whole."""
    if moved is None or total is None:
        return None
    return moved / total if total else float(moved > 0)
