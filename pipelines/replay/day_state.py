"""What a day leaves for the next one, as rows of the state table (schemas/state_table.py).

A task reads it as rows among the events, so that what an engine brings together by key, or a bucket, holds both:

    key │ start │ … │ carried_state
    a   │ 10:07 │ … │               an event of the day
    a   │       │   │ 0x3f1c…       what the day before left of the key
"""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.delta.new_files import NewFile
from pipelines.rows.arrow_schemas import arrow_schema
from schemas.buckets import bucket_of
from schemas.state_table import CARRIED
from schemas.tables import Table

DIGEST_BITS = 64


class StateTarget(NamedTuple):
    """Where a day leaves it. bucket_key: the columns that say which of the stream's buckets a key is in; none where it
    is in several."""

    table: Table
    bucket_key: tuple[str, ...]
    buckets: int


def with_state(read: pa.Schema) -> pa.Schema:
    """Columns of events, in which rows of the state table fit too."""
    return pa.schema([*(field.with_nullable(True) for field in read), pa.field(CARRIED, pa.binary())])


def split_rows(rows: pa.Table, key: Sequence[str]) -> tuple[pa.Table, pa.Table]:
    """Events, and what was left of keys."""
    is_state = pc.is_valid(rows[CARRIED])
    return rows.filter(pc.invert(is_state)).drop_columns([CARRIED]), rows.filter(is_state).select([*key, CARRIED])


def state_rows(carried: pa.Table, target: StateTarget, day: date) -> pa.Table:
    """As the state table has it: the day, and the bucket of each key."""
    of_day = carried.append_column("logical_date", pa.repeat(pa.scalar(day), len(carried)))
    buckets = np.zeros(len(carried), np.int64)
    if target.bucket_key:
        keys = zip(*(carried[name].to_pylist() for name in target.bucket_key), strict=True)
        buckets = np.array([bucket_of(key, target.buckets) for key in keys], np.int64)
    schema = arrow_schema(target.table)
    return of_day.append_column("bucket", pa.array(buckets)).select(schema.names).cast(schema)


def state_digest(rows: pa.Table) -> int:
    """A sum over keys, whatever their order. O(bytes)."""
    key = [name for name in rows.column_names if name not in (CARRIED, "logical_date", "bucket")]
    keys = rows.select(key).to_pylist() if key else [{}] * len(rows)
    return sum(_digest(repr(of_key), words) for of_key, words in zip(keys, rows[CARRIED], strict=True))


def _digest(key: str, words: pa.Scalar) -> int:
    digest = hashlib.sha256(key.encode())
    digest.update(words.as_buffer())
    return int.from_bytes(digest.digest()[: DIGEST_BITS // 8])


def digest_text(digests: Iterable[int]) -> str:
    """Of all shares, as the ledger keeps it."""
    return f"{sum(digests) % (1 << DIGEST_BITS):016x}"


def state_counts(files: Iterable[NewFile], day: date) -> dict[str, int]:
    """How large what a day leaves is, for the ledger."""
    of_day = [file for file in files if file.partition["logical_date"] == str(day)]
    return {"state_keys": sum(each.rows for each in of_day), "state_bytes": sum(each.file_bytes for each in of_day)}
