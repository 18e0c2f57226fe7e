"""SE-Slicing (SPANS §3.2 and §5.2.1): windows over events that last, from slices that windows share.

    window of 15 by 5     slices  [0, 5)  [5, 10)  [10, 15)  [15, 20)
    an event [7, 16)      φ          ·       ·        ·         1
                          ϕ          ·       1        1         ·
    window [0, 15): φ 0 + 0 + 0, ϕ of [10, 15) 1: one event.

An event goes into the slice in which it ends (φ), and, so that no window counts it twice, into a second state (ϕ) of
each earlier slice that it meets, from which it goes on. A window is all its φ and the ϕ of its last slice (table 2,
combine*). The paper finds an event's slices by going back from the newest; here it is placed by its own interval,
however late it comes. A selective aggregate (min, max) alone could do without ϕ (§3.2.1), but windows count events too.
"""

from functools import cache

from kernels.spans._dispatch import SpanKernel
from kernels.spans._slices import slice_kernel
from kernels.spans._window import SliceWindow


@cache
def dispatch() -> SpanKernel:
    """The table, compiled or loaded when it is first asked for."""
    return slice_kernel("se_slicing")


class SESlicing(SliceWindow):
    """insert_span O(slices that it meets), state O(slices of the window), by a walk O(1) amortised; evict O(slices).

    Memory: two states a slice that has events, in pages of 32, from the oldest open window to the youngest event.
    """

    dispatch = staticmethod(dispatch)


KERNEL = SESlicing
