"""Python values as the words that kernels read, and back: for the object faces, a value at a time."""

from collections.abc import Sequence

import numpy as np

from kernels.memory import as_word, lend
from kernels.monoids import AggregateSpec
from schemas.errors import BadInput, WrongParameter

INT64 = (-(1 << 63), (1 << 63) - 1)


class Source:
    """Values and validity of some events, laid out for states.gather. `address` lives as long as this object."""

    def __init__(self, values: np.ndarray, valid: np.ndarray):
        self.values, self.valid = values, valid
        self.block = np.array([lend(values), lend(valid), values.shape[-1]], np.int64)
        self.address = lend(self.block)


class Columns:
    """The value columns that some aggregates read, by their index."""

    def __init__(self, specs: tuple[AggregateSpec, ...]):
        self.types: dict[int, str] = {}
        for spec in specs:
            if (
                spec.column is not None
                and self.types.setdefault(spec.column, spec.column_type) != spec.column_type
            ):
                raise WrongParameter(
                    f"type of column {spec.column}", spec.column_type, self.types[spec.column]
                )
        self.count = 1 + max(self.types, default=0)

    def time(self, t: int) -> int:
        """`t`, if it fits int64."""
        if not isinstance(t, int | np.integer) or not INT64[0] <= t <= INT64[1]:
            raise WrongParameter("time", t, "an integer within int64")
        return int(t)

    def times(self, ts: Sequence[int]) -> np.ndarray:
        """Times as int64 words."""
        return np.array([self.time(t) for t in ts], np.int64)

    def source(self, vs: Sequence, order: np.ndarray) -> Source:
        """Values (scalars for one column, else tuples) in the given order."""
        if len(vs) != len(order):
            raise BadInput(f"{len(vs)} values for {len(order)} times; give one per time")
        values = np.zeros((self.count, len(order)), np.int64)
        valid = np.zeros((self.count, len(order)), np.bool_)
        for row, place in enumerate(order):
            cells = vs[place] if isinstance(vs[place], tuple) else (vs[place],) * self.count
            for column, kind in self.types.items():
                valid[column, row] = cells[column] is not None
                values[column, row] = self._word(cells[column], kind)
        return Source(values, valid)

    def _word(self, value, kind: str) -> int:
        if value is None:
            return 0
        if kind == "float64":
            if value != value:
                raise BadInput("a value is NaN; leave such values out, or make them null")
            return as_word(float(value))
        return self.time(int(value))

    def value(self, answer: np.ndarray, kind: str):
        """The Python value of (word, is_null, …)."""
        if answer[1]:
            return None
        return float(answer[:1].view(np.float64)[0]) if kind == "float64" else int(answer[0])
