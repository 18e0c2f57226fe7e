"""Labels: rows of a key, a time and anything else, from a file, a table of the lake or a DataFrame, in the types that
the lake has. Every error names the column or the row."""

import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.types as types

from windrow.pipelines import storage
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.replay.validate import FARTHEST_US
from windrow.pipelines.rows.arrays import ARROW_TYPES, TIME, decoded, stored
from windrow.schemas.errors import BadInput, UnknownName, WrongParameter
from windrow.schemas.feature_set import BOTH, FeatureSet

LABELS, OF_LABELS = "--labels", "column of the labels"
CSV, PARQUET = (".csv", ".csv.gz"), (".parquet",)
NOT_IN_NAMES = " ,;{}()\n\t="
"""Characters that a column of a Delta table can't have in its name."""
_KINDS = (
    (types.is_integer, "int64"),
    (types.is_floating, "float64"),
    (types.is_boolean, "bool"),
    (types.is_date, "date"),
    (lambda type_: types.is_timestamp(type_) and type_.tz is not None, "timestamp"),
    (lambda type_: type_ in (pa.string(), pa.large_string(), pa.string_view(), pa.null()), "string"),
    (lambda type_: type_ in (pa.binary(), pa.large_binary(), pa.binary_view()), "binary"),
)
# What an index of pandas becomes that has no name.
_UNNAMED_INDEX = re.compile(r"__index_level_\d+__\Z")
# Of a CSV an empty field is null. Keys are read in their own type: 007 may be a text.
_READ = {"null_values": [""], "strings_can_be_null": True, "quoted_strings_can_be_null": False}


def read_labels(lake: Lake, given: str, key_types: Mapping[str, pa.DataType]) -> pa.Table:
    """The rows of a file of CSV or Parquet, of a folder that is a Delta table, or of a table of the lake. key_types: of
    the events' key columns."""
    path = Path(given)
    if path.is_dir() and storage.is_delta_table(path):
        return storage.read_only_table(path).to_pyarrow_table()
    if path.is_file() and given.endswith((*CSV, *PARQUET)):
        return _read_file(path, key_types)
    if path.exists() or "." in given or len(path.parts) > 1:
        allowed = f"a file that exists, and ends with {', '.join((*CSV, *PARQUET))}; or a table"
        raise WrongParameter(LABELS, given, allowed)
    if given not in lake.names():
        raise UnknownName("file or table of labels", given, lake.names())
    return lake.read(given)


def _read_file(path: Path, key_types: Mapping[str, pa.DataType]) -> pa.Table:
    try:
        if path.name.endswith(PARQUET):
            return storage.parquet(path).read()
        options = pyarrow.csv.ConvertOptions(column_types=key_types, **_READ)
        rows = pyarrow.csv.read_csv(path, convert_options=options)
    except (pa.ArrowException, ValueError) as error:
        raise BadInput(f"{path} can't be read: {error}") from None
    # Arrow takes times in several forms for texts.
    for place, field in enumerate(rows.schema):
        if types.is_string(field.type) and field.name not in key_types:
            with suppress(pa.ArrowInvalid):
                rows = rows.set_column(place, field.name, rows.column(place).cast(TIME))
    return rows


def in_lake_types(
    labels: pa.Table, features: FeatureSet, time: str | None, key_types: Mapping[str, pa.DataType]
) -> tuple[pa.Table, str]:
    """The labels, and the name of their time column: the only one of times with a zone, if no other is named. An index
    of pandas without a name is left out.

    Raises WrongParameter for a column that is missing, or whose name or type a table of features can't have; BadInput
    for values that aren't those of the key's column, and for a time that is null, no whole microsecond or too far away.
    """
    labels = labels.drop_columns([name for name in labels.column_names if _UNNAMED_INDEX.match(name)])
    _check_names(labels, features)
    if missing := [name for name in features.key if name not in labels.column_names]:
        allowed = f"with {missing[0]!r}, a key column of {features.name}"
        raise WrongParameter("columns of the labels", ", ".join(labels.column_names), allowed)
    columns = {name: _typed(name, decoded(labels[name]), key_types.get(name)) for name in labels.column_names}
    if time in columns and types.is_null(labels[time].type):  # of no labels pandas and CSV say no type
        columns[time] = labels[time].cast(TIME)
    times = [name for name, each in columns.items() if each.type == TIME and name not in features.key]
    if time is None and len(times) != 1:
        none = "none of its columns holds times with a zone, such as 2018-10-01T14:00:00Z"
        found = f"{', '.join(times)} all hold times with a zone" if times else none
        raise WrongParameter("--time", time, f"the name of the labels' time column, since {found}")
    chosen = times[0] if time is None else time
    if chosen not in times:
        raise WrongParameter("--time", chosen, f"a column of times with a zone: {', '.join(times) or 'there is none'}")
    _check_times(columns[chosen], chosen)
    return pa.table(columns), chosen


def _check_times(times: pa.ChunkedArray, name: str) -> None:
    if times.null_count:
        row = pc.index(pc.is_null(times), True).as_py()
        raise BadInput(f"row {row} of the labels: {name} is null; give the row its time, or leave it out")
    times_us = stored(times)
    far = np.flatnonzero((times_us < -FARTHEST_US) | (times_us > FARTHEST_US))
    if len(far):
        raise BadInput(f"row {far[0]} of the labels: {name} is beyond ±36,533 years of 1970; leave the row out")


def _check_names(labels: pa.Table, features: FeatureSet) -> None:
    taken = {name.lower() for name in features.columns(BOTH)}
    seen: set[str] = set()
    for name in labels.column_names:
        wrong = None
        if not name or set(name) & set(NOT_IN_NAMES):
            wrong = "a name without blanks and , ; { } ( ) ="
        elif name.lower() in taken:
            wrong = f"a name that no feature of {features.name} has"
        elif name.lower() in seen:
            wrong = "each name once, also in other case"
        if wrong:
            raise WrongParameter(OF_LABELS, name, f"{wrong}; rename this one")
        seen.add(name.lower())


def _typed(name: str, column: pa.ChunkedArray, of_key: pa.DataType | None) -> pa.ChunkedArray:
    type_ = of_key or next((ARROW_TYPES[kind] for fits, kind in _KINDS if fits(column.type)), None)
    has_no_zone = types.is_timestamp(column.type) and column.type.tz is None
    if type_ is None or (has_no_zone and column.type != type_):
        zone = "; whose clock was it? Give its times a zone, such as 2018-10-01T14:00:00Z" if has_no_zone else ""
        allowed = f"a column of {of_key or ', '.join(ARROW_TYPES)}, not of {column.type}{zone}"
        raise WrongParameter(OF_LABELS, name, allowed)
    try:
        return column.cast(type_)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise BadInput(f"column {name!r} of the labels can't be {type_}: {error}") from None
