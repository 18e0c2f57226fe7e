"""Count windows: so many tuples of a key, every so many of them, in order of event time or of arrival.

size 3, step 2        tuples  1  2  3  4  5        windows [1 2 3] [3 4 5]
"""

from windrow.kernels.frames._ordered import OrderedEntry
from windrow.kernels.frames._rules import within
from windrow.kernels.kinds._dependent import TriggeredKind, tuple_window
from windrow.kernels.replay.context import Replay
from windrow.kernels.replay.dependent.by_arrival import ArrivalCountWindow, note_times
from windrow.kernels.replay.dependent.triggered import TupleWindow, move_tail, tail_entry, trigger
from windrow.kernels.replay.kernel_selection import select_panes
from windrow.kernels.replay.late import Late
from windrow.kernels.runtime.tables import lazy_table


def step(r: Replay, entry: OrderedEntry):
    window, walk = TupleWindow(r.window.address), r.dependent.walk
    here = walk.here
    first = here.windows * window.every
    if here.tuples < first + window.size:
        return 0
    while here.tail_tuples < first:
        move_tail(walk)
    oldest = tail_entry(walk)
    trigger(here, (oldest.time, entry.time + 1), oldest, entry)
    return 1


steps = lazy_table(TupleWindow, "count_steps", step)


class CountKind(TriggeredKind):
    """Windows of so many tuples."""

    def make(self, spec, extent):
        given = {"size": within("size", spec.asked.size), "every": within("step", spec.asked.step)}
        if spec.asked.order == BY_ARRIVAL:
            return ArrivalCountWindow.make(**given)
        return tuple_window(TupleWindow, steps(), **given)

    def select(self, choice, columns, made, spec, plan):
        by_arrival = spec.asked.order == BY_ARRIVAL
        if by_arrival:
            note_times(made, columns.start_us)
        return select_panes(choice, columns, by_arrival, not (by_arrival and plan.is_commutative))

    def late(self, window, arrived):
        """Nothing is too late for windows by arrival."""
        return Late.of_nothing() if window.order == BY_ARRIVAL else super().late(window, arrived)


BY_ARRIVAL = "arrival"
KIND = CountKind()
