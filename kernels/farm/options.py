"""What a farm may be made with, which tuples it takes, and what is refused; each failure names the value and the row.

Value columns have names, whatever their order and whichever others there are:

a function reads value, weight      columns=("x", "weight", "value")      kept in memory as value, weight, x
"""

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from windrow.kernels.columns import LIMIT_US, check_times, floats, integers, require_whole
from windrow.kernels.farm.extents import FarmFields
from windrow.kernels.farm.functions import HeavyFunction, function, name_of
from windrow.kernels.farm.layout import TupleBatch
from windrow.schemas.errors import BadInput, WrongParameter
from windrow.schemas.replay_limits import require_seconds

MOST_WORKERS, MOST_KEYS, MOST_RING, MOST_CHUNK = 1 << 10, 1 << 24, 1 << 24, 1 << 24
MOST_BYTES = 1 << 60
CHUNK_TUPLES = 1 << 10


class FarmOptions(NamedTuple):
    """parameters: of the function
    columns: names of the value columns, in the order in which they are given; those that the function needs unless
        given. It reads its own by name
    keys: how many there are, numbered from 0; each has windows of its own
    chunk: of the shared buffer: so many tuples at most
    most_held_bytes: of buffers; where it is reached the emitter waits for windows to be computed. With active workers
        half of it is for tuples on their way to them, half for their own buffers
    ring: windows handed out and not collected, at most; a power of two
    seconds_a_window: how long a function may take; then the window's status is "over time". It is looked at by insert,
        take and whatever waits
    span_us: least and greatest event time; others are refused. Windows in a time zone need it
    """

    parameters: Mapping[str, object] = {}
    columns: tuple[str, ...] | None = None
    keys: int = 1
    chunk: int = CHUNK_TUPLES
    most_held_bytes: int = 1 << 30
    ring: int = 1 << 12
    seconds_a_window: float = 60.0
    span_us: tuple[int, int] | None = None


class TakenTuples(NamedTuple):
    """names: of columns, as values are given; order: places among these, as they are kept: first those that the
    function reads, in its order; read: how many these are; keys: how many there are; span_us: as the option."""

    names: tuple[str, ...]
    order: tuple[int, ...]
    read: int
    keys: int
    span_us: tuple[int, int] | None

    def batch(self, times_us: object, values: object, keys: object) -> TupleBatch:
        """Tuples as compiled functions take them; key 0 unless given. Raises WrongParameter, BadInput."""
        times = integers("times_us", times_us)
        self._check_span(times)
        columns, count = floats("values", values), len(times)
        if columns.shape != (len(self.names), count):
            raise WrongParameter("values", columns.shape, f"{len(self.names)} columns of {count} values")
        of_key = np.zeros(count, np.int64) if keys is None else self._keys(keys, count)
        check_values(columns, self.names)
        is_kept_so = self.order == tuple(range(len(self.names)))
        kept = columns if is_kept_so else np.ascontiguousarray(columns[list(self.order)])
        return TupleBatch.make(keys=of_key, times=times, values=kept, count=count)

    def _check_span(self, times: np.ndarray) -> None:
        check_times("event time", "row", times)
        if self.span_us is None:
            return
        least, greatest = self.span_us
        wrong = np.flatnonzero((times < least) | (times > greatest))
        if len(wrong):
            where = f"event time of row {int(wrong[0])} is {int(times[wrong[0]])} µs"
            raise BadInput(f"{where}; allowed: {least} to {greatest}, the farm's span_us. Make one with a longer span")

    def _keys(self, given: object, count: int) -> np.ndarray:
        keys = integers("keys", given)
        allowed = f"{count} numbers from 0 to {self.keys - 1}"
        if len(keys) != count:
            raise WrongParameter("keys", f"{len(keys)} numbers", allowed)
        wrong = np.flatnonzero((keys < 0) | (keys >= self.keys))
        if len(wrong):
            raise WrongParameter("keys", int(keys[wrong[0]]), f"{allowed}; this is row {int(wrong[0])}")
        return keys


