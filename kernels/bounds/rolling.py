"""Bounds of windows at event times: number u is (u − size, u], as [u − size + 1 µs, u + 1 µs), for any event time u.

    size 5            window 1: (-4, 1]   window 4: (-1, 4]   window 7: (2, 7]
    on the left       window 1: [-4, 1)   window 4: [-1, 4)   window 7: [2, 7)

u is in the windows u … u + size − 1, or u + 1 … u + size.
"""

from windrow.kernels.bounds import Bounds, KernelWindow
from windrow.kernels.runtime.fields import Microseconds
from windrow.kernels.runtime.tables import lazy_table


class RollingWindow(KernelWindow):
    """beyond: how far behind its event time a window ends: 1 if it holds that, 0 if not."""

    beyond: Microseconds


def start(window: RollingWindow, number):
    return number - window.size + window.beyond


def end(window: RollingWindow, number):
    return number + window.beyond


def first_end_after(window: RollingWindow, time):
    return time + 1 - window.beyond


def last_start_until(window: RollingWindow, time):
    return time + window.size - window.beyond


bounds = lazy_table(Bounds, "rolling_bounds", start, end, first_end_after, last_start_until)
