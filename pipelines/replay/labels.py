"""What a kernel's errors call keys, columns and times, in the words of the query."""

import numpy as np

from kernels.replay import Labels
from pipelines.lake.aggregates import Aggregates
from pipelines.replay.group_keys import Groups


def labels_of(groups: Groups, aggregates: Aggregates) -> Labels:
    """Keys by their columns' values, columns by name, times as dates in UTC."""
    return Labels(
        lambda key: _key(groups, key), lambda column: f"column {aggregates.value_columns[column].column}", _time
    )


def _key(groups: Groups, number: int) -> str:
    if groups.keys is None:
        return "the only key"
    [values] = groups.keys.slice(number, 1).to_pylist()
    return ", ".join(f"{name}={value!r}" for name, value in values.items())


def _time(time_us: int) -> str:
    # NumPy's: its years have no end, as those of Python's datetime do.
    return str(np.datetime64(int(time_us), "us")).replace("T", " ").removesuffix(".000000") + " UTC"
