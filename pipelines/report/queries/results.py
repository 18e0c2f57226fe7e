"""A query's rows as its figures need them: a table of the reader's connection, made by one scan of the published table.

results   key, window_start, window_end, window_number, revision, pane, emitted_at, events, late_events, the
          measures, and `is_final`: whether it is the newest revision of its window
"""

from dataclasses import dataclass
from datetime import date

import pyarrow as pa

from windrow.pipelines.gate.recount import sql
from windrow.pipelines.report.reader import Reader, newest_days, rows_of_days
from windrow.schemas.query import Query
from windrow.schemas.registry import personal_columns
from windrow.schemas.stream import Stream

MOST_ROWS = 3_000_000
EVENTS = "events"
# Functions whose results have the unit of what they are of.
_SAME_UNIT = {
    *("sum", "fast_sum", "min", "max", "mean", "std", "range", "first", "last", "median", "quantile"),
    *("approx_quantile", "mode", "geometric_mean", "argmin", "argmax"),
}


@dataclass(frozen=True)
class KeptResults:
    """measures: columns with numbers, by name with their units, `events` last; whole: those that hold whole numbers;
    first_day: None unless earlier days are left out; rows: of the days that are taken."""

    query: Query
    measures: dict[str, str | None]
    whole: tuple[str, ...]
    first_day: date | None
    rows: int

    @property
    def titles(self) -> list[str]:
        """Of the measures, with their units, as readers choose them."""
        return [titled(measure, unit) for measure, unit in self.measures.items()]


def titled(measure: str, unit: str | None) -> str:
    return f"{measure}, {unit}" if unit else measure


def keep_results(reader: Reader, query: Query, stream: Stream) -> KeptResults:
    """Make the table, of the newest days with at most MOST_ROWS rows of a query that has any. O(n · log n)."""
    by_day = rows_of_days(reader.lake, query.name)
    first, taken = newest_days(by_day, MOST_ROWS)
    fixed = {*query.key, *query.window_columns, "emitted_date"}
    fields = [
        field for field in reader.lake.dataset(query.name).schema if field.name not in fixed and _is_number(field.type)
    ]
    measures = {**{field.name: unit_of(query, stream, field.name) for field in fields}, EVENTS: None}
    whole = *(field.name for field in fields if pa.types.is_integer(field.type)), EVENTS
    reader.keep("results", _select(query, list(measures), first))
    return KeptResults(query, measures, whole, first if first > min(by_day) else None, taken)


def _is_number(type_: pa.DataType) -> bool:
    return pa.types.is_integer(type_) or pa.types.is_floating(type_)


def unit_of(query: Query, stream: Stream, column: str) -> str | None:
    """The unit of a column of results; None where it has none, or where its function's results have another."""
    aggregate = query.aggregates.get(column)
    if aggregate is None or aggregate.function not in _SAME_UNIT or not aggregate.columns:
        return None
    columns = {each.name: each.unit for each in stream.columns}
    return columns.get(aggregate.columns[0])


def key_columns(query: Query) -> tuple[str, ...]:
    """By which rows are told apart besides the times of their windows."""
    return (*query.key, *query.name_column)


def key_label(query: Query) -> str:
    """SQL of a key as one text, of several windows with the window's name: null is another key than the string
    "null"."""
    shown = "CASE {0} WHEN 'null' THEN $$'null'$$ ELSE {0} END"
    personal = personal_columns(query.stream)
    texts = (
        sql.masked(sql.name(column)) if column in personal else f"{sql.name(column)}::VARCHAR"
        for column in key_columns(query)
    )
    parts = [f"coalesce({shown.format(f'({text})')}, 'null')" for text in texts]
    return " || ' · ' || ".join(parts) if parts else sql.literal("all")


def _select(query: Query, measures: list[str], first: date) -> str:
    number = "0 AS window_number" if query.context_free else "window_number"
    listed = "".join(f", {sql.name(measure)}" for measure in measures if measure != EVENTS)
    return f"""
        WITH read AS (
            SELECT {key_label(query)} AS key, window_start, window_end, {number}, revision, pane, emitted_at, events,
                late_events{listed} FROM {query.name} WHERE emitted_date >= {sql.literal(first)})
        SELECT *, revision = max(revision) OVER (PARTITION BY key, window_start, window_end, window_number) AS is_final
        FROM read"""
