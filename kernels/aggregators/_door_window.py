"""Object faces of kernels that stand behind one address (_doors.py)."""

import numpy as np

from kernels.aggregators import _doors
from kernels.aggregators._window import (
    BULK_EVICT,
    DONE,
    EVICT,
    INSERT,
    LENGTH,
    NOTHING,
    OLDEST,
    Window,
    lower_all,
)
from kernels.calls import ask_5
from kernels.memory import entry, lend, load
from kernels.operation_sources import TIMES


@entry
def ask(door, s, operation, first, second, third):
    """One operation."""
    return ask_5(door, s, operation, first, second, third)


@entry
def insert_burst(door, s, source, rows):
    ask_5(door, s, _doors.INSERT_BURST, load(source, TIMES), source, rows)


@entry
def answer(door, s, between, plan, answers):
    """Lower the aggregate of all entries, or of [low, high), if `between` is the address of the two."""
    if between == 0:
        state = ask_5(door, s, _doors.QUERY, 0, 0, 0)
    else:
        state = ask_5(door, s, _doors.RANGE_QUERY, load(between, 0), load(between, 1), 0)
    lower_all(plan, state, answers)


class DoorWindow(Window):
    """A face whose class tells `_door`, a function that gives the address, and makes its structure by CREATE."""

    _door = None

    @classmethod
    def _destroy(cls, s: int) -> None:
        ask(cls._door(), s, _doors.DESTROY, 0, 0, 0)

    @classmethod
    def _ask(cls, s: int, operation: int, first: int = 0, second: int = 0, third: int = 0) -> int:
        return ask(cls._door(), s, operation, first, second, third)

    def _change(self, s: int, operation: int, time: int, source: int, rows: int) -> tuple[int, int]:
        if operation == INSERT:
            insert_burst(self._door(), s, source, rows)
            return DONE, 0
        if operation == BULK_EVICT:
            return DONE, self._ask(s, _doors.BULK_EVICT, time)
        if operation == EVICT:
            return (DONE if self._ask(s, _doors.EVICT, time) else NOTHING), 0
        if self._ask(s, _doors.IS_EMPTY):
            return NOTHING, 0
        asked = {OLDEST: _doors.OLDEST, LENGTH: _doors.COUNT}.get(operation, _doors.YOUNGEST)
        return DONE, self._ask(s, asked)

    def _answer(self, s: int, whole: bool, low: int, high: int, answers: int) -> int:
        between = np.array([low, high], np.int64)
        answer(self._door(), s, 0 if whole else lend(between), lend(self._plan.block), answers)
        return DONE
