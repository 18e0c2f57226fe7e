"""What kernels are given must be what it says: columns of events, whole numbers, tuples with the right fields. Each
failure names the value and, of a column, the event.

An array is taken if it says the same as one of the type that is wanted: of fewer bits, of another order of bytes, with
gaps or backwards in memory. What would become something else is refused: floats as words, times in other units, an
object, what NumPy masks.
"""

import collections.abc
import functools
import types
from collections.abc import Sequence
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from windrow.kernels.monoid import AggregateSpec
from windrow.schemas.errors import BadInput, WrongParameter

LIMIT_US = 1 << 61
"""Times lie within ± this: any two of them, and a window with them, can be added."""
MOST_EXACT = 1 << 53
"""Whole numbers up to it are float64 too."""
KINDS = {np.int64: "iu", np.float64: "iufb", np.bool_: "b"}
"""What may become each: kinds of NumPy's types."""


def refuse_masked(name: str, given: object) -> None:
    """WrongParameter for values that NumPy masks: without the mask they would count."""
    if np.ma.is_masked(given):
        raise WrongParameter(name, "masked in part", "values without a mask; leave masked ones out, or make them null")


def _column(name: str, given: object, wanted: type, dimensions: tuple[int, ...], allowed: str) -> np.ndarray:
    """A contiguous array of the type. WrongParameter for what would become something else."""
    refuse_masked(name, given)
    try:
        array = np.asarray(given)
    except (TypeError, ValueError):  # rows of different lengths, say
        raise WrongParameter(name, type(given).__name__, allowed) from None
    if array.ndim not in dimensions or (array.size and not _is_exact(array, wanted)):
        raise WrongParameter(name, f"{array.dtype} of shape {array.shape}", allowed)
    return np.ascontiguousarray(array, wanted) if array.size else np.zeros(array.shape, wanted)


def _is_exact(array: np.ndarray, wanted: type) -> bool:
    if array.dtype.kind not in KINDS[wanted]:
        return False
    if wanted is np.float64 and array.dtype.kind in "iu":
        return bool(((array >= -MOST_EXACT) & (array <= MOST_EXACT)).all())
    return array.dtype.itemsize <= np.dtype(wanted).itemsize and not (wanted is np.int64 and array.dtype == np.uint64)


def integers(name: str, given: object) -> np.ndarray:
    """int64, in one dimension. WrongParameter for what would lose something by becoming so."""
    allowed = "int64 in one dimension; make datetime64 so by astype('datetime64[us]').astype('int64')"
    return _column(name, given, np.int64, (1,), allowed)


def floats(name: str, given: object) -> np.ndarray:
    """float64[columns, tuples]. WrongParameter for what are no real numbers, or none of float64."""
    return np.atleast_2d(_column(name, given, np.float64, (1, 2), "float64[columns, tuples]"))


def truths(name: str, given: object, dimensions: int) -> np.ndarray:
    """bool. WrongParameter for what is something else."""
    return _column(name, given, np.bool_, (dimensions,), f"bool in {dimensions} dimensions")


def checked_values(values: object, valid: object, events: int) -> tuple[np.ndarray, np.ndarray]:
    """int64[columns, events] and bool[columns, events], contiguous. WrongParameter, BadInput."""
    allowed = "int64[columns, events], a word a value: of float64 its bits, array.view('int64')"
    words = _column("values", values, np.int64, (2,), allowed)
    are_valid = truths("valid", valid, 2)
    if words.shape != are_valid.shape or words.shape[1] != events:
        raise BadInput(
            f"values of shape {words.shape} with validity of shape {are_valid.shape}; both must be (columns, {events})"
        )
    return words, are_valid


def checked_offsets(offsets: object, events: int) -> np.ndarray:
    """Where each key's events begin. BadInput unless keys follow one another from the first event to the last."""
    found = integers("key_offsets", offsets)
    if len(found) < 1 or found[0] != 0 or found[-1] != events or (found[1:] < found[:-1]).any():
        raise BadInput(f"key_offsets must ascend from 0 to the number of events, {events}")
    return found


def checked_times(name: str, of: str, times: object) -> np.ndarray:
    """int64. BadInput for a time out of range."""
    found = integers(f"{name}s", times)
    check_times(name, of, found)
    return found


def check_times(name: str, of: str, times: np.ndarray) -> None:
    """Raise BadInput for a time out of range."""
    if len(times) and not -LIMIT_US <= times.min() <= times.max() <= LIMIT_US:
        place = int(np.flatnonzero((times < -LIMIT_US) | (times > LIMIT_US))[0])
        raise BadInput(f"{name} of {of} {place} is {int(times[place])} µs; allowed: within ±2**61 µs")


def check_plan(specs: Sequence[AggregateSpec], columns: int) -> None:
    """Raise WrongParameter for an aggregate of a column that there is not."""
    for spec in specs:
        for column in (spec.column, spec.second):
            if column is not None and not (type(column) is int and 0 <= column < columns):
                raise WrongParameter(f"column of {spec.function}", column, f"0 to {columns - 1}, or None for count")


def is_whole(value: object) -> bool:
    """Whether it is an integer: True is none, and neither is a length of time."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)


def require_whole(name: str, value: object, least: int, most: int) -> None:
    """WrongParameter unless it is a whole number within limits."""
    if not is_whole(value) or not least <= value <= most:
        raise WrongParameter(name, value, f"an integer from {least:,} to {most:,}")


_hints = functools.cache(get_type_hints)


def require_kind(name: str, given: object, kind: type) -> None:
    """WrongParameter unless it is a tuple of that kind, with fields as its annotations have them; arrays apart, which
    are looked at one by one."""
    if not isinstance(given, kind):
        raise WrongParameter(name, given, f"a {kind.__name__}")
    for field, hint in _hints(kind).items():
        value = getattr(given, field)
        if not _is_of(value, hint):
            raise WrongParameter(f"{field} of {name}", value, getattr(hint, "__name__", str(hint)))


def _is_of(value: object, hint: Any) -> bool:
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_is_of(value, part) for part in parts)
    if origin is tuple:
        each = [parts[0]] * len(value) if isinstance(value, tuple) and parts[-1:] == (...,) else list(parts)
        return isinstance(value, tuple) and len(value) == len(each) and all(map(_is_of, value, each))
    if hint is np.ndarray or hint is Any:
        return True
    if hint is int:
        return is_whole(value)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if origin is collections.abc.Callable:
        return callable(value)
    if hasattr(hint, "_fields"):
        return isinstance(value, hint) and all(_is_of(getattr(value, at), of) for at, of in _hints(hint).items())
    return isinstance(value, origin or hint)
