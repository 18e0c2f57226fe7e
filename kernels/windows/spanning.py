"""Spanning windows: cut as sliding ones; an event is in every window that its interval meets (semantics §2).

An event longer than `longest` is in none: it goes to the late table with the reason "too long".
"""

from kernels.monoids import find_monoid
from kernels.spans import SE_SLICING
from kernels.spans.slicing import slice_placement
from kernels.windows._rows import expected_windows
from kernels.windows.sliding import SlidingKind
from schemas.errors import NotServed


class SpanningKind(SlidingKind):
    """A sliding kind whose events last."""

    events_last = True
    placement = staticmethod(slice_placement)

    def kernels(self):
        return (SE_SLICING,)

    def refuse(self, aggregates):
        """A slice mixes events of many starts, so the order of events may not matter."""
        for spec in aggregates:
            if not find_monoid(spec)[1].commutative:
                raise NotServed("aggregate of spanning windows", spec.function, ("those that commute",))

    def make(self, spec, extent):
        made = super().make(spec, extent)
        made.find_pane = 0  # its events go into slices
        return made

    def longest_us(self, window):
        return super().longest_us(window) + window.longest_event_us

    def expected(self, made, events):
        """Windows met, reached or not: an event is put into each slice of them."""
        return expected_windows(made, events)


KIND = SpanningKind()
