"""Panes counted again, plainly and from silver: by key and pane how many events there are, and of each aggregate what
can be put together with that of other panes. A partition of panes is kept only if its states say the same.
"""

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

import pyarrow as pa

from windrow.pipelines.delta import day_files
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.gate.recount import expressions, sql
from windrow.pipelines.gate.recount.aggregates import AS_NUMBERS
from windrow.pipelines.gate.recount.digests import holds
from windrow.pipelines.gate.recount.kinds import in_sql
from windrow.pipelines.gate.recount.query_days import QueryConnection, value_name
from windrow.pipelines.gate.recount.stretches import TOLERANCE
from windrow.pipelines.gate.recount.tables import open_recount_database
from windrow.schemas.errors import GateFailed
from windrow.schemas.query import Aggregate, Query
from windrow.schemas.side_tables import FOLDED, PANE_EVENTS, PANE_STATE, recounted_names

if TYPE_CHECKING:
    from windrow.pipelines.tables.query_tables import QueryTables  # which knows the kernels: a recount uses none

LAW = "law 3, panes: they count what silver has"
FLOAT = "DOUBLE"


def recounted_panes(
    lake: Lake, tables: "QueryTables", files: Sequence[str], states: pa.Table
) -> tuple[pa.Table, dict[date, str]] | None:
    """The states of panes of some files of silver, with what was counted again, and a digest of these rows by day; None
    where a part is beyond int64 or isn't finite, so that parts can't be put together. GateFailed where a state says
    something else. O(events)."""
    with open_recount_database(lake) as connection:
        recount = QueryConnection(tables.query, connection)
        day_files.add_view(connection, lake, tables.source.silver, "silver", files)
        connection.register("states", states)
        _add_candidates(recount)
        connection.execute(f"CREATE TEMP TABLE again AS {_again(recount)}")
        if recount.one(f"SELECT count(*) FROM again WHERE {_unfit(tables.query)}") != (0,):
            return None
        _require_same(recount, tables)
        query = tables.query
        kept = (*query.key, "arrival_date", "start", PANE_EVENTS, PANE_STATE)
        columns = ", ".join([*(f"s.{sql.name(column)}" for column in kept), *_recounted(query)])
        connection.execute(f"CREATE TEMP TABLE panes AS SELECT {columns} FROM {_side_by_side(query)}")
        held = recount.rows(f"SELECT arrival_date, {holds(recount, 'panes')} FROM panes GROUP BY ALL")
        return connection.sql("FROM panes").to_arrow_table(), dict(held)


def _add_candidates(recount: QueryConnection) -> None:
    """And what is asked of them elsewhere: none arrived in a run's days, and no tick passes a window."""
    query, windows = recount.query, in_sql(recount.query.window)
    keys = "".join(f"s.{sql.name(column)}, " for column in query.key)
    types = expressions.types_of(recount.connection, "silver")
    values = "".join(
        f", {expressions.aggregated(value, 's', types)} AS {value_name(query, value)}" for value in query.values
    )
    recount.connection.execute(f"""
        CREATE TEMP TABLE candidates AS SELECT e.* {windows.numbers("e")} FROM (
            SELECT {keys} s.arrival_date, epoch_us(s.start) AS start_us, epoch_us(s.start) AS reach_us {values}
            FROM silver s WHERE {expressions.where(query.condition, "s", types)}) e""")
    recount.connection.execute("CREATE TEMP VIEW arrived AS FROM candidates LIMIT 0")
    recount.connection.execute("CREATE TEMP TABLE ticks (tick_us BIGINT, newest_us BIGINT)")


def _again(recount: QueryConnection) -> str:
    """SQL: the plain recount, and of sums of floats the sum of magnitudes."""
    query, types = recount.query, recount.types_of("candidates")
    keys = "".join(f"{sql.name(column)}, " for column in query.key)
    found = ""
    for name, (value, values, magnitude) in recounted_names(query).items():
        each = query.aggregates[name]
        number = _number(query, each, types)
        part = f"{FOLDED[each.function]}({number})"
        fitted = part if _is_float(query, each, types) else f"TRY_CAST({part} AS BIGINT)"
        found += f", {fitted} AS {value}, count({number}) AS {values}"
        found += f", sum(abs(CAST({number} AS DOUBLE))) AS {magnitude}"
    return f"""
        SELECT {keys} arrival_date, pane_us, count(*) AS events_again {found}
        FROM ({in_sql(query.window).in_panes(recount)}) GROUP BY {keys} arrival_date, pane_us"""


def _number(query: Query, each: Aggregate, types: dict[str, str]) -> str:
    """SQL: a value as a number; of one that is only counted, whether it is there."""
    if not each.values:
        return "1"
    name = value_name(query, each.values[0])
    return (
        f"CASE WHEN {name} IS NOT NULL THEN 1 END" if each.function == "count" else AS_NUMBERS[types[name]].format(name)
    )


def _is_float(query: Query, each: Aggregate, types: dict[str, str]) -> bool:
    return each.function != "count" and types[value_name(query, each.values[0])] == FLOAT


def _side_by_side(query: Query) -> str:
    same = f"{sql.same(query.key, 's', 'a')} AND s.arrival_date = a.arrival_date AND epoch_us(s.start) = a.pane_us"
    return f"states s FULL JOIN again a ON {same}"


def _recounted(query: Query) -> list[str]:
    return [f"a.{column}" for columns in recounted_names(query).values() for column in columns]


def _unfit(query: Query) -> str:
    """SQL: whether a part can't be put together with others."""
    asked = (
        f"({values} > 0 AND ({value} IS NULL OR NOT isfinite(CAST({value} AS DOUBLE))))"
        for value, values, _ in recounted_names(query).values()
    )
    return " OR ".join(asked) or "FALSE"


def _require_same(recount: QueryConnection, tables: "QueryTables") -> None:
    query, types = recount.query, recount.types_of("states")
    differing = [f"s.{PANE_EVENTS} IS DISTINCT FROM a.events_again"]
    for name, (value, values, magnitude) in recounted_names(query).items():
        said = AS_NUMBERS.get(types[name], "{0}").format(f"s.{sql.name(name)}")
        again, near = f"a.{value}", f"{TOLERANCE} * a.{magnitude}"
        if query.aggregates[name].function == "mean":
            again, near = f"{again} / a.{values}", f"{near} / a.{values}"
        is_near = f"coalesce(abs({said} - {again}) <= {near}, FALSE)" if types[name] == FLOAT else "FALSE"
        differing.append(f"({said} IS DISTINCT FROM {again} AND NOT {is_near})")
    every, wrong = _side_by_side(query), " OR ".join(differing)
    (panes,) = recount.one(f"SELECT count(*) FROM {every}")
    day = "coalesce(s.arrival_date, a.arrival_date)"
    days = recount.rows(f"SELECT {day}, count(*) FROM {every} WHERE {wrong} GROUP BY ALL")
    if days:
        figure = f"{sum(count for _, count in days)} of {panes} panes count other events than silver has"
        of_days = f"arrival_date IN ({sql.literals(sorted(day for day, _ in days))})"
        raise GateFailed(LAW, figure, "0 panes", f"FROM {tables.source.silver.name} WHERE {of_days}")
