"""The events of a query's windows as if the stream began and ended with some arrival days: without a run, and without
an audit. What a lateness curve is made of, and what the gate counts of a promise."""

from dataclasses import replace
from datetime import timedelta

import duckdb

from windrow.pipelines.gate.recount import expressions, sql
from windrow.pipelines.gate.recount.kinds import in_sql
from windrow.pipelines.gate.recount.kinds._windows import LookedBackWindows
from windrow.pipelines.gate.recount.query_days import QueryConnection
from windrow.pipelines.gate.recount.ticks import heartbeats_between
from windrow.schemas.errors import WrongParameter
from windrow.schemas.query import Query


def looked_back(query: Query) -> LookedBackWindows:
    """WrongParameter for windows that depend on their key's other events: another lateness gives other windows."""
    if not query.context_free:
        allowed = "windows that don't depend on their key's other events: tumbling, sliding, spanning, rolling"
        raise WrongParameter("the kind of windows of a lateness curve", query.window.kind, allowed)
    windows = in_sql(query.window)
    assert isinstance(windows, LookedBackWindows), "windows without context are known without their events"
    return windows


def add_met(
    query: Query, database: duckdb.DuckDBPyConnection, idle_after: timedelta | None = None, every: int = 1
) -> QueryConnection:
    """From the view `silver` make (of every n-th key, by hash)

    ticks    tick_us and newest_us: the arrival ticks, and heartbeats, that raised the newest event start
    met      the events that windows hold, none of which is too late: key_number, start_us, arrival_us, newest_us before
             its tick, the numbers `first` and `last` of these windows
    windows  number, window_end_us, and what windows have a numbering of
    passed   the last window of each end, by what windows have a numbering of

    WrongParameter for windows that depend on their key's other events. O(events log events + windows).
    """
    windows = looked_back(query)
    all_taken = replace(query, lateness=timedelta(0), allowed_lateness=timedelta.max, nowcast=None)
    asked = QueryConnection(all_taken, database)
    database.execute(_ticks(idle_after))
    columns = "".join(f"{sql.name(column)}, " for column in query.key)
    database.execute(f"""
        CREATE TEMP TABLE keys AS
        SELECT row_number() OVER (ORDER BY hash({columns} TRUE)) AS key_number, *
        FROM (SELECT DISTINCT {columns} TRUE AS one FROM silver) QUALIFY (key_number - 1) % {every} = 0""")
    database.execute(_candidates(asked, windows))
    # Windows that only an event without any of its own would show are of no interest.
    database.execute("CREATE TEMP TABLE arrived AS SELECT *, FALSE AS kept, FALSE AS too_long FROM candidates LIMIT 0")
    windows.add_windows(asked)
    windows.add_met(asked)
    by = ", ".join((*windows.numbered_by, "window_end_us"))
    database.execute(f"CREATE TEMP TABLE passed AS SELECT {by}, max(number) AS number FROM windows GROUP BY {by}")
    return asked


def _ticks(idle_after: timedelta | None) -> str:
    return f"""
        CREATE TEMP TABLE ticks AS
        WITH newest AS (
            SELECT epoch_us(arrival) AS tick_us, max(epoch_us("start")) AS newest_us FROM silver GROUP BY ALL
            {_heartbeats(idle_after)}),
        so_far AS (SELECT tick_us, max(newest_us) OVER (ORDER BY tick_us) AS newest_us FROM newest)
        SELECT min(tick_us) AS tick_us, newest_us FROM so_far GROUP BY newest_us"""


def _heartbeats(idle_after: timedelta | None) -> str:
    """Between the first arrival and the last, with which the stream ends."""
    if idle_after is None:
        return ""
    points = """
        SELECT epoch_us(arrival) AS point_us FROM silver UNION
        SELECT epoch_us(midnight) FROM (
            SELECT unnest(generate_series(
                CAST(CAST(make_timestamp(min(us)) AS DATE) + 1 AS TIMESTAMP), make_timestamp(max(us)), INTERVAL 1 DAY
            )) AS midnight FROM (SELECT epoch_us(arrival) AS us FROM silver))"""
    return f"UNION ALL {heartbeats_between(points, sql.microseconds(idle_after))}"


def _candidates(asked: QueryConnection, windows: LookedBackWindows) -> str:
    query, types = asked.query, expressions.types_of(asked.connection, "silver")
    return f"""
        CREATE TEMP TABLE candidates AS
        SELECT e.* {windows.numbers("e")}
        FROM (
            SELECT k.key_number, epoch_us(s."start") AS start_us, {windows.reach_us("s")} AS reach_us,
                   epoch_us(s.arrival) AS arrival_us, t.newest_us
            FROM silver s
            ASOF LEFT JOIN ticks t ON epoch_us(s.arrival) > t.tick_us
            JOIN keys k ON {sql.same(query.key, "s", "k")}
            WHERE {expressions.where(query.condition, "s", types)} AND NOT {windows.too_long("s")}) e"""
