"""The value columns of events as arrays of words, and a kernel's outputs as Arrow arrays.

Strings are whole numbers to kernels:

    coded     "b" "a" null "b"   ──▶   1 0 · 1, and ["a", "b"]     places among the different strings, in their order
    hashed    "b" "a" null "b"   ──▶   the same word for a string in every replay

A place keeps the order (by UTF-8 bytes), so that the least string is that of the least place; it means something within
one replay only, whose rows get their strings back from it. Where only equality counts, a hash does: what is made of it
depends on no other string, so that days, tasks and engines agree.
"""

import hashlib
from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.rows.arrays import KERNEL_TYPES, decoded, from_words, refuse_beyond_int64, valid, words
from pipelines.tables.aggregates import Aggregates, ValueColumn

STRING = "string"
HASH_BYTES = 8


def value_arrays(
    aggregates: Aggregates, events: pa.Table, order: np.ndarray
) -> tuple[np.ndarray, np.ndarray, dict[ValueColumn, pa.Array]]:
    """What a kernel gets of the events: int64 and bool[columns, events], words and whether they aren't null, in the
    order of rows; and by column of strings those that its words stand for."""
    found = np.zeros((len(aggregates.value_columns), len(order)), dtype=np.int64)
    present = np.ones((len(aggregates.value_columns), len(order)), dtype=bool)
    strings: dict[ValueColumn, pa.Array] = {}
    for place, read in enumerate(aggregates.value_columns):
        column = decoded(events[read.column])
        if _is_summed(aggregates, read):
            refuse_beyond_int64(column, read.column)
        kind = KERNEL_TYPES.get(column.type.id)
        if kind == STRING and read.hashed:
            found[place] = hashed(column)[order]
        elif kind == STRING:
            codes, strings[read] = coded(column)
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


def coded(column: pa.ChunkedArray) -> tuple[np.ndarray, pa.Array]:
    """(int64 places, whatever at a null; the different strings in order). O(rows + strings · log strings)."""
    encoded = column.combine_chunks().dictionary_encode()
    ascending = pc.sort_indices(encoded.dictionary)
    places = np.empty(len(ascending), np.int64)
    places[np.asarray(ascending)] = np.arange(len(ascending))
    return _taken(places, encoded), encoded.dictionary.take(ascending)


def hashed(column: pa.ChunkedArray) -> np.ndarray:
    """int64 words, whatever at a null: the first 8 bytes of BLAKE2b of the UTF-8 bytes. O(rows + strings)."""
    encoded = column.combine_chunks().dictionary_encode()
    digests = (hashlib.blake2b(each.as_buffer(), digest_size=HASH_BYTES).digest() for each in encoded.dictionary)
    return _taken(np.frombuffer(b"".join(digests), "<i8").astype(np.int64), encoded)


def _taken(words: np.ndarray, encoded: pa.DictionaryArray) -> np.ndarray:
    return np.append(words, 0)[np.asarray(pc.fill_null(encoded.indices, -1))]


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
