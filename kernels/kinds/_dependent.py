"""Windows that depend on their key's other events (kernels/replay/dependent): what holds of all such kinds, of
sessions and frames (FRAMES; semantics §2), and of windows that tuples trigger: count, delta, slide-by-tuple and policy
windows (FARM §2.2.3)."""

import numpy as np

from windrow.kernels import aggregators, frames
from windrow.kernels.frames._kinds import make_rules, require_answers, require_comparable
from windrow.kernels.monoids import AggregateSpec
from windrow.kernels.replay.dependent.frames import CutWindow
from windrow.kernels.replay.dependent.triggered import TupleWindow
from windrow.kernels.replay.kernel_selection import select_frames, select_panes
from windrow.kernels.replay.late import Late
from windrow.kernels.replay.types import WindowSpec
from windrow.kernels.replay.window_kind import WindowKind
from windrow.kernels.states.layout import NO_COLUMN
from windrow.schemas.windows import Window


class DependentKind(WindowKind):
    """Windows without numbers and closed forms; their parameters are those of the window as asked."""

    depends_on_others = True

    def spec(self, window, starts_us=None):
        return WindowSpec(window.kind, 0, asked=window)

    def longest_us(self, window):
        return 0

    def follows_from_own_events(self, emit):
        return False

    def late(self, window, arrived):
        """An event that starts before the watermark − allowed lateness changes nothing; the windows that it
        missed have no names."""
        [row] = (arrived.start_us < arrived.reached_us).nonzero()
        late_by_us = arrived.watermark_us[row] - (arrived.start_us[row] + 1)
        none = np.zeros(len(row), np.int64)
        return Late.of(row, none, none, none, late_by_us)._replace(knows_windows=False)


class CutKind(DependentKind):
    """Windows that no tuple shares with another: tuples of a key, in order, are cut by their times or values."""

    def kernels(self):
        return frames.kernels()

    def select(self, choice, columns, made, spec, plan):
        """BadInput for whole numbers beyond those that frames compare, and for gaps beyond those that they add."""
        labels = columns.labels
        column = "" if spec.column is None else labels.column(spec.column)

        def event(place: int) -> str:
            return f"an event that starts at {labels.time(int(columns.start_us[place]))}"

        require_comparable(spec.asked, made.rules, columns.values, columns.valid, column, event)
        closing = (getattr(spec.asked, "function", ""), spec.column, spec.column_type)
        rules = made.rules
        return select_frames(choice, columns, rules, lambda: require_answers(rules, AggregateSpec(*closing), column))

    def make(self, spec, extent):
        rules, closing = make_rules(spec.asked, spec.column, spec.column_type)
        made = CutWindow.make(rules=rules, **self.ends(spec.asked))
        object.__setattr__(made, "_kept", [made._kept, closing])  # the plan of the aggregate that closes
        return made

    def ends(self, asked: Window) -> dict[str, int]:
        """Where a window ends, as CutWindow says it: of frames a microsecond behind the last tuple."""
        return {"tail": 1}


class TriggeredKind(DependentKind):
    """Windows that share tuples."""

    def kernels(self):
        return [name for name in aggregators.kernels() if not aggregators.window_class(name).IN_ORDER_ONLY]

    def select(self, choice, columns, made, spec, plan):
        return select_panes(choice, columns)


def tuple_window(struct: type[TupleWindow], steps: TupleWindow, **fields) -> TupleWindow:
    """steps: what the kind is asked of each tuple, in order, `step`, and `state` and `holds` if it has them."""
    operations = {name: getattr(steps, name) for name in ("step", "state", "holds")}
    return struct.make(**{"column": NO_COLUMN, "keeps_panes": 1} | operations | fields)
