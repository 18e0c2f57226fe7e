"""What Delta's log knows of each day of a table, without reading a row: how many rows, and their least and greatest
values. Compacting a day's files changes none of it."""

import hashlib
from datetime import date
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.delta.lake import Lake, day_column

_TOTALS = {"null_count": "sum", "min": "min", "max": "max"}


class DayStatistics(NamedTuple):
    """Of one day: its rows, and a digest of its columns' nulls, least and greatest values."""

    rows: int
    digest: str


NO_ROWS = DayStatistics(0, "")


def by_day(lake: Lake, name: str, version: int | None = None) -> dict[date, DayStatistics]:
    """The days that have rows, at a version, by default the newest; none where there is no table. O(files)."""
    if lake.version(name) is None:
        return {}
    actions = lake.add_actions(name, version)
    day = day_column(actions)
    # Not of texts: writers cut them off at different lengths.
    compared = [(each.name, _TOTALS.get(each.name.partition(".")[0])) for each in actions.schema if not _is_text(each)]
    asked = [("num_records", "sum"), *sorted((name, how) for name, how in compared if how is not None)]
    grouped = actions.group_by(day).aggregate(asked)
    dates = pc.cast(grouped[day], pa.date32()).to_pylist()
    rows, *others = (grouped[f"{column}_{how}"].to_pylist() for column, how in asked)
    values = zip(*others, strict=True) if others else [()] * len(dates)
    return {each: DayStatistics(n, _digest(of_day)) for each, n, of_day in zip(dates, rows, values, strict=True)}


def _is_text(field: pa.Field) -> bool:
    return field.type in (pa.string(), pa.large_string(), pa.string_view())


def _digest(values: tuple) -> str:
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]
