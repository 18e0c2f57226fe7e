"""Rows as Python's own values. Its calendar has the years 1 to 9999, those of Arrow and DuckDB many more."""

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as types

_SHORT_YEAR = re.compile(r"^-(\d{3})-")  # NumPy's years before 0
_BEYOND_PYTHON = (OverflowError, ValueError)
_INFINITE = {pa.int64(): 2**63 - 1, pa.int32(): 2**31 - 1}  # how DuckDB stores infinity in a time and in a date


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
    return _text(value)


def _text(value: pa.Scalar) -> str:
    of_day = types.is_date32(value.type)
    stored = pa.int32() if of_day else pa.int64()
    number = value.cast(stored).as_py()
    if abs(number) == _INFINITE[stored]:
        return "infinity" if number > 0 else "-infinity"
    unit: Any = "D" if of_day else value.type.unit
    text = _SHORT_YEAR.sub(r"-0\1-", str(np.datetime64(number, unit)).removesuffix(".000000"))
    return text if of_day or value.type.tz is None else f"{text}Z"
