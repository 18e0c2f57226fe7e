"""Heartbeats of a stream that is silent, in µs: what `schemas/validation.py` says of `idle_after`.

    arrivals  ──x──x─────────────────|───────x────|      | midnight, UTC
    silences       ├────────────────▶├──────▶├───▶
    heartbeats          ♥    ♥    ♥      ♥      ♥

A silence begins at a tick or at midnight, and lasts until the next of these.
"""

from datetime import date, timedelta

import numpy as np

from schemas.windows import MICROSECOND

EPOCH_DATE, DAY_US = date(1970, 1, 1), 86_400_000_000


def day_start_us(day: date) -> int:
    """The first microsecond of a day, UTC."""
    return (day - EPOCH_DATE).days * DAY_US


def idle_us(idle_after: timedelta) -> int:
    """Whole microseconds of it."""
    return idle_after // MICROSECOND


def of_silences(since_us: np.ndarray, until_us: np.ndarray, every_us: int) -> np.ndarray:
    """Those of silences, one behind the other; of one that ends before it begins none. O(heartbeats)."""
    counts = np.maximum(0, (until_us - since_us - 1) // every_us)
    before = np.cumsum(counts) - counts
    number = np.arange(counts.sum()) - np.repeat(before, counts) + 1
    return np.repeat(since_us, counts) + number * every_us


def at_most(arrival_us: np.ndarray, every_us: int) -> int:
    """At least as many as there are between arrivals."""
    if not len(arrival_us):
        return 0
    days = int(arrival_us.max()) // DAY_US - int(arrival_us.min()) // DAY_US + 1
    return days * (DAY_US // every_us)


def between(arrival_us: np.ndarray, every_us: int) -> np.ndarray:
    """The heartbeats between arrivals in any order, and after the last one until its day ends; rising."""
    if not len(arrival_us):
        return np.empty(0, np.int64)
    first_day, last_day = arrival_us.min() // DAY_US, arrival_us.max() // DAY_US
    midnights = np.arange(first_day + 1, last_day + 2) * DAY_US
    points = np.unique(np.concatenate((arrival_us, midnights)))
    return of_silences(points[:-1], points[1:], every_us)
