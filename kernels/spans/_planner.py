"""Which kernel a key of events that last gets if none is named: by its own events alone, so the same on any machine.

    events under way at once          0 … 23                24 … 95      96 … 383      384 … 1,535
    few begin while windows overlap   aggregate_buckets
    events meet many slices           cumulative_sweeping, if it serves the query's aggregates
    else slices, of height                 1                  2            4                 8          (UNDER_WAY = 6)

An event goes into 1 / height of the slices that it meets, while each slice has height² levels to be looked at once,
however many events it has: so the best height grows with the events under way at once. Heights are powers of two, so
that a replay has few structures; levels that a mean event is too short for are left out. Where slices have hardly any
events a state for each window is quicker, and where events meet hundreds of slices two indexes of endpoints are.
docs/decisions/0024 says what was measured, and what made no difference: how late events come, and what is emitted.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

# The figures: fitted to measured maps, as docs/decisions/0024 says; `make calibrate` measures a map again, and proposes
# others.
UNDER_WAY = 6
"""Height h pays from UNDER_WAY · h² events under way at once."""
MOST_HEIGHT = 64
"""Of slices: a greater one was never the best with up to 10,000 events under way at once."""
MOST_STATE_WORDS = 4096
"""Words of the φ of all levels of a slice: slices of large states stay low, as thousands of slices may be open."""
FEW_OVERLAPPED = 7
"""Buckets pay if at most so many events begin within a window's length less its slide, and too few are under way for
height 2."""
MANY_SLICES = 100
"""Sweeping pays, for what it serves, from so many slices on that a mean event meets."""

BUCKETS, FLAT, HIGH, SWEEPING = "aggregate_buckets", "se_slicing", "se_ml_slicing", "cumulative_sweeping"
KERNELS = (BUCKETS, FLAT, HIGH, SWEEPING)
HEIGHTS = 1 << np.arange(11)
BY_BUCKETS, BY_SWEEPING = 0, -1
"""What stands in a plan where a height of slices would."""
PLANS = (BY_BUCKETS, BY_SWEEPING, *HEIGHTS.tolist())
_OF_HEIGHT = " of height "
_SUM_BITS = 62


class EventFigures(NamedTuple):
    """Of each key, int64[keys]: events: how many; reach_us: from its first start to its last end; length_us: their mean
    length; under_way: how many of them there are at once, on average of that time."""

    events: np.ndarray
    reach_us: np.ndarray
    length_us: np.ndarray
    under_way: np.ndarray


class AskedWindows(NamedTuple):
    """What a query asks. slice_us: mean length of a slice, less than the slide if a size isn't a number of slides;
    most_height: of slices; buckets, sweeping: whether these may be taken."""

    size_us: int
    slide_us: int
    slice_us: int
    most_height: int = MOST_HEIGHT
    buckets: bool = True
    sweeping: bool = False


class Thresholds(NamedTuple):
    """The figures above, or others that are tried."""

    under_way: int = UNDER_WAY
    few_overlapped: int = FEW_OVERLAPPED
    many_slices: int = MANY_SLICES


KEPT = Thresholds()


def figures_of(key_offsets: np.ndarray, starts_us: np.ndarray, ends_us: np.ndarray) -> EventFigures:
    """Integers only, so that no machine rounds otherwise; 0 of a key without events. O(events)."""
    events = np.diff(key_offsets)
    reach_us, length_us, under_way = np.zeros((3, len(events)), np.int64)
    filled = np.flatnonzero(events)
    if len(filled):
        first, count = key_offsets[filled], events[filled]
        lengths = np.maximum(ends_us - starts_us, 1)
        reach = np.maximum.reduceat(starts_us + lengths, first) - np.minimum.reduceat(starts_us, first)
        # Bits that lengths must lose so that their sum fits: none but where it is tens of thousands of years.
        bits = np.frexp(reach.astype(np.float64))[1] + np.frexp(count.astype(np.float64))[1]
        shift = np.maximum(bits - _SUM_BITS, 0).astype(np.int64)
        total = np.add.reduceat(lengths >> np.repeat(shift, count), first)
        reach_us[filled], length_us[filled] = reach, (total // count) << shift
        under_way[filled] = total // (reach >> shift)
    return EventFigures(events, reach_us, length_us, under_way)


def plan_keys(figures: EventFigures, asked: AskedWindows, thresholds: Thresholds = KEPT) -> np.ndarray:
    """int64[keys]: a height of slices, BY_BUCKETS or BY_SWEEPING. O(keys)."""
    # Few events begin within a window's length less its slide, while two windows overlap: each of them goes into one
    # bucket more for it, but into no slice more.
    few, overlap_us = figures.under_way < 4 * thresholds.under_way, asked.size_us - asked.slide_us
    if overlap_us > 0:
        apart_us = -(-overlap_us // thresholds.few_overlapped)
        few &= figures.events <= (figures.reach_us + overlap_us) // apart_us
    met = 1 + (figures.length_us + asked.slice_us // 2) // asked.slice_us
    many = met >= thresholds.many_slices
    heights = _heights(figures, met, asked.most_height, thresholds.under_way)
    return np.select([few & asked.buckets, many & asked.sweeping], [BY_BUCKETS, BY_SWEEPING], heights)


def _heights(figures: EventFigures, met: np.ndarray, most_height: int, under_way: int) -> np.ndarray:
    """met: slices that a mean event meets."""
    by_events = np.searchsorted(under_way * HEIGHTS**2, figures.under_way, "right") - 1
    by_length = np.searchsorted(HEIGHTS, np.minimum(met, HEIGHTS[-1]))
    most = np.searchsorted(HEIGHTS, most_height, "right") - 1
    return HEIGHTS[np.clip(np.minimum(by_events, by_length), 0, most)]


def most_height(state_words: int) -> int:
    """The greatest height of slices with such states."""
    return max(1, min(MOST_HEIGHT, MOST_STATE_WORDS // max(1, state_words)))


def kernel_of(planned: int) -> tuple[str, dict[str, int]]:
    """Name and options of the kernel in a plan."""
    if planned > 1:
        return HIGH, {"height": planned}
    return {BY_SWEEPING: SWEEPING, BY_BUCKETS: BUCKETS, 1: FLAT}[planned], {}


def label_of(planned: int) -> str:
    """The kernel in words, with its height: by this a replay counts its keys."""
    name, options = kernel_of(planned)
    return f"{name}{_OF_HEIGHT}{planned}" if options else name


def name_in(label: str) -> str:
    """The kernel's name in a label."""
    return label.partition(_OF_HEIGHT)[0]


def why_by_events(keys: Mapping[str, int]) -> str | None:
    """A line for a run's log, from how many keys have which label; None where none was chosen by events that last."""
    chosen = [(plan, keys[label]) for plan in PLANS if (label := label_of(plan)) in keys]
    parts = [f"{label_of(plan)} {count:,} keys ({_reason(plan)})" for plan, count in chosen]
    return f"kernels: {', '.join(parts)}" if parts else None


def _reason(planned: int) -> str:
    if planned == BY_SWEEPING:
        return f"events meet {MANY_SLICES} or more slices on average"
    if planned == BY_BUCKETS:
        return f"windows don't overlap, or {FEW_OVERLAPPED} or fewer events begin while two of them do"
    if planned == 1:
        few = f"fewer than {4 * UNDER_WAY} events under way at once"
        return f"{few}, events shorter than half a slice, shares of events, or large states"
    return f"{UNDER_WAY * planned**2:,} or more events under way at once"
