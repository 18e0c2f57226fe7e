"""Count windows: number j is the tuples j · step … j · step + size − 1 of a key, in order of event time; only full ones
exist (FARM §2.2.3.1, whose eq. 4 counts from 1). Context-free: a tuple's ordinal is known when it comes.

size 3, step 2     tuples 0 1 2 3 4 5     windows [0 1 2] [2 3 4]
"""

from kernels.bounds.grid import grid
from kernels.farm.extents._closed_forms import ordinal_extents
from kernels.farm.extents._served import ServedWindow, require_tuples
from schemas.errors import NotServed
from schemas.windows import Count


def served(window: Count, columns: tuple[str, ...]) -> ServedWindow:
    """The closed forms of sliding windows, over ordinals. NotServed for windows in order of arrival: a farm's tuples
    come in order of event time."""
    if window.order != "event_time":
        raise NotServed("order", window.order, ["event_time"])
    require_tuples("size", window.size)
    require_tuples("step", window.step)
    ordinals = grid(window.size, window.step, 0)
    return ServedWindow(ordinal_extents(), {"window": ordinals, "by_ordinal": True, "ends_at_tuples": True})
