"""Arrow's columns: their types by `schemas/tables.py`; as NumPy's arrays, times as int64 µs, values as the 64-bit words
of windrow.kernels.replay, and back; as rows of Python's own values.

A word is the value's own integer (dates, times and durations in the column's own unit), or the bits of a float64. Where
an aggregate keeps the type (min, max), uint64 goes in with its top bit turned over: so its order as int64 is right.
"""

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as types

from windrow.schemas.errors import BadInput
from windrow.schemas.tables import Table

ARROW_TYPES = {
    "string": pa.string(), "int64": pa.int64(), "float64": pa.float64(), "bool": pa.bool_(),
    "timestamp": pa.timestamp("us", "UTC"), "date": pa.date32(), "binary": pa.binary(),
}  # fmt: skip
TIME = ARROW_TYPES["timestamp"]
TOP_BIT = np.int64(-(2**63))
_INTEGERS = (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())
_TIMES = (pa.timestamp("us"), pa.time32("s"), pa.time64("us"), pa.duration("us"))
KERNEL_TYPES = {
    **{type_.id: "int64" for type_ in _INTEGERS},
    **{type_.id: "float64" for type_ in (pa.float16(), pa.float32(), pa.float64())},
    **{type_.id: "timestamp" for type_ in _TIMES},
    **{type_.id: "date" for type_ in (pa.date32(), pa.date64())},
    pa.bool_().id: "bool",
    **{type_.id: "string" for type_ in (pa.string(), pa.large_string())},
}
"""How a kernel reads the words of an Arrow column, by its type's id, whatever the unit. Others have no 64-bit word, and
strings get theirs in pipelines/replay/event_arrays.py."""
ArrowColumn = pa.Array | pa.ChunkedArray
_SHORT_YEAR = re.compile(r"^-(\d{3})-")  # NumPy's years before 0
_BEYOND_PYTHON = (OverflowError, ValueError)
_INFINITE = {pa.int64(): 2**63 - 1, pa.int32(): 2**31 - 1}  # how DuckDB stores infinity in a time and in a date


def decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column without dictionary encoding."""
    return column.cast(column.type.value_type) if types.is_dictionary(column.type) else column


def expression_types(schema: pa.Schema) -> dict[str, str | None]:
    """By column its type as expressions have it: one name for all integers, for all floats, and for all units."""
    return {field.name: _expression_type(field.type) for field in schema}


def _expression_type(type_: pa.DataType) -> str | None:
    plain = type_.value_type if types.is_dictionary(type_) else type_
    if types.is_null(plain):
        return None
    if types.is_timestamp(plain):
        return "timestamp" if plain.tz is not None else "datetime without a zone"
    return next((name for is_of, name in _EXPRESSION_TYPES if is_of(plain)), str(plain))


_EXPRESSION_TYPES = (
    (types.is_integer, "int64"),
    (types.is_floating, "float64"),
    (types.is_boolean, "bool"),
    (lambda type_: type_ in (pa.string(), pa.large_string(), pa.string_view()), "string"),
    (lambda type_: type_ in (pa.binary(), pa.large_binary()) or types.is_fixed_size_binary(type_), "binary"),
    (types.is_date, "date"),
    (types.is_time, "time without a zone"),
    (types.is_duration, "duration"),
)


def stored(column: pa.ChunkedArray) -> np.ndarray:
    """The column's own integers or floats as they lie in memory, zero at a null."""
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    plain = whole if types.is_floating(whole.type) else whole.view(_storage(whole.type))
    return np.asarray(pc.fill_null(plain, 0) if plain.null_count else plain)


def valid(column: pa.ChunkedArray) -> np.ndarray:
    """False at a null."""
    return np.asarray(pc.is_valid(column))


def words(column: pa.ChunkedArray, ordered: bool = False) -> np.ndarray:
    """int64 words of a value column, whatever at a null; `ordered`: uint64 so that its order is right."""
    if types.is_floating(column.type):
        return stored(column.cast(pa.float64())).view(np.int64)
    if types.is_boolean(column.type):
        column = column.cast(pa.int8())
    found = stored(column).astype(np.int64, copy=False)
    return found ^ TOP_BIT if ordered and column.type == pa.uint64() else found


