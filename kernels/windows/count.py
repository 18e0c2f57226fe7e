"""Count windows: so many tuples of a key, every so many of them, in order of event time or of arrival.

size 3, step 2        tuples  1  2  3  4  5        windows [1 2 3] [3 4 5]
"""

from functools import cache

from kernels.frames._ordered import OrderedEntry
from kernels.frames._rules import within
from kernels.replay.by_context.by_arrival import ArrivalCountWindow
from kernels.replay.by_context.selection import select_by_arrival
from kernels.replay.by_context.tuple_walk import TupleWindow, move_tail, tail_entry, trigger
from kernels.replay.context import Replay
from kernels.runtime.fields import Count
from kernels.windows._late import Late
from kernels.windows._triggered import Steps, TriggeredKind, compiled_steps, tuple_window


class CountWindow(TupleWindow):
    """Tuples, in Window.size of them, every `every`."""

    every: Count


def step(r: Replay, entry: OrderedEntry):
    window, walk = CountWindow(r.window.address), r.derived.walk
    here = walk.here
    first = here.windows * window.every
    if here.tuples < first + window.size:
        return 0
    while here.tail_tuples < first:
        move_tail(walk)
    oldest = tail_entry(walk)
    trigger(here, (oldest.time, entry.time + 1), oldest, entry)
    return 1


@cache
def steps() -> Steps:
    """Compiled or loaded when they are first asked for."""
    return compiled_steps("count", step=step)


class CountKind(TriggeredKind):
    """Windows of so many tuples."""

    def window(self, spec):
        given = {"size": within("size", spec.asked.size), "every": within("step", spec.asked.step)}
        if spec.asked.order == BY_ARRIVAL:
            return ArrivalCountWindow.make(**given)
        return tuple_window(CountWindow, steps(), **given)

    def select(self, choice, columns, made, spec):
        if spec.asked.order == BY_ARRIVAL:
            return select_by_arrival(choice, columns)
        return super().select(choice, columns, made, spec)

    def late(self, window, arrived):
        """Nothing is too late for windows by arrival."""
        return Late.of_nothing() if window.order == BY_ARRIVAL else super().late(window, arrived)


BY_ARRIVAL = "arrival"
KIND = CountKind()
