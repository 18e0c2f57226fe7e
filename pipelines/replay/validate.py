"""Events from elsewhere: is the table that a caller has, such as a DataFrame, the events that a query can be asked of?
Every error names the row.

Times may have any unit and any time zone, as long as they are instants that whole microseconds can hold; `seq` may be
any integer type. Times without a zone are refused: whose clock was it?
"""

from bisect import bisect_left
from datetime import timedelta
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as types

from windrow.pipelines.rows.arrays import TIME, decoded, nan_row, stored
from windrow.schemas.errors import BadInput, WrongParameter
from windrow.schemas.query import EVENT_COLUMNS, Query
from windrow.schemas.spelling import shown
from windrow.schemas.windows import require

FARTHEST_US = 1 << 60
"""Event times lie within ±36,533 years of 1970, so that no window's bound leaves int64."""
TAKEN = (
    "a pyarrow.Table, a DataFrame of pandas or of Polars, or another table in memory with __arrow_c_stream__ "
    "(the Arrow PyCapsule interface)"
)


class ArrowStream(Protocol):
    """A table of any library that exports it by Arrow's PyCapsule interface: pyarrow, pandas, Polars, DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """A PyCapsule of an ArrowArrayStream."""


def arrow_table(rows: ArrowStream, name: str = "events") -> pa.Table:
    """The same rows. pandas' NaN, NaT and None become null; what its index holds becomes columns. name: what they are.
    Raises WrongParameter for what is no table, BadInput for columns that Arrow has no type for."""
    require(hasattr(rows, "__arrow_c_stream__"), name, type(rows).__name__, TAKEN)
    try:
        # pyarrow recognizes pandas' DataFrames, and takes all others by the interface.
        return _without_views_in_dictionaries(pa.table(rows))
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise BadInput(
            f"{name}, of type {type(rows).__name__}, can't be made a table of Arrow: "
            f"{'; '.join(map(str, error.args))}. Taken: {TAKEN}, whose columns hold one type each"
        ) from None


def _without_views_in_dictionaries(table: pa.Table) -> pa.Table:
    """Arrow doesn't decode what Polars makes of its categories: dictionaries of string views."""
    for place, field in enumerate(table.schema):
        if types.is_dictionary(field.type) and types.is_string_view(field.type.value_type):
            chunks = [
                pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary.cast(pa.large_string()))
                for chunk in table.column(place).chunks
            ]
            type_ = pa.dictionary(field.type.index_type, pa.large_string())
            table = table.set_column(place, field.name, pa.chunked_array(chunks, type_))
    return table


def validate(events: pa.Table, query: Query, ahead_at_most: timedelta) -> pa.Table:
    """The columns that the query reads, with `start`, `end`, `arrival` as timestamp[us, UTC] and `seq` as int64.

    String and binary views become large strings and binaries.
    Raises WrongParameter for a column of the query that the table lacks, BadInput for rows that are no events.
    O(rows · log rows), for the proof that (arrival, seq) is unique.
    """
    require(isinstance(query, Query), "query", type(query).__name__, "a windrow.Query")
    _check_names(events, query)
    ours = events.select([*query.read_columns, *EVENT_COLUMNS])
    plain = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}  # Arrow sorts and takes no views
    ours = ours.cast(pa.schema([field.with_type(plain.get(field.type, field.type)) for field in ours.schema]))
    for name in EVENT_COLUMNS:
        ours = ours.set_column(ours.column_names.index(name), name, _event_column(events[name], name))
    _check_times(ours)
    _check_ahead(ours, ahead_at_most)
    for name in query.read_columns:
        if (row := nan_row(decoded(ours[name]))) is not None:
            raise BadInput(f"row {row}: {name} is NaN, which is no number; make it null, or leave the row out")
    _check_order(ours)
    return ours


def _check_names(events: pa.Table, query: Query) -> None:
    known = events.column_names
    for name in EVENT_COLUMNS:
        if known.count(name) != 1:
            raise BadInput(
                f"events have {known.count(name)} columns named {name!r}; a replay needs one of each of "
                f"{', '.join(EVENT_COLUMNS)}. The table's columns: {', '.join(known)}"
            )
    require(len(set(query.key)) == len(query.key), "key", query.key, "each column once")
    for name in query.read_columns:
        if known.count(name) != 1:
            allowed = f"a column that the events have once: {', '.join(known)}"
            raise WrongParameter("column", name, allowed, set(known) - {name})


