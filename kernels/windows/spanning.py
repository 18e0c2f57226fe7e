"""Spanning windows: cut as sliding ones; an event is in every window that its interval meets (semantics §2).

An event longer than `longest` is in none: it goes to the late table with the reason "too long".
"""

from kernels import spans
from kernels.replay.spans import span_placement
from kernels.windows._rows import expected_windows
from kernels.windows.sliding import SlidingKind


class SpanningKind(SlidingKind):
    """A sliding kind whose events last."""

    events_last = True
    placement = staticmethod(span_placement)
    unnamed = spans.SE_SLICING

    def kernels(self):
        return spans.kernels()

    def longest_us(self, window):
        return super().longest_us(window) + window.longest_event_us

    def expected(self, made, events):
        """Windows met, reached or not: an event is put into each slice of them."""
        return expected_windows(made, events)


KIND = SpanningKind()
