"""The rows of a Parquet file as lines of JSON: its content, as far as ingest is concerned; the file is a packing of it.

The text of a value must be the same for ever: the hash of the content and the identity of equal lines are made of it.
A column is a member of the row's object, in the order of the file. Times are ISO texts with up to nine decimals,
instants in UTC with a Z; numbers that JSON has none for are texts, as are decimals, dates, bytes and UUIDs.
"""

import json
import math
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import IO
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines import storage
from pipelines.rows.arrays import plain_rows

_ROWS_PER_PIECE = 1_000


class DamagedParquet(ValueError):
    """The file is no Parquet file, or can't be read to its end."""


def json_lines(file: IO[bytes]) -> Iterator[bytes]:
    """The rows of an open file, some at a time and fewer where they are long, each with an LF. OSError where the disk
    fails, DamagedParquet for all else. O(values)."""
    try:
        parquet = pq.ParquetFile(file)
        _require_texts(parquet.schema_arrow)
        for batch in storage.batches(parquet, _ROWS_PER_PIECE):
            rows = plain_rows(pa.Table.from_batches([batch]))
            yield "".join(f"{_as_json(row)}\n" for row in rows).encode(errors="backslashreplace")
    except (pa.ArrowException, OSError) as error:
        # What Arrow raises for damaged pages is an OSError too, without the number that the system's have.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise DamagedParquet(str(error)) from error


def _require_texts(schema: pa.Schema) -> None:
    twice = [name for name, times in Counter(schema.names).items() if times > 1]
    if twice:
        raise DamagedParquet(f"more than one of its columns is named {', '.join(map(repr, twice))}")
    for field in schema:
        # Python's times of day have no nanoseconds: Arrow would cut them off without a word.
        if str(pa.time64("ns")) in str(field.type):
            raise DamagedParquet(f"column {field.name!r} holds times of day in nanoseconds; write it in microseconds")


def _as_json(row: dict) -> str:
    return json.dumps(_plain(row), ensure_ascii=False, allow_nan=False)


def _plain(value: object) -> object:
    """The value in JSON's own types."""
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if isinstance(value, datetime):
        return _time(value)
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, bytes):
        return value.decode(errors="backslashreplace")
    if isinstance(value, Decimal):
        return format(value, "f")
    raise DamagedParquet(f"its rows have values of type {type(value).__name__}, for which JSON has no text")


def _time(value: datetime) -> str:
    # pandas' times, which Arrow gives where there are nanoseconds, have them apart.
    nanoseconds = f"{getattr(value, 'nanosecond', 0):03}"
    plain = value if value.tzinfo is None else value.astimezone(UTC)
    digits = f"{plain.microsecond:06}{nanoseconds}".rstrip("0")
    seconds = f"{plain.year:04}-{plain:%m-%d %H:%M:%S}"
    return f"{seconds}{'.' if digits else ''}{digits}{'' if value.tzinfo is None else 'Z'}"
