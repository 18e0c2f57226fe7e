"""Events as kernels take them: by key, in order of arrival, with their value columns as arrays of words; and a kernel's
outputs as Arrow arrays.

Keys are numbered in the order of the result tables: by value (strings by UTF-8 bytes), column by column, null last.
Strings are whole numbers to kernels:

    ranked    "b" "a" null "b"   ──▶   1 0 · 1, and ["a", "b"]     places among the different strings, in their order
    hashed    "b" "a" null "b"   ──▶   the same word for a string in every replay

A place keeps the order (by UTF-8 bytes), so that the least string is that of the least place; it means something within
one replay only, whose rows get their strings back from it. Where only equality counts, a hash does: what is made of it
depends on no other string, so that days, tasks and engines agree.
"""

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as types

from windrow.pipelines.replay.expressions import column_of
from windrow.pipelines.rows.arrays import KERNEL_TYPES, decoded, from_words, refuse_beyond_int64, stored, valid, words
from windrow.pipelines.tables.query_tables import Aggregates, ValueColumn
from windrow.schemas.errors import WrongParameter

STRING = "string"
HASH_BYTES = 8


class Groups(NamedTuple):
    """Rows by (key, arrival, seq).

    order: int64[rows], the row numbers, key by key, in order of arrival
    offsets: int64[keys + 1], key k has order[offsets[k]:offsets[k + 1]]
    number: int64[rows], the key of each place of `order`
    keys: one row per key, with the key columns as the events have them
    """

    order: np.ndarray
    offsets: np.ndarray
    number: np.ndarray
    keys: pa.Table


def group(events: pa.Table, key: tuple[str, ...]) -> Groups:
    """Sort events by key and arrival. O(rows · log rows); O(rows) where a key's stand in order of arrival, as in the
    files of one day after those of the other."""
    codes, count = key_codes(events, key)
    order = np.argsort(_small(codes, count), kind="stable")
    if not _have_arrived(events, order, codes):
        arrived = np.lexsort((*reversed(_of_one_time(events)), stored(events["arrival"])))
        order = arrived[np.argsort(_small(codes[arrived], count), kind="stable")]
    offsets = np.concatenate(([0], np.cumsum(np.bincount(codes, minlength=count)))).astype(np.int64)
    keys = key_columns(events, key).take(order[offsets[:-1]]) if key else None
    return Groups(order, offsets, codes[order], keys)


def key_columns(rows: pa.Table, key: tuple[str, ...]) -> pa.Table:
    return pa.table([_one_zero(rows[name]) for name in key], names=list(key))


def key_codes(rows: pa.Table, key: tuple[str, ...]) -> tuple[np.ndarray, int]:
    """int64[rows], the keys numbered in their order; and how many keys there are."""
    codes = np.zeros(rows.num_rows, dtype=np.int64)
    for name in key:
        places, values = ranked(_one_zero(rows[name]), name)
        codes = _dense(codes * (len(values) + 1) + places)[0]
    return _dense(codes)


def event_times(events: pa.Table, groups: Groups) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """start, end and arrival key by key, in µs."""
    start_us, end_us, arrival_us = (stored(events[name])[groups.order] for name in ("start", "end", "arrival"))
    return start_us, end_us, arrival_us


def _have_arrived(events: pa.Table, order: np.ndarray, codes: np.ndarray) -> bool:
    """Whether the events of each key, in an order that has them together, are in that of arrival."""
    arrival, key = stored(events["arrival"])[order], codes[order]
    same_key = key[1:] == key[:-1]
    if (same_key & (arrival[1:] < arrival[:-1])).any():
        return False
    tied = np.flatnonzero(same_key & (arrival[1:] == arrival[:-1]))
    rows = np.union1d(tied, tied + 1)
    columns = _of_one_time(events.select(sequence_of(events)).take(order[rows]))
    return bool((np.lexsort((*reversed(columns), arrival[rows], key[rows])) == np.arange(len(rows))).all())


def sequence_of(events: pa.Table) -> list[str]:
    """By what events that arrived at one time are ordered."""
    return ["seq"] if "seq" in events.column_names else ["path", "line", "reading"]


def _of_one_time(events: pa.Table) -> list[np.ndarray]:
    columns = {name: events[name] for name in sequence_of(events)}
    return [ranked(each, name)[0] if name == "path" else stored(each) for name, each in columns.items()]


