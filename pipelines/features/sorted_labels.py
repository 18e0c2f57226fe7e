"""Labels by key and time, with the same numbers of keys as the events."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from windrow.kernels.probes.entry import Probes
from windrow.kernels.runtime.fields import LARGEST
from windrow.pipelines.replay.event_arrays import Groups, key_codes
from windrow.pipelines.rows.arrays import decoded, stored


class SortedLabels(NamedTuple):
    """Labels by key and time. order: their rows; key: the number of each one's key; time_us: when they ask."""

    order: np.ndarray
    key: np.ndarray
    time_us: np.ndarray

    def keys(self, first: int, end: int) -> tuple[int, int]:
        """Between which numbers of keys the labels [first, end) are."""
        return (int(self.key[first]), int(self.key[end - 1]) + 1) if first < end else (0, 0)

    def probes(self, first: int, end: int) -> Probes:
        """Those of the labels' keys."""
        first_key, end_key = self.keys(first, end)
        offsets = np.searchsorted(self.key[first:end], np.arange(first_key, end_key + 1))
        return Probes(offsets, self.time_us[first:end])


def sorted_labels(labels: pa.Table, time: str, groups: Groups, key: tuple[str, ...]) -> tuple[SortedLabels, Groups]:
    """The labels; and the groups of events, with those of keys that have labels and no events among them."""
    time_us = stored(labels[time])
    if groups.keys is None:
        order = np.argsort(time_us, kind="stable")
        offsets = np.array([0, len(groups.order)])
        return SortedLabels(order, np.zeros(len(order), np.int64), time_us[order]), groups._replace(offsets=offsets)
    every, of_groups, of_labels = numbered_alike(groups.keys, labels, key)
    count = 1 + max(int(of_groups.max(initial=-1)), int(of_labels.max(initial=-1)))
    sizes, row_of = np.zeros(count, np.int64), np.empty(count, np.int64)
    sizes[of_groups] = np.diff(groups.offsets)
    row_of[of_labels] = np.arange(len(of_groups), len(every))
    row_of[of_groups] = np.arange(len(of_groups))
    order = _by_key_and_time(of_labels, time_us)
    offsets, keys = np.concatenate(([0], np.cumsum(sizes))), every.take(row_of)
    return SortedLabels(order, of_labels[order], time_us[order]), groups._replace(offsets=offsets, keys=keys)


def _by_key_and_time(key: np.ndarray, time_us: np.ndarray) -> np.ndarray:
    """The order of labels. One sort of both in a word takes a third of one after the other, where they have room."""
    first_us, last_us = int(time_us.min(initial=LARGEST)), int(time_us.max(initial=-LARGEST))
    bits = (last_us - first_us).bit_length()
    if bits + int(key.max(initial=0)).bit_length() > 63:
        return np.lexsort((time_us, key))
    return np.argsort((key << bits) | (time_us - first_us), kind="stable")


def numbered_alike(rows: pa.Table, labels: pa.Table, key: tuple[str, ...]) -> tuple[pa.Table, np.ndarray, np.ndarray]:
    """The key columns of rows and behind them of labels; and the numbers of the keys of both, in the order of the keys.
    Of no columns there is one key."""
    if not key:
        return rows, np.zeros(len(rows), np.int64), np.zeros(len(labels), np.int64)
    of_both = (pa.table({name: decoded(of[name]) for name in key}) for of in (rows, labels))
    every = pa.concat_tables(of_both, promote_options="permissive")  # what is null only has no type
    numbers = np.split(key_codes(every, key)[0], [len(rows)])
    return every, *numbers
