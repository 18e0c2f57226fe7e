"""Great Expectations over the rows of some days of a table: once for all of them, and where something fails by halves,
down to the days that fail. Rows are validated by tasks, each of whole days or of a part of a large one's rows.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from math import ceil
from typing import NamedTuple

from windrow.pipelines.delta.day_files import NO_ROWS, add_view, by_day
from windrow.pipelines.engines.engine import Engine, packed_within
from windrow.pipelines.gate.recount import sql
from windrow.pipelines.gate.recount.tables import TableVersion
from windrow.pipelines.gate.validation_results import Result, keep, merged, name_of
from windrow.pipelines.ledger.verdicts import Verdict
from windrow.pipelines.storage import open_database
from windrow.schemas.expectations import Expectation

ROWS = "rows"
# The name in validation results of a check outside of a run.
NO_RUN = "no-run"
# A task that validates fewer takes less time than its import of the library.
ENOUGH_ROWS = 2_000_000


class RowsOfDays(NamedTuple):
    """One of so many parts of the rows of some days: what a task validates."""

    days: tuple[date, ...]
    part: int = 0
    parts: int = 1


def verdicts_by_day(
    engine: Engine, rows: TableVersion, of_days: Mapping[date, tuple[Expectation, ...]]
) -> dict[date, list[Verdict]]:
    """One verdict per expectation of each day: those that it would get alone, but for the result, which days share that
    were validated together. O(rows); O(rows x log(days)) where many days fail."""
    if not of_days:
        return {}
    held = by_day(rows.lake, rows.table.name, rows.version)
    counts = {day: held.get(day, NO_ROWS).rows for day in of_days}
    checking = _Checking(engine, rows, of_days, counts)
    # Validated with others, a day that has too many rows would hide that another has too few.
    alone = [day for day, asked in of_days.items() if any(each.rows_noted not in (None, counts[day]) for each in asked)]
    together = [day for day in of_days if day not in alone]
    found = checking.verdicts(together) if together else {}
    for day in alone:
        found |= checking.verdicts([day])
    return {day: found[day] for day in of_days}


def validate(rows: TableVersion, asked: Sequence[Expectation], rows_noted: int, share: RowsOfDays) -> Result:
    """What the library finds on a share, of which with all others ingest noted so many."""
    # The library's import takes seconds: none where nothing is to be validated, none where tasks do it.
    from windrow.pipelines.gate import validation

    lake, table, version, _ = rows
    files = lake.files(table.name, version, [(rows.partition, "in", [*map(str, share.days)])])
    with open_database(lake.config.scratch, lake.config.lake) as database:
        add_view(database, lake, table, ROWS, files)
        found = database.sql(_statement(rows, asked, share)).to_arrow_reader(validation.ROWS_AT_ONCE)
        return validation.validated(asked, validation.frames_of(found), rows_noted)


def _statement(rows: TableVersion, expectations: Sequence[Expectation], share: RowsOfDays) -> str:
    """SQL: the columns that the expectations are of, on a share. Each is of one column, read or computed."""
    computed = dict(each.computed for each in expectations if each.computed)
    made = {name: f"{computation} AS {sql.name(name)}" for name, computation in computed.items()}
    asked = dict.fromkeys(str(each.parameters["column"]) for each in expectations if "column" in each.parameters)
    listed = ", ".join(made.get(column, sql.name(column)) for column in asked)
    dates = ", ".join(f"DATE '{day}'" for day in share.days)
    among = f"FROM {ROWS} WHERE {sql.name(rows.partition)} IN ({dates})"
    if share.parts > 1:
        among += f" AND hash({', '.join(map(sql.name, rows.table.sort_by))}) % {share.parts} = {share.part}"
    return f"SELECT {listed} {among}"


class _Checking(NamedTuple):
    """`counts`: rows by day."""

    engine: Engine
    rows: TableVersion
    of_days: Mapping[date, tuple[Expectation, ...]]
    counts: Mapping[date, int]

    def verdicts(self, days: Sequence[date]) -> dict[date, list[Verdict]]:
        """Of days that are validated together, as long as nothing fails."""
        asked, noted = self.of_days[days[0]], (each.rows_noted for day in days for each in self.of_days[day])
        work = partial(validate, self.rows, asked, sum(filter(None, noted)))
        result = merged(self.engine.each(work, [*self._shares(days)]))
        if not result["success"] and len(days) > 1:
            half = len(days) // 2
            return self.verdicts(days[:half]) | self.verdicts(days[half:])
        lake, table, version, _ = self.rows
        path = keep(lake.config, lake.of_run.get("run_id") or NO_RUN, table.name, version, days, result)
        found = {name_of(each): each for each in result["results"]}
        rows = {day: self.counts[day] if len(days) > 1 else None for day in days}
        return {
            day: [self._verdict(each, found[each.name], rows[day], path) for each in self.of_days[day]] for day in days
        }

    def _shares(self, days: Sequence[date]) -> Iterator[RowsOfDays]:
        counts = {day: self.counts[day] for day in days}
        limit = max(ENOUGH_ROWS, ceil(sum(counts.values()) / self.engine.slots))
        for together in packed_within(counts, limit):
            parts = ceil(sum(counts[day] for day in together) / limit) or 1
            yield from (RowsOfDays(together, part, parts) for part in range(parts))

    def _verdict(self, asked: Expectation, found: Result, rows: int | None, path: str) -> Verdict:
        passed, figure = bool(found["success"]), _figure(found, rows)
        offending = None if passed else asked.offending
        _, table, version, _ = self.rows
        return Verdict(asked.name, passed, figure, asked.limit, offending, table.name, version, path)


def _figure(expected: Result, rows: int | None) -> str:
    """`rows`: of the day; None where the result is of one day."""
    found = expected["result"]
    if "unexpected_count" in found:
        return f"{found['unexpected_count']} of {found['element_count'] if rows is None else rows} rows break it"
    if "observed_value" in found:
        return f"{found['observed_value'] if rows is None else rows} rows"
    raised = expected["exception_info"] or {}
    return f"could not be checked: {raised.get('exception_message', raised)}"