def ranked(column: pa.ChunkedArray, name: str) -> tuple[np.ndarray, pa.Array]:
    """int64 places of the rows' values among the column's different ones, null last; and these, in their order.
    WrongParameter for values that have none. O(rows + values · log values)."""
    plain = decoded(column)
    if plain.type == pa.float16():
        plain = plain.cast(pa.float32())  # Arrow sorts no half floats
    if types.is_null(plain.type) or len(plain) == 0:
        return np.zeros(len(plain), dtype=np.int64), pa.array([], plain.type)
    try:
        encoded = plain.dictionary_encode().unify_dictionaries()
        values = encoded.chunk(0).dictionary
        ascending = pc.sort_indices(values)
    except pa.ArrowNotImplementedError:
        raise WrongParameter("key", name, f"a column whose values can be sorted, not {column.type}") from None
    rank = np.empty(len(values) + 1, dtype=np.int64)
    rank[np.asarray(ascending)] = np.arange(len(values))
    rank[-1] = len(values)
    indices = [np.asarray(pc.fill_null(chunk.indices, len(values))) for chunk in encoded.chunks]
    return rank[np.concatenate(indices)], values.take(ascending)


def _one_zero(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """−0.0 and 0.0 are one key."""
    if not types.is_floating(column.type):
        return column
    return pc.add(column.cast(pa.float64()), 0.0).cast(column.type)  # Arrow adds no half floats


def _dense(codes: np.ndarray) -> tuple[np.ndarray, int]:
    """The codes as 0, 1, 2, … in their order, and how many there are."""
    if len(codes) == 0:
        return codes, 0
    span = int(codes.max()) + 1
    if span > 4 * len(codes):
        values, found = np.unique(codes, return_inverse=True)
        return found.astype(np.int64, copy=False), len(values)
    present = np.zeros(span, dtype=bool)
    present[codes] = True
    return (np.cumsum(present) - 1)[codes], int(present.sum())


def _small(codes: np.ndarray, count: int) -> np.ndarray:
    """NumPy sorts 16-bit integers by radix: measured 6 times faster than 64-bit ones."""
    return codes.astype(np.uint16) if count <= 1 << 16 else codes


def value_arrays(
    aggregates: Aggregates, events: pa.Table, order: np.ndarray
) -> tuple[np.ndarray, np.ndarray, dict[ValueColumn, pa.Array]]:
    """What a kernel gets of the events: int64 and bool[columns, events], words and whether there are any, in the order
    of rows; and by column of strings those that its words stand for. Of an event that a filter leaves out there is
    none, as of a null."""
    found = np.zeros((len(aggregates.value_columns), len(order)), dtype=np.int64)
    present = np.ones((len(aggregates.value_columns), len(order)), dtype=bool)
    strings: dict[ValueColumn, pa.Array] = {}
    for place, read in enumerate(aggregates.value_columns):
        column = column_of(events, read.value)
        if _is_summed(aggregates, read):
            refuse_beyond_int64(column, str(read.value))
        kind = KERNEL_TYPES.get(column.type.id)
        if kind == STRING and read.hashed:
            found[place] = hashed(column)[order]
        elif kind == STRING:
            codes, strings[read] = ranked(column, str(read.value))
            found[place] = codes[order]
        elif kind is not None:
            found[place] = words(column, read.ordered)[order]
        present[place] = valid(column)[order]
    return found, present, strings


def _is_summed(aggregates: Aggregates, read: ValueColumn) -> bool:
    if aggregates.window.column == aggregates.value_columns.index(read):
        return True
    return not read.ordered and any(
        read in output.reads and output.spec.function != "count" for output in aggregates.outputs
    )


def hashed(column: pa.ChunkedArray) -> np.ndarray:
    """int64 words, whatever at a null: the first 8 bytes of BLAKE2b of the UTF-8 bytes. O(rows + strings · log
    strings)."""
    places, strings = ranked(column, "")
    digests = (hashlib.blake2b(each.as_buffer(), digest_size=HASH_BYTES).digest() for each in strings)
    return np.append(np.frombuffer(b"".join(digests), "<i8").astype(np.int64), 0)[places]


def result_arrays(
    aggregates: Aggregates, strings: Mapping[ValueColumn, pa.Array], outputs: np.ndarray, null: np.ndarray
) -> dict[str, pa.Array]:
    """The result columns by name; strings: those that the words of a column stand for."""
    columns = {}
    for output, found, is_null in zip(aggregates.outputs, outputs, null, strict=True):
        if KERNEL_TYPES[output.result.id] != STRING:
            columns[output.name] = from_words(found, is_null, output.result)
            continue
        assert output.kept is not None, "a string is one of its column"
        among = strings[output.reads[output.kept]]
        columns[output.name] = among.take(pa.array(found, mask=is_null)).cast(output.result)
    return columns
