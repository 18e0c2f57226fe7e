"""Sessions and frames: tuples of a key, in order, cut into windows by their times or values (FRAMES; semantics §2)."""

from kernels import frames
from kernels.frames.rules import make_rules, require_answers, require_comparable
from kernels.monoids import AggregateSpec
from kernels.replay.by_context.cut_window import CutWindow
from kernels.replay.by_context.selection import choose_frames, select_frames
from kernels.windows._dependent import DependentKind


class CutKind(DependentKind):
    """Windows that no tuple shares with another."""

    def kernels(self):
        return frames.kernels()

    def choose(self, name, options):
        """The kernel, refused with an option that it hasn't got in a replay."""
        return choose_frames(name, options)

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
