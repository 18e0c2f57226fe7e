"""Spanning windows: cut as sliding ones; an event is in every window that its interval meets (semantics §2).

With attribution `start` or `end` it is the point at which it starts or ends, with `prorated` its windows get shares of
it (kernels/replay/numbered/spans.py). One longer than `longest` is in none: it goes to the late table as "too long".
"""

from windrow.kernels import spans
from windrow.kernels.kinds.sliding import SlidingKind
from windrow.kernels.replay.numbered.spans import span_placement
from windrow.schemas.windows.regular import END, START


class SpanningKind(SlidingKind):
    """A sliding kind whose events last."""

    events_last = True
    placement = staticmethod(span_placement)
    least_refusing = spans.SE_SLICING

    def kernels(self):
        return spans.kernels()

    def attributed(self, window, start_us, end_us):
        points = {START: (start_us, start_us), END: (end_us, end_us)}
        return points.get(window.attribution, (start_us, end_us))

    def longest_us(self, window):
        return super().longest_us(window) + window.longest_event_us


KIND = SpanningKind()
