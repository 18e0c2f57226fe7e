"""Windows that tuples trigger: count, delta, slide-by-tuple and policy windows (FARM §2.2.3; semantics §2)."""

from collections.abc import Callable

from kernels import aggregators
from kernels.replay.by_context.selection import choose_panes, select_panes
from kernels.replay.by_context.tuple_walk import TupleWindow
from kernels.replay.placement import Placement
from kernels.replay.types import WindowSpec
from kernels.runtime.struct import Struct
from kernels.runtime.tables import Operation, compiled_table
from kernels.states.layout import NO_COLUMN
from kernels.windows._cut import late_for_all
from kernels.windows._kind import WindowKind


class Steps(Struct):
    """What a kind is asked of each tuple, in order: see TupleWindow."""

    step: Operation()
    state: Operation()
    late: Operation()


def compiled_steps(name: str, **functions: Callable) -> Steps:
    """A kind's, compiled now or loaded from the disk cache."""
    return compiled_table(Steps, f"{name}_steps", functions)


class TriggeredKind(WindowKind):
    """Windows that share tuples."""

    depends_on_others = True
    placement = staticmethod(Placement.make)

    def kernels(self):
        return [name for name in aggregators.kernels() if not aggregators.window_class(name).IN_ORDER_ONLY]

    def choose(self, name, options):
        """The kernel that holds the tuples, refused with an option that it hasn't got."""
        return choose_panes(name, options)

    def select(self, choice, columns, made, spec):
        """One kernel for all keys, and the place of each tuple in its key's order."""
        return select_panes(choice, columns)

    def spec(self, window, starts_us=None):
        return WindowSpec(window.kind, 0, asked=window)

    def make(self, spec, extent):
        return self.window(spec)

    def window(self, spec: WindowSpec) -> TupleWindow:
        """What the replay sees of a window."""
        raise NotImplementedError

    def longest_us(self, window):
        return 0

    def follows_from_own_events(self, emit):
        return False

    def late(self, window, arrived):
        """An event that starts before the watermark − allowed lateness changes nothing."""
        return late_for_all(arrived)

    def expected(self, made, events):
        """Known only by walking over them."""
        return 0


def tuple_window(struct: type[TupleWindow], steps: Steps, **fields) -> TupleWindow:
    """The struct of a kind with some fields."""
    given = {"column": NO_COLUMN, "keeps_panes": 1} | fields
    return struct.make(step=steps.step, **given)
