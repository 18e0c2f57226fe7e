"""What is expected of each row of silver and of the audit tables: plain data, made from the definitions.

`pipelines/gate/expectations.py` has Great Expectations check them. An expectation names its kind in the words of
Great Expectations, its parameters, the limit in plain words, and SQL for `windrow query` that shows the rows
which break it. Kind, parameters and computed column are those of every day, so that days can be checked together; how
many rows a day has to have is its own, and the parameters name it.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from windrow.schemas.model import MODEL_COLUMNS, Model
from windrow.schemas.query import Query
from windrow.schemas.stream import Column, Stream

PANES = {"final": ("final",), "watermark": ("on_time", "late"), "arrival": ("early", "late")}
NOT_NULL, BETWEEN = "expect_column_values_to_not_be_null", "expect_column_values_to_be_between"
IN_SET = "expect_column_values_to_be_in_set"
ROW_COUNT = "expect_table_row_count_to_equal"
SHOWN = 100
ROWS_NOTED = "rows_noted"
"""The parameter of a suite that is asked for as `{"$PARAMETER": …}`, as Great Expectations writes that."""


@dataclass(frozen=True)
class Expectation:
    """One expectation of a table's rows of one day: on one column, which `parameters` name, or on how many there are.
    `computed`: the column's name and SQL where it is none of the table's; `rows_noted`: how many rows the day has to
    have, None for any number."""

    table: str
    name: str
    kind: str
    parameters: dict[str, object]
    limit: str
    offending: str
    computed: tuple[str, str] | None = None
    rows_noted: int | None = None


@dataclass(frozen=True)
class DayOfTable:
    """The rows of a table that one run wrote, `partition` being the column that holds the day."""

    table: str
    partition: str
    day: date

    def rows(self, breaks: str) -> str:
        """SQL for the day's rows that break an expectation; without double quotes, for a shell's sake."""
        return f"SELECT * FROM {self.table} t WHERE {self.of_day} AND ({breaks}) LIMIT {SHOWN}"

    @property
    def of_day(self) -> str:
        """SQL: whether a row is one of the day's."""
        return f"t.{self.partition} = DATE '{self.day.isoformat()}'"


def silver_expectations(stream: Stream, day: date, events: int) -> tuple[Expectation, ...]:
    """Of one arrival day of silver; `events` is how many rows ingest noted for it."""
    rows = DayOfTable(f"silver_{stream.name}", "arrival_date", day)
    bounded = (column for column in stream.columns if column.low is not None or column.high is not None)
    # The library's results list values that break an expectation. Of persons the parser alone looks at bounds.
    ranged = [column for column in bounded if not column.personal]
    return (
        *(not_null(rows, column.name) for column in stream.columns if not column.nullable),
        inside_day(rows, "arrival"),
        at_least(rows, "end", "start", or_equal=True),
        *(in_range(rows, column) for column in ranged),
        row_count(rows, events),
    )


def audit_expectations(query: Query, day: date) -> tuple[Expectation, ...]:
    """Of a run's audit rows. That none is there twice is law 4's, of late rows law 2's."""
    rows = DayOfTable(f"{query.name}_audit", "emitted_date", day)
    return (
        inside_day(rows, "emitted_at"),
        in_set(rows, "pane", PANES[query.emit]),
        *_of_windows(rows, query),
        at_least(rows, "window_end", "window_start", or_equal=False),
        at_least(rows, "events", "late_events", or_equal=True),
        in_range(rows, Column("events", "int64", "", low=1 if query.context_free else 0)),
        in_range(rows, Column("late_events", "int64", "", low=0)),
        in_range(rows, Column("revision", "int64", "", low=0, high=0 if query.emit == "final" else None)),
        *(_of_function(rows) if isinstance(query, Model) else ()),
    )


def _of_windows(rows: DayOfTable, query: Query) -> tuple[Expectation, ...]:
    """Of the names of a query's windows, where it has several."""
    return tuple(in_set(rows, column, tuple(query.windows or ())) for column in query.name_column)


def _of_function(rows: DayOfTable) -> tuple[Expectation, ...]:
    """Of what a model's function was given and says."""
    tuples, status = MODEL_COLUMNS
    return (in_range(rows, Column(tuples, "int64", "", low=0)), at_least(rows, "events", tuples, or_equal=True),
            not_null(rows, status))  # fmt: skip


