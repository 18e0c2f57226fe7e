"""Labels by key and time, with the same numbers of keys as the events."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from windrow.kernels.probes.entry import Probes
from windrow.pipelines.replay.event_arrays import Groups, key_codes, key_columns
from windrow.pipelines.rows.arrays import stored


class SortedLabels(NamedTuple):
    """Labels by key and time. order: their rows; key: the number of each one's key; time_us: when they ask."""

    order: np.ndarray
    key: np.ndarray
    time_us: np.ndarray

    def probes(self, first: int, end: int, keys: int) -> Probes:
        return Probes(np.searchsorted(self.key[first:end], np.arange(keys + 1)), self.time_us[first:end])


def sorted_labels(labels: pa.Table, time: str, groups: Groups, key: tuple[str, ...]) -> tuple[SortedLabels, Groups]:
    """The labels; and the groups of events, with those of keys that have labels and no events among them."""
    time_us = stored(labels[time])
    if groups.keys is None:
        order = np.argsort(time_us, kind="stable")
        offsets = np.array([0, len(groups.order)])
        return SortedLabels(order, np.zeros(len(order), np.int64), time_us[order]), groups._replace(offsets=offsets)
    every, of_groups, of_labels = numbered_alike(groups.keys, labels, key)
    codes = np.append(of_groups, of_labels)
    count = int(codes.max(initial=-1)) + 1
    sizes = np.zeros(count, np.int64)
    sizes[of_groups] = np.diff(groups.offsets)
    offsets, firsts = np.concatenate(([0], np.cumsum(sizes))), np.unique(codes, return_index=True)[1]
    order = np.lexsort((time_us, of_labels))
    return SortedLabels(order, of_labels[order], time_us[order]), groups._replace(
        offsets=offsets, keys=every.take(firsts)
    )


def numbered_alike(rows: pa.Table, labels: pa.Table, key: tuple[str, ...]) -> tuple[pa.Table, np.ndarray, np.ndarray]:
    """The key columns of rows and behind them of labels, in the rows' types; and the numbers of the keys of both, in
    the order of the keys. Of no columns there is one key."""
    if not key:
        return rows, np.zeros(len(rows), np.int64), np.zeros(len(labels), np.int64)
    of_rows = key_columns(rows, key)
    every = pa.concat_tables([of_rows, key_columns(labels, key).cast(of_rows.schema)])
    of_both = np.split(key_codes(every, key)[0], [len(rows)])
    return every, *of_both
