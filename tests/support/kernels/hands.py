"""Arguments as wrong hands give them: the same values in another guise, and what is something else.

Whatever comes of it must be an error of ours, or the answer of the values as they were meant: of `np.arange(3)` in big
endian the same, of `np.arange(3)` as datetime64 an error.
"""

import random
from typing import NamedTuple

import numpy as np

SAME = {
    "as it is": lambda a: a,
    "big endian": lambda a: a.astype(a.dtype.newbyteorder(">")),
    "with gaps": lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    "backwards": lambda a: a[..., ::-1].copy()[..., ::-1],
    "read only": lambda a: _read_only(a.copy()),
    "by columns": np.asfortranarray,
    "a list": lambda a: a.tolist(),
    "a tuple": lambda a: tuple(a.tolist()),
    "objects": lambda a: a.astype(object),
    "nothing masked": np.ma.array,
    "32 bits": lambda a: a.astype(np.dtype(f"{a.dtype.kind}4")) if a.dtype.kind == "i" else a,
    "whole floats": lambda a: a.astype(np.float64),
    "microseconds": lambda a: a.astype("datetime64[us]"),
    "without a sign": lambda a: a.astype(np.uint64) if a.dtype.kind == "i" else a,
    "one more dimension": lambda a: a[None],
}
"""The same values: refused, or taken as they are."""
OTHER = {
    "truths": lambda a: a.astype(bool),
    "one less": lambda a: a[..., :-1],
    "one more": lambda a: np.concatenate((a, a), axis=-1),
    "huge": lambda a: np.full(a.shape, (1 << 63) - 1),
    "least": lambda a: np.full(a.shape, -(1 << 63)),
    "a null among": lambda a: [None, *a.tolist()[1:]],
}
"""Other values, which may be some: refused, or taken."""
NONE = {
    "floats": lambda a: a.astype(np.float64) + 0.5 if a.dtype.kind == "i" else a.astype(complex),
    "nanoseconds": lambda a: a.astype("datetime64[ns]"),
    "durations": lambda a: a.astype("timedelta64[ns]"),
    "masked": lambda a: np.ma.array(a, mask=np.arange(a.size).reshape(a.shape) % 2 == 0),
    "all masked": lambda a: np.ma.masked_all(a.shape, a.dtype),
    "complex": lambda a: a.astype(np.complex128) + 1j,
    "texts": lambda a: a.astype(str),
    "bytes": lambda a: a.astype("S8"),
    "one less dimension": lambda a: a.ravel()[0],
    "NaN": lambda a: np.full(a.shape, np.nan),
    "beyond int64": lambda a: [1 << 70] * len(a),
    "ragged": lambda a: [[1], *a.tolist()],
    "records": lambda a: np.zeros(a.shape, [("x", "i8")]),
    "16 bytes": lambda a: a.astype(np.longdouble) + np.longdouble("0.1"),
}
"""No values of such a column: refused."""
JUNK = (
    *(None, True, -1, 0, 1.5, float("nan"), float("inf"), 1 << 63, 1 << 200, "x", "", b"x", [], {}, (), object()),
    *(np.float64(3), np.int8(3), np.datetime64(5, "ns"), np.timedelta64(5, "ns"), np.ma.masked, [1, "a"], complex(1)),
    *(np.zeros((2, 2)), np.zeros(0), lambda: 0, int, range(3), iter(()), "sum", -(1 << 63), 1 << 61, -(1 << 61)),
)


def _read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


class Handed(NamedTuple):
    """A value, what it is now, and which of the three kinds."""

    value: object
    name: str
    kind: dict


def handed(rng: random.Random, given: object, share: float) -> Handed:
    """A value, so often in another guise or as something else."""
    kind = rng.choice((SAME, SAME, OTHER, NONE))
    if rng.random() >= share:
        return Handed(given, "as it is", SAME)
    if not isinstance(given, np.ndarray) or rng.random() < 0.1:
        junk = rng.choice(JUNK)
        return Handed(junk, f"{type(junk).__name__} {junk!r:.40}", OTHER)
    if given.size == 0:
        return Handed(given, "as it is", SAME)
    name = rng.choice(list(kind))
    try:
        return Handed(kind[name](given), name, kind)
    except (TypeError, ValueError, OverflowError):  # NumPy can't make that
        return Handed(given, "as it is", SAME)


def damaged(rng: random.Random, words: np.ndarray) -> np.ndarray:
    """Saved words of which some are others now: a bit, a count, a piece that is gone, or twice there."""
    words = words.copy()
    at = rng.randrange(len(words))
    how = rng.randrange(6)
    if how == 0:
        words[at] ^= np.int64(1) << np.int64(rng.randrange(63))
    elif how == 1:
        words[at] = rng.choice((-1, 0, 1, 1 << 33, 1 << 40, (1 << 63) - 1, -(1 << 63), len(words)))
    elif how == 2:
        words = words[:at]
    elif how == 3:
        words = np.concatenate((words[:at], words[at // 2 :]))
    elif how == 4:
        words[rng.randrange(len(words)) :] = 0
    else:
        rng.shuffle(words)
    return words
