"""What columns of keyed events must be, whoever takes them; each failure names the value and the event."""

from collections.abc import Sequence

import numpy as np

from kernels.monoid import AggregateSpec
from schemas.errors import BadInput, WrongParameter

LIMIT_US = 1 << 61
"""Times lie within ± this: any two of them, and a window with them, can be added."""


def checked_values(values: np.ndarray, valid: np.ndarray, events: int) -> tuple[np.ndarray, np.ndarray]:
    """int64[columns, events] and bool[columns, events], contiguous."""
    values, valid = np.ascontiguousarray(values, np.int64), np.ascontiguousarray(valid, np.bool_)
    if values.ndim != 2 or values.shape != valid.shape or values.shape[1] != events:
        raise BadInput(
            f"values of shape {values.shape} with validity of shape {valid.shape}; both must be (columns, {events})"
        )
    return values, valid


def check_offsets(offsets: np.ndarray, events: int) -> None:
    """Raise BadInput unless keys follow one another from the first event to the last."""
    if len(offsets) < 1 or offsets[0] != 0 or offsets[-1] != events or (np.diff(offsets) < 0).any():
        raise BadInput(f"key_offsets must ascend from 0 to the number of events, {events}")


def check_times(name: str, of: str, times: np.ndarray) -> None:
    """Raise BadInput for a time out of range."""
    if len(times) and not -LIMIT_US <= times.min() <= times.max() <= LIMIT_US:
        place = int(np.flatnonzero((times < -LIMIT_US) | (times > LIMIT_US))[0])
        raise BadInput(f"{name} of {of} {place} is {int(times[place])} µs; allowed: within ±2**61 µs")


def check_plan(specs: Sequence[AggregateSpec], columns: int) -> None:
    """Raise WrongParameter for an aggregate of a column that there is not."""
    for spec in specs:
        for column in (spec.column, spec.second):
            if column is not None and not 0 <= column < columns:
                raise WrongParameter(f"column of {spec.function}", column, f"0 to {columns - 1}, or None for count")