def options_of(given: dict[str, object]) -> FarmOptions:
    """WrongParameter for an option that isn't there."""
    for name in given:
        if name not in FarmOptions._fields:
            raise WrongParameter("option of a farm", name, ", ".join(FarmOptions._fields), FarmOptions._fields)
    options = FarmOptions(**given)  # type: ignore[arg-type]
    require_seconds("seconds_a_window", options.seconds_a_window)
    require_whole("most_held_bytes", options.most_held_bytes, 1, MOST_BYTES)
    span = options.span_us
    pair = span if isinstance(span, tuple | list) and len(span) == 2 else (1, 0)
    are_whole = all(isinstance(each, int) for each in pair)
    if span is not None and not (are_whole and -LIMIT_US <= pair[0] <= pair[1] <= LIMIT_US):
        raise WrongParameter("span_us", span, "(least, greatest) event time in µs, within ±2**61")
    return options


def least_columns(name: str | HeavyFunction) -> int:
    """How many columns a function needs."""
    return len(function(name).columns) - len(function(name).optional)


def fields_of(workers: int | None, tuples: TakenTuples, served: FarmFields, options: FarmOptions) -> dict[str, Any]:
    """Of layout.Farm: how much of everything, and those of the windows."""
    require_whole("keys", options.keys, 1, MOST_KEYS)
    require_whole("ring", options.ring, 1, MOST_RING)
    if options.ring & (options.ring - 1):
        raise WrongParameter("ring", options.ring, "a power of two")
    require_whole("chunk", options.chunk, 1, MOST_CHUNK)
    counts = {"worker_count": workers_of(workers), "columns": len(tuples.names), "read_columns": tuples.read}
    limits = {"keys": options.keys, "ring": options.ring, "most_held": options.most_held_bytes}
    return counts | limits | {"chunk_tuples": options.chunk} | served


def workers_of(workers: int | None) -> int:
    found = len(os.sched_getaffinity(0)) if workers is None else workers
    require_whole("workers", found, 1, MOST_WORKERS)
    return found


def taken_tuples(name: str | HeavyFunction, options: FarmOptions) -> TakenTuples:
    """Of the columns that the function needs unless others are given. WrongParameter where it lacks one."""
    takes, least = function(name).columns, least_columns(name)
    names = takes[:least] if options.columns is None else options.columns
    are_names = isinstance(names, tuple | list) and all(isinstance(each, str) for each in names)
    if not are_names or not names or len(set(names)) < len(names):
        raise WrongParameter("columns", names, "a tuple of names, each of them once")
    read = tuple(each for each in takes if each in names)
    if len(read) < least or read != takes[: len(read)]:
        needed = ", ".join(takes[: max(least, 1 + takes.index(read[-1]) if read else 0)])
        raise WrongParameter("columns", names, f"names of columns with {needed} of {name_of(name)} among them")
    kept = (*read, *(each for each in names if each not in read))
    order = tuple(names.index(each) for each in kept)
    return TakenTuples(tuple(names), order, len(read), options.keys, options.span_us)


def check_values(columns: np.ndarray, names: tuple[str, ...]) -> None:
    if np.isnan(columns).any():
        column, row = np.argwhere(np.isnan(columns))[0].tolist()
        raise BadInput(f"row {row} has NaN in {names[column]}; leave such tuples out, they have no value")


def check_tuples(name: str | HeavyFunction, times: np.ndarray, columns: np.ndarray, firsts: object, by: str) -> None:
    """WrongParameter unless there are as many columns as a function reads, each with as many values as there are times;
    BadInput where these fall, but at the first rows of keys: sort tuples by what `by` says."""
    least, most, count = least_columns(name), len(function(name).columns), len(times)
    if columns.shape[1] != count or not least <= len(columns) <= most:
        raise WrongParameter("values", columns.shape, f"{least} to {most} columns of {count} values")
    falls = np.setdiff1d(np.flatnonzero(times[1:] < times[:-1]) + 1, firsts)
    if len(falls):
        raise BadInput(f"at row {int(falls[0])} the event time falls; sort tuples by {by}")
