"""The value columns of events as arrays of words, and a kernel's outputs as Arrow arrays."""

import numpy as np
import pyarrow as pa

from pipelines.lake.aggregates import Aggregates, ValueColumn
from pipelines.lake.arrays import KERNEL_TYPES, decoded, from_words, refuse_beyond_int64, valid, words


def value_arrays(aggregates: Aggregates, events: pa.Table, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(int64[columns, events], bool[columns, events]): words and whether they aren't null, in the order of rows."""
    found = np.zeros((len(aggregates.value_columns), len(order)), dtype=np.int64)
    present = np.ones((len(aggregates.value_columns), len(order)), dtype=bool)
    for place, read in enumerate(aggregates.value_columns):
        column = decoded(events[read.column])
        if _is_summed(aggregates, read):
            refuse_beyond_int64(column, read.column)
        if column.type.id in KERNEL_TYPES:
            found[place] = words(column, read.ordered)[order]
        present[place] = valid(column)[order]
    return found, present


def _is_summed(aggregates: Aggregates, read: ValueColumn) -> bool:
    if aggregates.window.column == aggregates.value_columns.index(read):
        return True
    return not read.ordered and any(
        read in output.reads and output.spec.function != "count" for output in aggregates.outputs
    )


def result_arrays(aggregates: Aggregates, outputs: np.ndarray, null: np.ndarray) -> dict[str, pa.Array]:
    """The result columns by name."""
    return {
        output.name: from_words(outputs[place], null[place], output.result)
        for place, output in enumerate(aggregates.outputs)
    }
