"""Events as the columns that a replay takes, and the pass ticks of a stream that consists of them."""

from collections.abc import Iterable
from itertools import accumulate

import numpy as np

from windrow.kernels.api import EventColumns, PassTicks


def columns_of(*keys: Iterable[tuple]) -> EventColumns:
    """Of keys, each of (start, arrival, value) or (start, arrival, value, end) in order of arrival; value: None for a
    null."""
    keys = [list(key) for key in keys]
    starts, arrivals, values, *ends = zip(*(row for key in keys for row in key), strict=True) if any(keys) else [[]] * 3
    return EventColumns(
        np.cumsum([0, *map(len, keys)]),
        np.array(starts, np.int64),
        np.array(arrivals, np.int64),
        np.array([[value or 0 for value in values]], np.int64),
        np.array([[value is not None for value in values]], np.bool_),
        *(np.array(each, np.int64) for each in ends),
    )


def in_steps(key: list[tuple]) -> list[tuple]:
    """Of (step, late by, value): each arrives when its step is taken, and starts so long before."""
    arrivals = accumulate(step for step, _, _ in key)
    return [(at - late_by, at, value) for at, (_, late_by, value) in zip(arrivals, key, strict=True)]


def ticks_of(columns: EventColumns) -> PassTicks:
    """Each arrival, with the newest start by then."""
    order = np.argsort(columns.arrival_us, kind="stable")
    arrival, newest = columns.arrival_us[order], np.maximum.accumulate(columns.start_us[order])
    last = np.append(arrival[1:] != arrival[:-1], True)[: len(arrival)]
    return PassTicks(arrival[last], newest[last])
