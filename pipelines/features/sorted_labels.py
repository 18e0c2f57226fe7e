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
    every = pa.concat_tables([groups.keys, key_columns(labels, key).cast(groups.keys.schema)])
    codes, count = key_codes(every, key)
    of_groups, of_labels = np.split(codes, [len(groups.keys)])
    sizes = np.zeros(count, np.int64)
    sizes[of_groups] = np.diff(groups.offsets)
    offsets, firsts = np.concatenate(([0], np.cumsum(sizes))), np.unique(codes, return_index=True)[1]
    order = np.lexsort((time_us, of_labels))
    return SortedLabels(order, of_labels[order], time_us[order]), groups._replace(
        offsets=offsets, keys=every.take(firsts)
    )
