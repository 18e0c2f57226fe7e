"""What a kernel's errors call keys, columns, times and events, in the words of the query."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kernels.replay import Labels
from pipelines.replay.group_keys import Groups
from pipelines.replay.specifications import ServedQuery
from pipelines.rows.arrays import decoded, stored
from pipelines.rows.plain_rows import plain_rows
from pipelines.tables.aggregates import Aggregates


def labels_of(events: pa.Table, groups: Groups, aggregates: Aggregates, served: ServedQuery) -> Labels:
    """Keys by their columns' values, columns by name, times as dates in UTC, events by file and line, or by seq."""
    names = [each.column for each in aggregates.value_columns]

    def values(column: int, key: int, start_us: int, end_us: int, tick_us: int) -> str:
        of_key = events.take(groups.order[groups.offsets[key] : groups.offsets[key + 1]])
        of_key = of_key.filter(stored(of_key["arrival"]) <= tick_us)
        starts, ends = served.kind.attributed(served.query.window, stored(of_key["start"]), stored(of_key["end"]))
        last = np.maximum(ends - 1, starts)
        return _extremes(of_key.filter((starts < end_us) & (last >= start_us)), names[column])

    return Labels(lambda key: _key(groups, key), lambda column: f"column {names[column]}", _time, values)


def _extremes(events: pa.Table, name: str) -> str:
    """The least and the greatest value, and where they come from: what is beyond a bound is mostly one of the two."""
    present = events.filter(pc.is_valid(decoded(events[name])))
    if not present.num_rows:
        return ""
    places = [each for each in ("path", "line", "seq") if each in present.column_names]
    rows = present.take(pc.sort_indices(decoded(present[name]))).select([name, *places])
    least, greatest = plain_rows(rows.take([0, len(rows) - 1]))
    return f". Of its {len(rows):,} values the least is {_placed(least, name)}, the greatest {_placed(greatest, name)}"


def _placed(row: dict, name: str) -> str:
    place = f"seq {row['seq']}" if "seq" in row else f"{row['path']}, line {row['line']}"
    return f"{row[name]!r} ({place})"


def _key(groups: Groups, number: int) -> str:
    if groups.keys is None:
        return "the only key"
    [values] = plain_rows(groups.keys.slice(number, 1))
    return ", ".join(f"{name}={value!r}" for name, value in values.items())


def _time(time_us: int) -> str:
    # NumPy's: its years have no end, as those of Python's datetime do.
    return str(np.datetime64(int(time_us), "us")).replace("T", " ").removesuffix(".000000") + " UTC"
