"""The panes, or events, of the key at hand, in whatever structure holds them: calls through its door
(kernels/aggregators/_doors.py). `panes` is the structure: TREE, or GOES_ON for what goes on from a slice."""

from kernels.aggregators import _doors
from kernels.calls import ask_5
from kernels.memory import inner, load
from kernels.replay.context import DOOR, PLAN


@inner
def create(r, option):
    """Address of an empty structure."""
    return ask_5(load(r, DOOR), 0, _doors.CREATE, load(r, PLAN), option, 0)


@inner
def destroy(r, panes):
    ask_5(load(r, DOOR), panes, _doors.DESTROY, 0, 0, 0)


@inner
def reset(r, panes):
    ask_5(load(r, DOOR), panes, _doors.RESET, 0, 0, 0)


@inner
def expect(r, panes, ascending, rows, ranks):
    """Only of kernels that ask for it."""
    ask_5(load(r, DOOR), panes, _doors.EXPECT, ascending, rows, ranks)


@inner
def insert(r, panes, time, state, row):
    """row: of the event, or −1 for several, or for a part of one."""
    ask_5(load(r, DOOR), panes, _doors.INSERT, time, state, row)


@inner
def bulk_evict(r, panes, time):
    ask_5(load(r, DOOR), panes, _doors.BULK_EVICT, time, 0, 0)


@inner
def range_query(r, panes, low, high):
    """Address of the aggregate of [low, high), valid until the next call."""
    return ask_5(load(r, DOOR), panes, _doors.RANGE_QUERY, low, high, 0)


@inner
def append_range(r, panes, low, high, into):
    """into ⊗= the aggregate of [low, high)."""
    ask_5(load(r, DOOR), panes, _doors.APPEND_RANGE, low, high, into)


@inner
def oldest(r, panes):
    """Time of the oldest; there is one."""
    return ask_5(load(r, DOOR), panes, _doors.OLDEST, 0, 0, 0)


@inner
def youngest(r, panes):
    """Time of the youngest; there is one."""
    return ask_5(load(r, DOOR), panes, _doors.YOUNGEST, 0, 0, 0)


@inner
def is_empty(r, panes):
    return ask_5(load(r, DOOR), panes, _doors.IS_EMPTY, 0, 0, 0) == 1


@inner
def first_from(r, panes, time):
    """(whether there is one, time of the first at or after `time`)."""
    first = ask_5(load(r, DOOR), panes, _doors.FIRST_FROM, time, 0, 0)
    return first != _doors.FOREVER, first


@inner
def count_between(r, panes, low, high):
    """How many lie in [low, high)."""
    return ask_5(load(r, DOOR), panes, _doors.COUNT_BETWEEN, low, high, 0)


@inner
def copy_entries(r, panes, low, high, target):
    """Write (time, state) of those in [low, high) to `target`."""
    ask_5(load(r, DOOR), panes, _doors.COPY_ENTRIES, low, high, target)