def from_words(found: np.ndarray, null: np.ndarray, type_: pa.DataType) -> pa.Array:
    """An Arrow array of `type_` from words, null where `null` says so; uint64 from its ordered form. It keeps the words
    where they are of its size: pa.array with a mask takes 7 ns a value, this a thirtieth."""
    if types.is_boolean(type_):
        return pa.array(found.astype(bool), type_, mask=null)
    if types.is_floating(type_):
        plain = found.view(np.float64).astype(type_.to_pandas_dtype(), copy=False)
    else:
        plain = found ^ TOP_BIT if type_ == pa.uint64() else found
        plain = plain.astype(_storage(type_).to_pandas_dtype(), copy=False)
    is_valid = pa.py_buffer(np.packbits(~null, bitorder="little")) if null.any() else None
    return pa.Array.from_buffers(type_, len(plain), [is_valid, pa.py_buffer(np.ascontiguousarray(plain))])


def times(found: np.ndarray) -> pa.Array:
    """int64 µs as timestamp[us, UTC]."""
    return pa.array(found, pa.int64()).view(TIME)


def nan_row(column: pa.ChunkedArray) -> int | None:
    """The first row that is NaN, in a float column."""
    found = pc.index(pc.is_nan(column), True).as_py() if types.is_floating(column.type) else -1
    return None if found < 0 else found


def refuse_beyond_int64(column: pa.ChunkedArray, name: str) -> None:
    """uint64 values that no int64 holds can't be summed."""
    if column.type == pa.uint64():
        row = pc.index(pc.greater(column, pa.scalar(2**63 - 1, pa.uint64())), True).as_py()
        if row >= 0:
            raise BadInput(
                f"row {row}: {name} is {column[row]}, beyond int64 (9,223,372,036,854,775,807), so that it "
                "can't be summed; scale the column down, or make it a float"
            )


def _storage(type_: pa.DataType) -> pa.DataType:
    if types.is_integer(type_):
        return type_
    return pa.int32() if type_.bit_width == 32 else pa.int64()


def arrow_schema(table: Table) -> pa.Schema:
    """The table's Arrow schema: types, nullability, and each column's comment as field metadata."""
    fields = []
    for column in table.columns:
        comment = f"{column.meaning} [{column.unit}]" if column.unit else column.meaning
        fields.append(pa.field(column.name, ARROW_TYPES[column.type], column.nullable, {"comment": comment}))
    return pa.schema(fields)


def plain_rows(table: pa.Table) -> list[dict]:
    """A dict a row; a time or date beyond Python's years is its text in ISO 8601. O(values)."""
    try:
        return table.to_pylist()
    except _BEYOND_PYTHON:
        columns = [[_plain(value) for value in column] for column in table.columns]
        return [dict(zip(table.column_names, row, strict=True)) for row in zip(*columns, strict=True)]


def _plain(value: pa.Scalar) -> object:
    try:
        return value.as_py()
    except _BEYOND_PYTHON:
        pass
    if isinstance(value, pa.StructScalar):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, pa.MapScalar):
        return [tuple(map(_plain, (entry["key"], entry["value"]))) for entry in value.values]
    if isinstance(value, (pa.ListScalar, pa.FixedSizeListScalar)):
        return [_plain(inner) for inner in value.values]
    of_day = types.is_date32(value.type)
    stored = pa.int32() if of_day else pa.int64()
    number = value.cast(stored).as_py()
    if abs(number) == _INFINITE[stored]:
        return "infinity" if number > 0 else "-infinity"
    unit: Any = "D" if of_day else value.type.unit
    text = _SHORT_YEAR.sub(r"-0\1-", str(np.datetime64(number, unit)).removesuffix(".000000"))
    return text if of_day or value.type.tz is None else f"{text}Z"
