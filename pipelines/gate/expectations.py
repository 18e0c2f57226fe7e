"""Great Expectations over the rows of some days of a table: once for all of them, and where something fails by halves,
down to the days that fail.

Its import takes seconds; so `gate.py` imports this file only where something has to be checked.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from pipelines.config import Config
from pipelines.engines.engine import Relations
from pipelines.gate.merged_results import name_of
from pipelines.gate.recount import sql
from pipelines.gate.validation import validated
from pipelines.gate.validation_results import Validated, keep
from pipelines.ledger.verdicts import Verdict
from schemas.expectations import Expectation

if TYPE_CHECKING:
    from great_expectations.core.expectation_validation_result import (
        ExpectationSuiteValidationResult,
        ExpectationValidationResult,
    )

ROWS = "rows"


class TableRows(NamedTuple):
    """Rows of a version of a table, for a run: those that `relations` name ROWS. `partition`: the column of their
    day."""

    run_id: str
    table: str
    version: int
    partition: str
    relations: Relations


def verdicts_by_day(
    config: Config, rows: TableRows, of_days: Mapping[date, tuple[Expectation, ...]]
) -> dict[date, list[Verdict]]:
    """One verdict per expectation of each day: those that it would get alone, but for the result, which days share that
    were validated together. O(rows); O(rows x log(days)) where many days fail."""
    counts = {**dict.fromkeys(of_days, 0), **_rows_by_day(rows)} if len(of_days) > 1 else {}
    checking = _Checking(config, rows, of_days, counts)
    found: dict[date, list[Verdict]] = {}
    for days in _groups(of_days, counts):
        found |= checking.verdicts(days)
    return {day: found[day] for day in of_days}


def _statement(expectations: Sequence[Expectation], rows: TableRows, days: Sequence[date]) -> str:
    """SQL: the columns that the expectations are of, on some days. Each is of one column, read or computed, so that
    Spark looks at all rows once for all of them."""
    computed = dict(each.computed for each in expectations if each.computed)
    made = {name: f"{computation} AS {sql.name(name)}" for name, computation in computed.items()}
    asked = dict.fromkeys(str(each.parameters["column"]) for each in expectations if "column" in each.parameters)
    listed = ", ".join(made.get(column, sql.name(column)) for column in asked)
    dates = ", ".join(f"DATE '{day}'" for day in days)
    return f"SELECT {listed} FROM {ROWS} WHERE {sql.name(rows.partition)} IN ({dates})"


def _rows_by_day(rows: TableRows) -> dict[date, int]:
    day = sql.name(rows.partition)
    return dict(rows.relations.rows(f"SELECT {day}, count(*) FROM {ROWS} GROUP BY {day}"))


def _groups(of_days: Mapping[date, Sequence[Expectation]], counts: Mapping[date, int]) -> list[list[date]]:
    """Days that can be validated together: one that has too many rows would hide that another has too few."""
    as_noted = [
        day for day, asked in of_days.items() if all(each.rows_noted in (None, counts.get(day)) for each in asked)
    ]
    others = [[day] for day in of_days if day not in as_noted]
    return [as_noted, *others] if as_noted else others


class _Checking(NamedTuple):
    """`counts`: rows by day, where there are several."""

    config: Config
    rows: TableRows
    of_days: Mapping[date, tuple[Expectation, ...]]
    counts: Mapping[date, int]

    def verdicts(self, days: Sequence[date]) -> dict[date, list[Verdict]]:
        """Of days that are validated together, as long as nothing fails."""
        result = self._validated(days)
        if not result.success and len(days) > 1:
            half = len(days) // 2
            return self.verdicts(days[:half]) | self.verdicts(days[half:])
        run_id, table, version, *_ = self.rows
        path = keep(self.config, Validated(run_id, table, version, days), result.to_json_dict())
        rows = self.counts if len(days) > 1 else {}
        return {day: self._of_day(day, result, rows.get(day), path) for day in days}

    def _validated(self, days: Sequence[date]) -> "ExpectationSuiteValidationResult":
        asked, noted = self.of_days[days[0]], (each.rows_noted for day in days for each in self.of_days[day])
        frames = self.rows.relations.frames(_statement(asked, self.rows, days))
        return validated(asked, frames, sum(filter(None, noted)), with_values=len(days) == 1)

    def _of_day(
        self, day: date, result: "ExpectationSuiteValidationResult", rows: int | None, path: str
    ) -> list[Verdict]:
        found = {name_of(each): each for each in result.results}
        _, table, version, *_ = self.rows
        return [
            Verdict(
                each.name,
                passed := bool(found[each.name].success),
                _figure(found[each.name], rows),
                each.limit,
                None if passed else each.offending,
                table,
                version,
                path,
            )
            for each in self.of_days[day]
        ]


def _figure(result: "ExpectationValidationResult", rows: int | None) -> str:
    """`rows`: of the day; None where the result is of one day."""
    found = result.result
    # Of no rows the library has a sum that is null on Spark.
    if "unexpected_count" in found:
        return f"{found['unexpected_count'] or 0} of {found['element_count'] if rows is None else rows} rows break it"
    if "observed_value" in found:
        return f"{found['observed_value'] if rows is None else rows} rows"
    raised = result.exception_info or {}
    return f"could not be checked: {raised.get('exception_message', raised)}"
