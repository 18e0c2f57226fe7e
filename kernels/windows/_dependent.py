"""Windows that depend on their key's other events (kernels/replay/by_context): what holds of all such kinds."""

import numpy as np

from kernels.replay.placement import Placement
from kernels.replay.types import WindowSpec
from kernels.windows._kind import WindowKind
from kernels.windows._late import Late


class DependentKind(WindowKind):
    """Windows without numbers and closed forms; their parameters are those of the window as asked."""

    depends_on_others = True
    placement = staticmethod(Placement.make)

    def spec(self, window, starts_us=None):
        return WindowSpec(window.kind, 0, asked=window)

    def longest_us(self, window):
        return 0

    def follows_from_own_events(self, emit):
        return False

    def late(self, window, arrived):
        """An event that starts before the watermark − allowed lateness changes nothing; which windows it missed, nobody
        can name."""
        [row] = (arrived.start_us < arrived.reached_us).nonzero()
        late_by_us = arrived.watermark_us[row] - (arrived.start_us[row] + 1)
        none = np.zeros(len(row), np.int64)
        return Late.of(row, none, none, none, late_by_us)._replace(knows_windows=False)
