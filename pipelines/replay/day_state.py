"""What a day leaves for the next one: a row for each key in the state table (schemas/state_table.py), with the words
that its kernel gave (kernels/replay/carried.py).

A task reads it as rows among the events, so that what an engine brings together by key, or a bucket, holds both:

    key │ start │ … │ carried_state
    a   │ 10:07 │ … │               an event of the day
    a   │       │   │ 0x3f1c…       what the day before left of the key
"""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.replay.group_keys import Groups, group, sequence_of
from pipelines.rows.arrays import TIME, arrow_schema
from schemas.buckets import bucket_of
from schemas.state_table import CARRIED
from schemas.tables import Table

if TYPE_CHECKING:
    from pipelines.replay.work import Work

STATE_TYPE = pa.large_binary()
WORD = np.dtype("<i8")
DIGEST_BITS = 64


def split_rows(rows: pa.Table, key: Sequence[str]) -> tuple[pa.Table, pa.Table]:
    """Events, and what was left of keys."""
    is_state = pc.is_valid(rows[CARRIED])
    return rows.filter(pc.invert(is_state)).drop_columns([CARRIED]), rows.filter(is_state).select([*key, CARRIED])


def group_with(events: pa.Table, carried: pa.Table, key: tuple[str, ...]) -> tuple[Groups, list[np.ndarray]]:
    """Groups of the events of all keys that are among the events or among what was carried, and what was carried of
    each key, an empty array if nothing was. O(rows · log rows)."""
    # A row for each key that was carried on stands before the events.
    kept = pa.table({**{name: carried[name] for name in key}, "arrival": pa.nulls(len(carried), TIME)})
    ordered = events.select([*key, "arrival", *sequence_of(events)])
    groups = group(pa.concat_tables([kept, ordered], promote_options="default"), key)
    is_event = groups.order >= len(carried)
    keys = len(groups.offsets) - 1
    counts = np.bincount(groups.number[is_event], minlength=keys)
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    saved = [np.zeros(0, np.int64)] * keys
    for row, number in zip(groups.order[~is_event], groups.number[~is_event], strict=True):
        words = carried[CARRIED][int(row)].as_py()
        saved[number] = np.frombuffer(words, WORD, len(words) // WORD.itemsize)  # the kernel refuses what was cut
    order = groups.order[is_event] - len(carried)
    return Groups(order, offsets, groups.number[is_event], groups.keys), saved


def carried_table(groups: Groups, saved: Sequence[np.ndarray], key: tuple[str, ...]) -> pa.Table:
    """What is carried on, a row for each key that leaves something."""
    left = np.flatnonzero([len(words) > 0 for words in saved])
    keys = {} if groups.keys is None else {name: groups.keys[name].take(left) for name in key}
    words = [saved[int(number)].astype(WORD, copy=False).tobytes() for number in left]
    return pa.table({**keys, CARRIED: pa.array(words, STATE_TYPE)})


def state_rows(carried: pa.Table, work: "Work", table: Table, day: date) -> pa.Table:
    """As the state table has it: the day, and the bucket of each key, 0 where a key is in several."""
    of_day = carried.append_column("logical_date", pa.repeat(pa.scalar(day), len(carried)))
    stream, buckets = work.tables.source.stream, [0] * len(carried)
    if work.whole_buckets:
        keys = zip(*(carried[name].to_pylist() for name in stream.key), strict=True)
        buckets = [bucket_of(key, stream.buckets) for key in keys]
    schema = arrow_schema(table)
    return of_day.append_column("bucket", pa.array(buckets, pa.int64())).select(schema.names).cast(schema)


def state_digest(rows: pa.Table) -> int:
    """A sum over keys, whatever their order. O(bytes)."""
    key = [name for name in rows.column_names if name not in (CARRIED, "logical_date", "bucket")]
    keys = rows.select(key).to_pylist() if key else [{}] * len(rows)
    total = 0
    for of_key, words in zip(keys, rows[CARRIED], strict=True):
        digest = hashlib.sha256(repr(of_key).encode())
        digest.update(words.as_buffer())
        total += int.from_bytes(digest.digest()[: DIGEST_BITS // 8])
    return total


def digest_text(digests: Iterable[int]) -> str:
    """Of all shares, as the ledger keeps it."""
    return f"{sum(digests) % (1 << DIGEST_BITS):016x}"