def _event_column(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    column = decoded(column)
    wanted = pa.int64() if name == "seq" else TIME
    is_instant = types.is_timestamp(column.type) and column.type.tz is not None
    if not (types.is_integer(column.type) if name == "seq" else is_instant):
        raise BadInput(
            f"column {name!r} is {column.type}; a replay needs {wanted}"
            + (": cast it" if name == "seq" else ", or another timestamp with a time zone: cast it, or name its zone")
        )
    if column.null_count:
        row = pc.index(pc.is_null(column), True)
        raise BadInput(f"row {row}: {name} is null; give the row its {name}, or leave it out")
    if (found := _cast(column, wanted)) is None:
        ends = range(1, len(column) + 1)  # the first rows fit up to the one that doesn't
        row = bisect_left(ends, True, key=lambda end: _cast(column.slice(0, end), wanted) is None)
        value = column[row].cast(pa.uint64() if name == "seq" else pa.int64())
        raise BadInput(
            f"row {row}: {name} is {value} in {column.type}, which {wanted} cannot hold; "
            "round it first, or leave the row out"
        )
    return found


def _cast(column: pa.ChunkedArray, wanted: pa.DataType) -> pa.ChunkedArray | None:
    """None where a value doesn't fit."""
    try:
        return column.cast(wanted)
    except pa.ArrowInvalid:
        return None


def _check_times(events: pa.Table) -> None:
    for name in ("start", "end", "arrival"):
        times_us = stored(events[name])
        far = np.flatnonzero((times_us < -FARTHEST_US) | (times_us > FARTHEST_US))
        if len(far):
            raise BadInput(
                f"{_named(events, far[0])}: {name} is beyond ±36,533 years of 1970, where windows would "
                "leave the range of int64 microseconds; leave the row out"
            )
    backwards = np.flatnonzero(stored(events["end"]) < stored(events["start"]))
    if len(backwards):
        start, end = (_text(events[name], backwards[0]) for name in ("start", "end"))
        raise BadInput(
            f"{_named(events, backwards[0])}: end {end} is before start {start}; an event ends at its start or later"
        )


def _check_ahead(events: pa.Table, ahead_at_most: timedelta) -> None:
    most_us = min(ahead_at_most // timedelta(microseconds=1), 2 * FARTHEST_US)
    ahead_us = stored(events["start"]) - stored(events["arrival"])
    if len(ahead := np.flatnonzero(ahead_us > most_us)):
        row, by = ahead[0], timedelta(microseconds=int(ahead_us[ahead[0]]))
        raise BadInput(
            f"{_named(events, row)}: start {_text(events['start'], row)} is {shown(by)} after arrival "
            f"{_text(events['arrival'], row)}; ahead_at_most is {shown(ahead_at_most)}. Leave the row out, since "
            f"one wrong clock makes all other rows too late, or give ahead_at_most={by!r}".replace("datetime.", "")
        )


def _check_order(events: pa.Table) -> None:
    arrival, seq = stored(events["arrival"]), stored(events["seq"])
    order = np.lexsort((seq, arrival))
    repeated = (arrival[order[1:]] == arrival[order[:-1]]) & (seq[order[1:]] == seq[order[:-1]])
    if repeated.any():
        first, second = sorted(order[np.flatnonzero(repeated)[0] :][:2].tolist())
        raise BadInput(
            f"{_named(events, first)} and row {second} have the same arrival and seq; the order of arrival "
            "needs a seq of its own for each event of a tick"
        )


def _named(events: pa.Table, row: int) -> str:
    return f"row {row} (arrival {_text(events['arrival'], row)}, seq {events['seq'][int(row)]})"


def _text(column: pa.ChunkedArray, row: int) -> str:
    """A time as ISO text; as plain µs where Python's years end."""
    scalar = column[int(row)]
    try:
        return scalar.as_py().isoformat()
    except (OverflowError, ValueError):
        return f"{scalar.value} µs"