def late_expectations(query: Query, day: date) -> tuple[Expectation, ...]:
    """Of a run's late rows."""
    rows = DayOfTable(f"{query.name}_late_audit", "arrival_date", day)
    # An event that is too long may come in time, and lie between two windows.
    any_length = all(window.longest_event_us is None for window in query.every_window)
    missed = (in_range(rows, Column("windows_missed", "int64", "", low=1 if any_length else 0)),)
    lateness = (in_range(rows, Column("late_by", "int64", "", low=0)),) if any_length else ()
    return (
        inside_day(rows, "arrival"),
        *_of_windows(rows, query),
        in_set(rows, "reason", ("too late",) if any_length else ("too late", "too long")),
        at_least(rows, "last_missed", "first_missed", or_equal=True),
        *(missed if query.context_free else ()),
        *lateness,
    )


def not_null(rows: DayOfTable, column: str) -> Expectation:
    """A value in every row."""
    broken = rows.rows(f"t.{column} IS NULL")
    return Expectation(rows.table, f"{column} is not null", NOT_NULL, {"column": column}, "no null", broken)


def inside_day(rows: DayOfTable, column: str) -> Expectation:
    """A time inside the partition's day, UTC."""
    first = datetime(rows.day.year, rows.day.month, rows.day.day, tzinfo=UTC)
    after = first + timedelta(days=1)
    limit = f"{first} to {after}, excluded"
    broken = rows.rows(f"t.{column} < TIMESTAMPTZ '{first}' OR t.{column} >= TIMESTAMPTZ '{after}'")
    computed = f"{column}_is_inside_{rows.partition}", f'CAST("{column}" AS DATE) = "{rows.partition}"'
    return Expectation(rows.table, f"{column} is inside the day", IN_SET, _holds(computed), limit, broken, computed)


def at_least(rows: DayOfTable, greater: str, lesser: str, or_equal: bool) -> Expectation:
    """One column not below another; where neither has a value there is nothing to compare."""
    sign, breaks = (">=", "<") if or_equal else (">", "<=")
    compared = f'coalesce("{greater}" {sign} "{lesser}", FALSE)'
    computed = (
        f"{greater}_is_{'at_least' if or_equal else 'above'}_{lesser}",
        f'CASE WHEN "{greater}" IS NOT NULL OR "{lesser}" IS NOT NULL THEN {compared} END',
    )
    limit, broken = f"{greater} {sign} {lesser}", rows.rows(f"t.{greater} {breaks} t.{lesser}")
    return Expectation(rows.table, limit, IN_SET, _holds(computed), limit, broken, computed)


def _holds(computed: tuple[str, str]) -> dict[str, object]:
    return {"column": computed[0], "value_set": [True]}


def in_range(rows: DayOfTable, column: Column) -> Expectation:
    """Values within the column's range, both ends included; nulls are no values."""
    bounds = ((f"t.{column.name} <", "at least", column.low), (f"t.{column.name} >", "at most", column.high))
    given = [(f"{breaks} {bound}", f"{limit} {bound}") for breaks, limit, bound in bounds if bound is not None]
    parameters: dict[str, object] = {"column": column.name, "min_value": column.low, "max_value": column.high}
    limit, broken = " and ".join(limit for _, limit in given), rows.rows(" OR ".join(breaks for breaks, _ in given))
    return Expectation(rows.table, f"{column.name} is in range", BETWEEN, parameters, limit, broken)


def in_set(rows: DayOfTable, column: str, allowed: tuple[str, ...]) -> Expectation:
    """Only these words."""
    listed = ", ".join(f"'{each}'" for each in allowed)
    parameters: dict[str, object] = {"column": column, "value_set": [*allowed]}
    broken = rows.rows(f"t.{column} NOT IN ({listed})")
    return Expectation(rows.table, f"{column} is one of the words", IN_SET, parameters, " or ".join(allowed), broken)


def row_count(rows: DayOfTable, count: int) -> Expectation:
    """As many rows as ingest noted."""
    by_file = f"SELECT t.path, count(*) AS events FROM {rows.table} t WHERE {rows.of_day} GROUP BY ALL ORDER BY ALL"
    parameters: dict[str, object] = {"value": {"$PARAMETER": ROWS_NOTED}}
    return Expectation(rows.table, "as many rows as ingest noted", ROW_COUNT, parameters, f"{count} rows", by_file,
                       rows_noted=count)  # fmt: skip
