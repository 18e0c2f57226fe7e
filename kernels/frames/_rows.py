"""The rows of the tuples of an object: columns that grow, of which what came before the first of the tuples that are
kept is dropped now and then.

rows           40 │ 41 │ 42 │ 43 │ ·  ·           a row keeps its number: kernels see columns as if they began at 0
columns         0    1    2    3
"""

from typing import NamedTuple

import numpy as np

from windrow.kernels.objects.columns import Columns, Source
from windrow.kernels.runtime.memory import WORD_BYTES, address_of
from windrow.kernels.states.layout import Events

LEAST_ROOM = 64
MOST_ROWS = 1 << 50


class HeldRows(NamedTuple):
    """Rows from `first` on; int64[columns, room], bool[columns, room], int64[room]."""

    first: int
    values: np.ndarray
    valid: np.ndarray
    times: np.ndarray


class KeptRows:
    """Rows first … end − 1 of so many columns of values."""

    def __init__(self, columns: int):
        self.events, self._alive = Events.make(), []
        shape = (max(1, columns), LEAST_ROOM)
        self.hold(HeldRows(0, np.zeros(shape, np.int64), np.zeros(shape, np.bool_), np.zeros(LEAST_ROOM, np.int64)), 0)

    def hold(self, held: HeldRows, end: int) -> None:
        """Other columns from now on. An interrupt may come behind each line: until kernels see these the ones that they
        see live on, and the next row makes room again."""
        self._room = 0
        self._alive.append(held)
        self._held, self.first, self.end = held, held.first, end
        self.events.values = address_of(held.values) - WORD_BYTES * held.first
        self.events.valid = address_of(held.valid) - held.first
        self.events.times = address_of(held.times) - WORD_BYTES * held.first
        self.events.rows = len(held.times)
        self._alive = [held]
        self._room = len(held.times)

    def append(self, source: Source, least_row) -> int:
        """Rows of some events. least_row() → the least that a tuple has, −1 if none has; asked when room ends. Returns
        the first row. O(events) amortised."""
        count = len(source.times)
        if self.end - self.first + count > self._room:
            self._make_room(count, least_row())
        first, values, valid, times = self._held
        place = self.end - first
        values[:, place : place + count] = source.values
        valid[:, place : place + count] = source.valid
        times[place : place + count] = source.times
        self.end += count
        return self.end - count

    def _make_room(self, count: int, least_row: int) -> None:
        kept_from = self.end if least_row < 0 else least_row
        kept = slice(kept_from - self.first, self.end - self.first)
        room = max(LEAST_ROOM, len(self._held.times), 2 * (self.end - kept_from + count))
        arrays = []
        for old in self._held[1:]:
            made = np.zeros((*old.shape[:-1], room), old.dtype)
            made[..., : kept.stop - kept.start] = old[..., kept]
            arrays.append(made)
        self.hold(HeldRows(kept_from, *arrays), self.end)

    def values_of(self, row: int, columns: Columns) -> tuple:
        """(time, values …) of a row; None for a null."""
        held, place = self._held, row - self.first
        values = [
            columns.value(int(held.values[column, place]), kind) if held.valid[column, place] else None
            for column, kind in enumerate(columns.types.values())
        ]
        return (int(held.times[place]), *values)

    def save(self, least_row: int) -> np.ndarray:
        """Rows from one on, as words; −1: none."""
        first = self.end if least_row < 0 else least_row
        kept = slice(first - self.first, self.end - self.first)
        held = self._held
        parts = (held.times[kept], held.values[:, kept].ravel(), held.valid[:, kept].ravel().astype(np.int64))
        return np.concatenate([np.array([first, self.end], np.int64), *parts])

    def opened(self, words: np.ndarray) -> HeldRows | None:
        """What was saved of as many columns; None for words that can't be that."""
        if len(words) < 2 or not 0 <= words[0] <= words[1] < MOST_ROWS:
            return None
        count, columns = int(words[1] - words[0]), len(self._held.values)
        if len(words) != 2 + count * (1 + 2 * columns):
            return None
        times, values, valid = np.split(words[2:], [count, count * (1 + columns)])
        of_columns = (values.reshape(columns, count).copy(), valid.reshape(columns, count) != 0)
        return HeldRows(int(words[0]), *of_columns, times.copy())
