"""Labels: rows of a key, a time and anything else, from a file, a table of the lake or a DataFrame, in the types that
the lake has. Every error names the column or the row."""

from collections.abc import Mapping
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq
import pyarrow.types as types

from windrow.pipelines import storage
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.rows.arrays import ARROW_TYPES, TIME, decoded
from windrow.schemas.errors import BadInput, UnknownName, WrongParameter
from windrow.schemas.feature_set import BOTH, FeatureSet

LABELS = "--labels"
READERS = {".csv": "CSV", ".gz": "CSV", ".parquet": "Parquet", ".json": "JSON", ".ndjson": "JSON", ".jsonl": "JSON"}
NOT_IN_NAMES = " ,;{}()\n\t="
"""Characters that a column of a Delta table can't have in its name."""
_KINDS = (
    (types.is_integer, "int64"),
    (types.is_floating, "float64"),
    (types.is_boolean, "bool"),
    (types.is_date, "date"),
    (lambda type_: types.is_timestamp(type_) and type_.tz is not None, "timestamp"),
    (lambda type_: types.is_string(type_) or types.is_large_string(type_) or types.is_null(type_), "string"),
    (lambda type_: types.is_binary(type_) or types.is_large_binary(type_), "binary"),
)


def read_labels(lake: Lake, given: str) -> pa.Table:
    """The rows of a file (CSV, also packed by gzip; Parquet; JSON lines), of a folder that is a Delta table, or of a
    table of the lake."""
    path = Path(given)
    if path.is_dir() and storage.is_delta_table(path):
        return storage.read_only_table(path).to_pyarrow_table()
    if path.is_file():
        kind = READERS.get(path.suffix)
        if kind is None:
            raise WrongParameter(LABELS, given, f"a file that ends with {', '.join(READERS)}")
        return _read_file(path, kind)
    if path.suffix in READERS or len(path.parts) > 1:
        raise WrongParameter(LABELS, given, "a file that exists")
    if given not in lake.names():
        raise UnknownName("file or table of labels", given, lake.names())
    return lake.read(given)


def _read_file(path: Path, kind: str) -> pa.Table:
    try:
        if kind == "Parquet":
            return pq.read_table(path)
        if kind == "CSV":
            return pyarrow.csv.read_csv(path)
        with duckdb.connect() as database:
            database.execute("SET TimeZone = 'UTC'")
            return database.read_json(str(path)).to_arrow_table()
    except (pa.ArrowException, duckdb.Error) as error:
        raise BadInput(f"{path} can't be read as {kind}: {error}") from None


def in_lake_types(
    labels: pa.Table, features: FeatureSet, time: str | None, key_types: Mapping[str, pa.DataType]
) -> tuple[pa.Table, str]:
    """The labels, and the name of their time column: the only one of times with a zone, if no other is named.
    key_types: of the events' key columns.

    Raises WrongParameter for a column that is missing, or whose name or type a table of features can't have; BadInput
    for values that aren't those of the key's column, and for a time that is null or no whole microsecond.
    """
    _check_names(labels, features)
    if missing := [name for name in features.key if name not in labels.column_names]:
        raise WrongParameter(LABELS, ", ".join(labels.column_names), f"labels with the key column {missing[0]!r}")
    columns = {name: _typed(name, decoded(labels[name]), key_types.get(name)) for name in labels.column_names}
    times = [name for name, each in columns.items() if each.type == TIME and name not in features.key]
    if time is None and len(times) != 1:
        found = "none of its columns holds" if not times else f"{', '.join(times)} all hold"
        raise WrongParameter("--time", None, f"the name of the labels' time column: {found} times with a zone")
    chosen = time or times[0]
    if chosen not in times:
        raise WrongParameter("--time", chosen, f"a column of times with a zone: {', '.join(times) or 'there is none'}")
    if columns[chosen].null_count:
        row = pc.index(pc.is_null(columns[chosen]), True).as_py()
        raise BadInput(f"row {row} of the labels: {chosen} is null, so that nothing says when it asks")
    return pa.table(columns), chosen


def _check_names(labels: pa.Table, features: FeatureSet) -> None:
    taken = {name.lower() for name in features.columns(BOTH)}
    seen: set[str] = set()
    for name in labels.column_names:
        if not name or set(name) & set(NOT_IN_NAMES):
            raise WrongParameter(LABELS, name, "names of columns without blanks and , ; { } ( ) =; rename this one")
        if name.lower() in taken:
            raise WrongParameter(
                LABELS, name, f"columns whose names no feature of {features.name} has; rename this one"
            )
        if name.lower() in seen:
            raise WrongParameter(LABELS, name, "each name once, also in other case; rename this one")
        seen.add(name.lower())


def _typed(name: str, column: pa.ChunkedArray, of_key: pa.DataType | None) -> pa.ChunkedArray:
    type_ = of_key or next((ARROW_TYPES[kind] for fits, kind in _KINDS if fits(column.type)), None)
    if type_ is None:
        zone = "; whose clock was it? Give it a time zone" if types.is_timestamp(column.type) else ""
        allowed = f"columns of {', '.join(ARROW_TYPES)}, not of {column.type}{zone}"
        raise WrongParameter(LABELS, name, allowed)
    if of_key and types.is_timestamp(column.type) and column.type.tz is None:
        raise WrongParameter(LABELS, name, f"a column of {type_}, as the key of the stream; it holds {column.type}")
    try:
        return column.cast(type_)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise BadInput(f"column {name!r} of the labels can't be {type_}: {error}") from None
