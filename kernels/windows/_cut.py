"""Sessions and frames: tuples of a key, in order, cut into windows by their times or values (FRAMES; semantics §2)."""

import numpy as np

from kernels import frames
from kernels.frames._making import make_rules, require_answers, require_exact
from kernels.monoids import AggregateSpec
from kernels.replay.by_context.frames import CutWindow
from kernels.replay.by_context.selection import choose_frames, select_frames
from kernels.replay.placement import Placement
from kernels.replay.types import WindowSpec
from kernels.windows._kind import WindowKind
from kernels.windows._late import Late


class CutKind(WindowKind):
    """Windows that no tuple shares with another."""

    depends_on_others = True
    placement = staticmethod(Placement.make)

    def kernels(self):
        return frames.kernels()

    def choose(self, name, options):
        """The kernel, refused with an option that it hasn't got in a replay."""
        return choose_frames(name, options)

    def select(self, choice, columns, made, spec):
        """BadInput for whole numbers beyond those that frames compare."""
        column = "" if spec.column is None else columns.labels.column(spec.column)
        require_exact(made.rules, columns.values, columns.valid, column)
        closing = (getattr(spec.asked, "function", ""), spec.column, spec.column_type)
        return select_frames(choice, columns, lambda: require_answers(made.rules, AggregateSpec(*closing), column))

    def spec(self, window, starts_us=None):
        return WindowSpec(window.kind, 0, asked=window)

    def make(self, spec, extent):
        rules, closing = make_rules(spec.asked, spec.column, spec.column_type)
        return self.window(spec.asked, rules, closing)

    def window(self, asked, rules, closing):
        """What the replay sees of a frame's kind; closing: the plan of the aggregate that closes, kept alive."""
        made = CutWindow.make(rules=rules, reach=1)
        object.__setattr__(made, "_kept", [made._kept, closing])
        return made

    def longest_us(self, window):
        return 0

    def follows_from_own_events(self, emit):
        return False

    def late(self, window, arrived):
        """An event that starts before the watermark − allowed lateness changes nothing."""
        return late_for_all(arrived)

    def expected(self, made, events):
        """Known only by cutting them."""
        return 0


def late_for_all(arrived) -> Late:
    """Events too late for windows that nobody can name."""
    [row] = (arrived.start_us < arrived.reached_us).nonzero()
    late_by_us = arrived.watermark_us[row] - (arrived.start_us[row] + 1)
    none = np.zeros(len(row), np.int64)
    return Late.of(row, none, none, none, late_by_us)._replace(knows_windows=False)
