"""Windows that tuples trigger: count, delta, slide-by-tuple and policy windows (FARM §2.2.3; semantics §2)."""

from collections.abc import Callable

from kernels import aggregators
from kernels.replay.by_context.selection import choose_panes, select_panes
from kernels.replay.by_context.tuple_walk import TupleWindow
from kernels.replay.types import WindowSpec
from kernels.runtime.struct import Struct
from kernels.runtime.tables import Operation, compiled_table
from kernels.states.layout import NO_COLUMN
from kernels.windows._dependent import DependentKind


class Steps(Struct):
    """What a kind is asked of each tuple, in order: see TupleWindow."""

    step: Operation()
    state: Operation()
    late: Operation()


def compiled_steps(name: str, **functions: Callable) -> Steps:
    """A kind's, compiled now or loaded from the disk cache."""
    return compiled_table(Steps, f"{name}_steps", functions)


class TriggeredKind(DependentKind):
    """Windows that share tuples."""

    def kernels(self):
        return [name for name in aggregators.kernels() if not aggregators.window_class(name).IN_ORDER_ONLY]

    def choose(self, name, options):
        """The kernel that holds the tuples, refused with an option that it hasn't got."""
        return choose_panes(name, options)

    def select(self, choice, columns, made, spec):
        """One kernel for all keys, and the place of each tuple in its key's order."""
        return select_panes(choice, columns)

    def make(self, spec, extent):
        return self.window(spec)

    def window(self, spec: WindowSpec) -> TupleWindow:
        """What the replay sees of a window."""
        raise NotImplementedError


def tuple_window(struct: type[TupleWindow], steps: Steps, **fields) -> TupleWindow:
    """The struct of a kind with some fields."""
    given = {"column": NO_COLUMN, "keeps_panes": 1} | fields
    return struct.make(step=steps.step, **given)
