"""The rows of the tuples of an object: columns that grow, of which what came before the first of the tuples that are
kept is dropped now and then.

rows           40 │ 41 │ 42 │ 43 │ ·  ·           a row keeps its number: kernels see columns as if they began at 0
columns         0    1    2    3
"""

import numpy as np

from kernels.aggregators._columns import Columns, Source
from kernels.runtime.memory import WORD_BYTES, address_of
from kernels.states.layout import Events

LEAST_ROOM = 64


class KeptRows:
    """Rows first … end − 1 of so many columns of values."""

    def __init__(self, columns: int):
        self.first = self.end = 0
        self._values = np.zeros((max(1, columns), LEAST_ROOM), np.int64)
        self._valid = np.zeros(self._values.shape, np.bool_)
        self._times = np.zeros(LEAST_ROOM, np.int64)
        self.events = Events.make()
        self._point()

    def _point(self) -> None:
        self.events.values = address_of(self._values) - WORD_BYTES * self.first
        self.events.valid = address_of(self._valid) - self.first
        self.events.times = address_of(self._times) - WORD_BYTES * self.first
        self.events.rows = self._values.shape[1]

    def append(self, source: Source, least_row) -> int:
        """Rows of some events. least_row() → the least that a tuple has, −1 if none has; asked when room ends. Returns
        the first row. O(events) amortised."""
        count, room = len(source.times), self._values.shape[1]
        if self.end - self.first + count > room:
            self._make_room(count, least_row())
        place = self.end - self.first
        self._values[:, place : place + count] = source.values
        self._valid[:, place : place + count] = source.valid
        self._times[place : place + count] = source.times
        self.end += count
        return self.end - count

    def _make_room(self, count: int, least_row: int) -> None:
        kept_from = self.end if least_row < 0 else least_row
        kept = slice(kept_from - self.first, self.end - self.first)
        room = max(self._values.shape[1], 2 * (self.end - kept_from + count))
        for name in ("_values", "_valid", "_times"):
            old = getattr(self, name)
            made = np.zeros((*old.shape[:-1], room), old.dtype)
            made[..., : kept.stop - kept.start] = old[..., kept]
            setattr(self, name, made)
        self.first = kept_from
        self._point()

    def values_of(self, row: int, columns: Columns) -> tuple:
        """(time, values …) of a row; None for a null."""
        place = row - self.first
        values = [
            columns.value(int(self._values[column, place]), kind) if self._valid[column, place] else None
            for column, kind in enumerate(columns.types.values())
        ]
        return (int(self._times[place]), *values)

    def save(self, least_row: int) -> np.ndarray:
        """The rows from one on, as words; −1: none."""
        first = self.end if least_row < 0 else least_row
        kept = slice(first - self.first, self.end - self.first)
        parts = (self._times[kept], self._values[:, kept].ravel(), self._valid[:, kept].ravel().astype(np.int64))
        return np.concatenate([np.array([first, self.end], np.int64), *parts])

    def load(self, words: np.ndarray) -> None:
        """Become what was saved of as many columns."""
        count, columns = int(words[1] - words[0]), len(self._values)
        times, values, valid = np.split(words[2:], [count, count * (1 + columns)])
        self._times, self._values = times.copy(), values.reshape(columns, count).copy()
        self._valid = valid.reshape(columns, count).astype(np.bool_)
        self.first, self.end = int(words[0]), int(words[1])
        self._point()
