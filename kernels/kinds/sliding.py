"""Sliding windows: number i is [origin + i·slide, + size) for every integer i (FARM eq. 8, its closed form, 0-based).

size 15, slide 5      -10 ─────────── 5         window -2      holds 2 and 4: windows -2, -1, 0
                           -5 ─────────── 10    window -1
                                0 ─────────── 15
"""

from windrow.kernels.bounds import require_length
from windrow.kernels.bounds.calendar import calendar_window, zone_around
from windrow.kernels.bounds.grid import grid
from windrow.kernels.replay.numbered.points import regular_placement
from windrow.kernels.replay.types import WindowSpec
from windrow.kernels.replay.window_kind import WindowKind


class SlidingKind(WindowKind):
    """Also of tumbling windows, which slide by their size, and of spanning ones, which differ in what they hold."""

    placement = staticmethod(regular_placement)

    def spec(self, window, starts_us=None):
        lengths = (window.kind, window.size_us, window.slide_us)
        if window.zone is None:
            return WindowSpec(*lengths, window.origin_us)
        return WindowSpec(*lengths, zone=None if starts_us is None else zone_around(window, starts_us))

    def make(self, spec, extent):
        require_length("size", spec.size_us)
        require_length("slide", spec.slide_us)
        if spec.zone is not None:
            return calendar_window(spec.size_us, spec.slide_us, spec.zone, extent)
        return grid(spec.size_us, spec.slide_us, spec.origin_us)

    def longest_us(self, window):
        return window.longest_us


KIND = SlidingKind()
