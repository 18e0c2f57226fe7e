"""Rolling windows: number u is (u − size, u], as [u − size + 1 µs, u + 1 µs), for every event time u that the key has
seen.

    size 5, events at 1, 4, 7     window 1: (-4, 1]   window 4: (-1, 4]   window 7: (2, 7]
    closed on the left            window 1: [-4, 1)   window 4: [-1, 4)   window 7: [2, 7)

u is in the windows u … u + size − 1, or u + 1 … u + size. Which of them exist is known by the replay only.
"""

from kernels.bounds import require_length
from kernels.bounds.rolling import rolling_window
from kernels.replay.late import Late
from kernels.replay.rolling import rolling_placement
from kernels.replay.types import WindowSpec
from kernels.replay.window_kind import WindowKind
from kernels.windows._rolling_rows import expected_rolling_rows, seen_from


class RollingKind(WindowKind):
    """Windows at event times."""

    keeps_events = True
    late_needs_later_events = True
    placement = staticmethod(rolling_placement)

    def follows_from_own_events(self, emit):
        """With emit arrival only a key's youngest window has rows."""
        return emit != "arrival"

    def holds_its_time(self, made):
        return made.beyond == 1

    def spec(self, window, starts_us=None):
        return WindowSpec("rolling", window.size_us, parameters=(window.beyond_us,))

    def longest_us(self, window):
        """To the event that a window is named after, whether it holds it or not."""
        return window.size_us + 1

    def make(self, spec, extent):
        require_length("size", spec.size_us)
        [beyond] = spec.parameters or (1,)
        return rolling_window(spec.size_us, beyond)

    def late(self, window, arrived):
        """The windows of an event are those of the times in [start, start + size) that the key has seen by the event's
        own tick, whether or not the event that brought them was too late itself: its own is the first of them, also
        where it doesn't hold the event; then the last is that of start + size.
        O(events · log events)."""
        beyond_us = window.beyond_us
        row = (arrived.start_us + beyond_us <= arrived.reached_us).nonzero()[0]
        if len(row) == 0:
            return Late.of_nothing()
        start_us, to_start = arrived.start_us[row], beyond_us - window.size_us
        until_us = (start_us + window.size_us).clip(max=arrived.reached_us[row]) + (1 - beyond_us)
        missed, last_us = seen_from(row, until_us, arrived.key, arrived.start_us, arrived.arrival_us)
        late_by_us = arrived.watermark_us[row] - (start_us + beyond_us)
        return Late.of(row, start_us + to_start, last_us + to_start, missed, late_by_us)

    def expected(self, made, events):
        """What late events of one tick change together is counted by the one that changes most. Of windows that don't
        hold their own time it is unknown how many hold anything."""
        return expected_rolling_rows(made.size, events) if made.beyond else 0


KIND = RollingKind()
