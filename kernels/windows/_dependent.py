"""Windows that depend on their key's other events (kernels/replay/by_context): what holds of all such kinds, of
sessions and frames (FRAMES; semantics §2), and of windows that tuples trigger: count, delta, slide-by-tuple and policy
windows (FARM §2.2.3)."""

from collections.abc import Callable

import numpy as np

from kernels import aggregators, frames
from kernels.bounds import lazy_table
from kernels.frames.rules import make_rules, require_answers, require_comparable
from kernels.monoids import AggregateSpec
from kernels.replay.by_context.state import CutWindow
from kernels.replay.by_context.tuple_walk import TupleWindow
from kernels.replay.context import Placement
from kernels.replay.late import Late
from kernels.replay.selection import choose_frames, choose_panes, select_frames, select_panes
from kernels.replay.types import WindowSpec
from kernels.replay.window_kind import WindowKind
from kernels.runtime.fields import Place
from kernels.runtime.operations import Operation
from kernels.runtime.struct import Struct
from kernels.states.layout import NO_COLUMN


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


class CutKind(DependentKind):
    """Windows that no tuple shares with another: tuples of a key, in order, are cut by their times or values."""

    def kernels(self):
        return frames.kernels()

    choose = staticmethod(choose_frames)

    def select(self, choice, columns, made, spec):
        """BadInput for whole numbers beyond those that frames compare, and for gaps beyond those that they add."""
        labels = columns.labels
        column = "" if spec.column is None else labels.column(spec.column)

        def event(place: int) -> str:
            return f"an event that starts at {labels.time(int(columns.start_us[place]))}"

        require_comparable(spec.asked, made.rules, columns.values, columns.valid, column, event)
        closing = (getattr(spec.asked, "function", ""), spec.column, spec.column_type)
        return select_frames(choice, columns, lambda: require_answers(made.rules, AggregateSpec(*closing), column))

    def make(self, spec, extent):
        rules, closing = make_rules(spec.asked, spec.column, spec.column_type)
        return self.window(spec.asked, rules, closing)

    def window(self, asked, rules, closing):
        """What the replay sees of a frame's kind; closing: the plan of the aggregate that closes, kept alive."""
        made = CutWindow.make(rules=rules, tail=1)
        object.__setattr__(made, "_kept", [made._kept, closing])
        return made


class Steps(Struct):
    """What a kind is asked of each tuple, in order: see TupleWindow."""

    step: Operation("Replay", "TimeRow")
    state: Operation("Replay")
    holds: Operation("Replay", Place)


def lazy_steps(name: str, *functions: Callable) -> Callable[[], Steps]:
    """A kind's, compiled or loaded from the disk cache when they are first asked for."""
    return lazy_table(Steps, f"{name}_steps", *functions)


class TriggeredKind(DependentKind):
    """Windows that share tuples."""

    def kernels(self):
        return [name for name in aggregators.kernels() if not aggregators.window_class(name).IN_ORDER_ONLY]

    choose = staticmethod(choose_panes)

    def select(self, choice, columns, made, spec):
        return select_panes(choice, columns)

    def make(self, spec, extent):
        return self.window(spec)

    def window(self, spec: WindowSpec) -> TupleWindow:
        """What the replay sees of a window."""
        raise NotImplementedError


def tuple_window(struct: type[TupleWindow], steps: Steps, **fields) -> TupleWindow:
    given = {"column": NO_COLUMN, "keeps_panes": 1} | {name: getattr(steps, name) for name in Steps.fields} | fields
    return struct.make(**given)
