"""The value columns of events as arrays of words, and a kernel's outputs as Arrow arrays."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from pipelines.replay.strings import STRING, coded, hashed
from pipelines.rows.arrays import KERNEL_TYPES, decoded, from_words, refuse_beyond_int64, valid, words
from pipelines.tables.aggregates import Aggregates, Output, ValueColumn


class ValueArrays(NamedTuple):
    """words, valid: int64 and bool[columns, events], words and whether they aren't null, in the order of rows;
    strings: by column of strings those that its words stand for."""

    words: np.ndarray
    valid: np.ndarray
    strings: Mapping[ValueColumn, pa.Array]


def value_arrays(aggregates: Aggregates, events: pa.Table, order: np.ndarray) -> ValueArrays:
    """What a kernel gets of the events."""
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
    return ValueArrays(found, present, strings)


def _is_summed(aggregates: Aggregates, read: ValueColumn) -> bool:
    if aggregates.window.column == aggregates.value_columns.index(read):
        return True
    return not read.ordered and any(
        read in output.reads and output.spec.function != "count" for output in aggregates.outputs
    )


def result_arrays(
    aggregates: Aggregates, strings: Mapping[ValueColumn, pa.Array], outputs: np.ndarray, null: np.ndarray
) -> dict[str, pa.Array]:
    """The result columns by name; strings: those that the words of a column stand for."""
    return {
        output.name: _result(output, strings, outputs[place], null[place])
        for place, output in enumerate(aggregates.outputs)
    }


def _result(output: Output, strings: Mapping[ValueColumn, pa.Array], found: np.ndarray, null: np.ndarray) -> pa.Array:
    if KERNEL_TYPES[output.result.id] != STRING:
        return from_words(found, null, output.result)
    assert output.kept is not None, "a string is one of its column"
    return strings[output.reads[output.kept]].take(pa.array(found, mask=null)).cast(output.result)
