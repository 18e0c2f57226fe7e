"""What a law finds on some keys, by day, and the verdict on all: how many rows offend, and SQL that shows the first of
them alongside what is expected. Laws are per key, so that findings on all keys add up.

The SQL holds no double quote, so that it can be pasted into `windrow query "…"`: names stand after a dot,
where DuckDB takes any word, and values go through `sql.literal`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from windrow.pipelines.gate.recount import sql
from windrow.pipelines.gate.recount.query_days import AuditedDays, Recount
from windrow.pipelines.ledger.verdicts import Verdict
from windrow.schemas.query import WINDOW_NAME, Query
from windrow.schemas.registry import personal_columns

SHOWN = 10  # offending rows of a verdict


class LawFinding(NamedTuple):
    """How many rows or events break the law, of how many (`counted`, by what they are), and the first of them."""

    broken: int
    counted: Mapping[str, int]
    rows: tuple[tuple, ...] = ()


def joined_by_day(findings: Iterable[Mapping[date, LawFinding]]) -> dict[date, LawFinding]:
    """The finding of each day on all keys, of findings on some keys of some days each."""
    joined: dict[date, LawFinding] = {}
    for of_days in findings:
        for day, found in of_days.items():
            joined[day] = _joined(joined[day], found) if day in joined else found
    return joined


def _joined(one: LawFinding, other: LawFinding) -> LawFinding:
    rows = sorted(one.rows + other.rows, key=lambda row: [(value is None, value) for value in row])  # nulls last
    counted = Counter(one.counted)
    counted.update(other.counted)
    return LawFinding(one.broken + other.broken, counted, tuple(rows[:SHOWN]))


def found_in_rows(recount: Recount, offenders: str, expected: tuple[str, ...]) -> dict[date, LawFinding]:
    """What a law finds in the audit rows of some keys: how many break it, of how many rows; with their keys' values and
    what is expected of them. offenders: SQL for (*recount.window, revision, *expected) of each offending row, and the
    `day` that it is of."""
    recount.connection.execute(f"CREATE OR REPLACE TEMP TABLE offenders AS {offenders}")
    columns = [_key_value(recount.query, "k", sql.name(column)) for column in recount.query.key] + named_window(recount)
    columns += [f"o.{column}" for column in _columns(recount, expected)]
    shown = f"SELECT {', '.join(columns)} FROM offenders o JOIN keys k USING (key_number)"
    counted = {day: {"rows": recount.audited_rows.get(day, 0)} for day in recount.days}
    return found_by_day(recount, counted, "offenders", shown)


def found_by_day(
    recount: Recount, counted: Mapping[date, Mapping[str, int]], table: str, shown: str
) -> dict[date, LawFinding]:
    """What is in a table of what breaks a law, by its `day`, with what was counted. shown: SQL for its rows."""
    broken = dict(recount.rows(f"SELECT day, count(*) FROM {table} GROUP BY ALL"))
    rows = {day: recount.rows(f"{shown} WHERE day = {sql.literal(day)} ORDER BY ALL LIMIT {SHOWN}") for day in broken}
    return {day: LawFinding(broken.get(day, 0), counted[day], tuple(rows.get(day, ()))) for day in recount.days}


def verdict_on_rows(of: AuditedDays, check: str, found: LawFinding, expected: tuple[str, ...], what: str) -> Verdict:
    """The verdict on one day's audit rows. what: how the figure goes on after "3 of 12 rows"; an expected column that
    ends in `_us` is shown as a time."""
    figure = f"{found.broken} of {found.counted['rows']} rows {what}"
    offending = _alongside_audit(of, found, expected) if found.broken else None
    return Verdict(check, not found.broken, figure, "0 rows", offending, of.tables.audit.name, of.versions.audit)


def does_not_apply(of: AuditedDays, check: str, to: str) -> Verdict:
    """The verdict of a law that does not apply to such windows."""
    return Verdict(check, True, f"does not apply: {to}", "0 rows", None, of.tables.audit.name, of.versions.audit)


def _alongside_audit(of: AuditedDays, found: LawFinding, expected: tuple[str, ...]) -> str:
    """SQL: the first offenders with what is expected, and the row of the audit table, where there is one."""
    keys = [f"key_{number}" for number in range(len(of.query.key))]
    names = [*keys, *of.query.name_column, *_columns(of, expected)]
    window_row = [*of.query.name_column, *(column.removesuffix("_us") for column in _columns(of, ()))]
    shown = [_key_value(of.query, "t", column) for column in of.query.key]
    matches = [f"{column} IS NOT DISTINCT FROM x.{key}" for column, key in zip(shown, keys, strict=True)]
    matches += [f"t.{column} = x.{column}" for column in window_row]
    matches += [f"t.emitted_date = {sql.literal(day)}" for day in of.days]
    left_out = (*of.query.key, *window_row, "emitted_date")
    columns = ", ".join(f"t.{column}" for column in of.tables.audit.column_names if column not in left_out)
    return (
        f"SELECT x.*, {columns} FROM {values_list(found.rows, names)} "
        f"LEFT JOIN {of.tables.audit.name} t ON {' AND '.join(matches)} ORDER BY ALL"
    )


def _key_value(query: Query, table: str, column: str) -> str:
    is_personal = column.strip('"') in personal_columns(query.stream)
    return sql.masked(f"{table}.{column}") if is_personal else f"{table}.{column}"


def named_window(recount: Recount) -> list[str]:
    """SQL: the column `window_name` of what is found, where the query has several windows."""
    name = recount.window_name
    return [] if name is None else [f"{sql.literal(name)} AS {WINDOW_NAME}"]


def _columns(of: AuditedDays, expected: tuple[str, ...]) -> tuple[str, ...]:
    return (*of.window[1:], "revision", *expected)


def values_list(rows: Sequence[tuple], names: list[str]) -> str:
    """`(VALUES (…), (…)) x(names)`; a column that ends in `_us` is shown as a time, without that ending."""
    written = ", ".join("(" + ", ".join(map(_shown, row, names)) + ")" for row in rows)
    return f"(VALUES {written}) x({', '.join(each.removesuffix('_us') for each in names)})"


def _shown(value: object, name: str) -> str:
    if name.endswith("_us") and isinstance(value, int):
        return sql.at(value)
    # A bare 0.1 would be a DECIMAL, which compares with nothing that a user has.
    return f"CAST('{value!r}' AS DOUBLE)" if isinstance(value, float) else sql.literal(value)
