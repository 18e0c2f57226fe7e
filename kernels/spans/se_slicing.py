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

from collections.abc import Mapping

from kernels.aggregators._dispatch import PointKernel
from kernels.bounds.grid import Grid
from kernels.spans._slices import Slices, slice_ends, slice_kernel, slices_a_window
from kernels.spans._window import SpanWindow, held_records
from kernels.states.state_plan import Plan

MOST_FOLDED = 16
"""Slices times levels of a window that are folded sooner than walked over: with 12 slices a window and a row for each
event folds were quicker, with 24 a walk."""


def check(address: int, plan: Plan) -> None:
    """O(slices · height)."""
    slices = Slices(address)
    shape = (slices.height, 2, plan.state_words)
    going, reaching = {}, {}
    for number, record in held_records(slices.pages):
        events = record.reshape(shape)[:, :, 0]
        assert (events >= 0).all() and events.any(), f"marks: slice {number} has events"
        going[number] = int(events[:, 1].sum())
        for below in range(slices.height):
            reaching[number - below] = reaching.get(number - below, 0) + int(events[below].sum())
    for number, events in going.items():
        found = reaching.get(number + 1, 0)
        assert events <= found, (
            f"going on: {events} events go on from slice {number}, and {found} pieces begin behind it"
        )


class SESlicing(SpanWindow):
    """insert_span O(slices that it meets), state O(slices of the window), by a walk O(1) amortised; evict O(slices).

    Memory: two states a slice that has events, in pages of 32, from the oldest open window to the youngest event.
    """

    dispatch, _check = staticmethod(slice_kernel), staticmethod(check)

    @classmethod
    def pane_option(cls, options: Mapping[str, int]) -> int:
        """Their height."""
        return 1

    @classmethod
    def ends(cls, window: Grid, option: int) -> PointKernel | None:
        """Where windows have so many slices that a walk over them pays."""
        return slice_ends() if slices_a_window(window) * option > MOST_FOLDED else None

    def _pieces(self, low: int, high: int) -> int:
        cuts = 1 if self._grid.rest == 0 else 2
        return cuts * ((high - low) // self._grid.slide + 1) // Slices(self._address).height


KERNEL = SESlicing
