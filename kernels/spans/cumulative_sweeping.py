"""Cumulative sweeping (SPANS §5.3.3, after Piatov and Helmer): two indexes of endpoints, and what has started less what
has ended.

    events a [1, 7), b [3, 20), c [16, 18)      starts  1: a   3: b   16: c      window [10, 20):
                                                ends    7: a   18: c  20: b      a b c started before 20, less a: b c

It serves only aggregates from which a part can be taken away again, exactly: counts, and sums and means of integers.
The indexes are finger trees. So a late event finds its places, and any window is two range queries. Events that no
window needs one by one any more are kept as one state, `gone`.
"""

from collections.abc import Callable, Mapping, Sequence

from windrow.kernels.aggregators import finger_tree
from windrow.kernels.aggregators._dispatch import FOREVER, PointKernel
from windrow.kernels.bounds.grid import Grid
from windrow.kernels.monoids import AggregateSpec, AnyAggregate, find_monoid, has_inverse, in_words, those_with
from windrow.kernels.runtime.arrays import words_of
from windrow.kernels.runtime.counted import are_there
from windrow.kernels.runtime.fields import Address, Microseconds, Ref
from windrow.kernels.runtime.memory import WORD_BYTES, inner, release, resize
from windrow.kernels.runtime.struct import allocate, words_at
from windrow.kernels.spans._dispatch import KeySpans
from windrow.kernels.spans._window import SpanWindow
from windrow.kernels.states import clear, copy_words, events_of, subtract
from windrow.kernels.states.layout import StatePlan
from windrow.kernels.states.state_plan import Plan
from windrow.schemas.errors import NotServed

INDEX_ARITY = 4
"""Least arity of the finger trees of a sweeping kernel."""


class CumulativeSweep(KeySpans):
    """gone: of events that started by `time`, which are in `starts` no more, and have not ended; ended: a state
    to answer with."""

    tree: Ref(PointKernel)
    starts: Address
    ends: Address
    time: Microseconds
    gone: Address
    ended: Address


def create(plan: StatePlan, window: Grid, tree: PointKernel):
    sweep = allocate(CumulativeSweep)
    sweep.plan, sweep.tree, sweep.time = plan, tree, -FOREVER
    sweep.starts = tree.create(plan, INDEX_ARITY, 0)
    sweep.ends = tree.create(plan, INDEX_ARITY, 0)
    sweep.gone = resize(0, 3 * plan.state_words)
    sweep.result = sweep.gone + WORD_BYTES * plan.state_words
    sweep.ended = sweep.result + WORD_BYTES * plan.state_words
    clear(plan, sweep.gone)
    return sweep.address


def destroy(sweep: CumulativeSweep):
    sweep.tree.destroy(sweep.starts)
    sweep.tree.destroy(sweep.ends)
    release(sweep.gone)
    release(sweep.address)


def reset(sweep: CumulativeSweep):
    sweep.tree.reset(sweep.starts)
    sweep.tree.reset(sweep.ends)
    clear(sweep.plan, sweep.gone)
    sweep.time = -FOREVER


def insert_span(sweep: CumulativeSweep, low, high, state):
    sweep.tree.insert(sweep.starts, low, state, -1)
    sweep.tree.insert(sweep.ends, high, state, -1)


@inner
def state(sweep: CumulativeSweep, cursor, low, high):
    copy_words(sweep.result, sweep.gone, sweep.plan.state_words)
    sweep.tree.append_range(sweep.starts, -FOREVER, high, sweep.result)
    _take_ended(sweep, low, sweep.result)
    return sweep.result


@inner
def _take_ended(sweep, time, state):
    """What ended by a time is taken away from a state."""
    clear(sweep.plan, sweep.ended)
    sweep.tree.append_range(sweep.ends, -FOREVER, time + 1, sweep.ended)
    subtract(sweep.plan, state, sweep.ended)


def evict(sweep: CumulativeSweep, time):
    """Windows to come begin behind `time`, so that all events that started by then have, and some have ended."""
    sweep.tree.append_range(sweep.starts, -FOREVER, time + 1, sweep.gone)
    sweep.tree.bulk_evict(sweep.starts, time)
    _take_ended(sweep, time + 1, sweep.gone)
    sweep.tree.bulk_evict(sweep.ends, time + 1)
    sweep.time = max(sweep.time, time)


def is_empty(sweep: CumulativeSweep):
    return sweep.tree.is_empty(sweep.ends)


def oldest(sweep: CumulativeSweep):
    if events_of(sweep.gone) > 0:
        return sweep.time + 1
    return sweep.tree.oldest(sweep.starts)


def first_from(sweep: CumulativeSweep, time):
    if events_of(state(sweep, 0, time, time + 1)) > 0:
        return time
    return sweep.tree.first_from(sweep.starts, time)


@inner
def _save_tree(sweep, tree, into):
    """[entries][time · state] …"""
    count = sweep.tree.count(tree)
    if into != 0:
        words_at(into)[0] = count
        sweep.tree.copy_entries(tree, -FOREVER, FOREVER, into + WORD_BYTES)
    return 1 + count * (1 + sweep.plan.state_words)


@inner
def _load_tree(sweep, tree, saved, there):
    """How many of so many words it read; 0: that is no tree."""
    words = 1 + sweep.plan.state_words
    if not are_there(saved, there, words):
        return 0
    for entry in range(words_at(saved)[0]):
        at = saved + WORD_BYTES * (1 + entry * words)
        sweep.tree.insert(tree, words_at(at)[0], at + WORD_BYTES, -1)
    return 1 + words_at(saved)[0] * words


def save(sweep: CumulativeSweep, into):
    """[time][gone][starts][ends]"""
    words = 1 + sweep.plan.state_words
    if into != 0:
        words_at(into)[0] = sweep.time
        copy_words(into + WORD_BYTES, sweep.gone, sweep.plan.state_words)
    words += _save_tree(sweep, sweep.starts, into + WORD_BYTES * words if into != 0 else 0)
    return words + _save_tree(sweep, sweep.ends, into + WORD_BYTES * words if into != 0 else 0)


def load(sweep: CumulativeSweep, saved, there):
    words = 1 + sweep.plan.state_words
    if there < words:
        return False
    sweep.time = words_at(saved)[0]
    copy_words(sweep.gone, saved + WORD_BYTES, sweep.plan.state_words)
    words += _load_tree(sweep, sweep.starts, saved + WORD_BYTES * words, there - words)
    return words + _load_tree(sweep, sweep.ends, saved + WORD_BYTES * words, there - words) == there


def events_between(tree: PointKernel, entries: int, low: int, high: int) -> int:
    """How many the entries of a tree in [low, high) cover."""
    if tree.is_empty(entries):
        return 0
    return int(words_of(tree.range_query(entries, low, high), 1)[0])


def check(address: int, plan: Plan) -> None:
    """O(log events)."""
    sweep = CumulativeSweep(address)
    tree, gone = sweep.tree, words_of(sweep.gone, plan.state_words)[0]
    started, ended = (events_between(tree, each, -FOREVER, FOREVER) for each in (sweep.starts, sweep.ends))
    assert gone >= 0, "gone: no more events ended than had started"
    assert gone + started == ended, f"ends: {gone} open events and {started} that start later have {ended} ends"
    assert tree.oldest(sweep.starts) > sweep.time, "starts: none lies before the time up to which all are gone"
    assert tree.oldest(sweep.ends) > sweep.time + 1, "ends: none lies before the first window"


class SweepingWindow(SpanWindow):
    """Of kernels that sweep, with finger trees as indexes."""

    SERVES: Callable[[AnyAggregate], bool]

    @classmethod
    def refuse(cls, specs: Sequence[AggregateSpec]) -> None:
        """NotServed for an aggregate that is none of those served."""
        super().refuse(specs)
        for spec in specs:
            if not cls.SERVES(find_monoid(spec)[1]):
                what = f"aggregate of {cls.kernel_name()}"
                raise NotServed(what, in_words(spec), those_with(cls.SERVES), spec.function)

    @classmethod
    def pane_option(cls, options: Mapping[str, int]) -> int:
        """Where the operations of its indexes stand."""
        return finger_tree.KERNEL.dispatch().address

    def _pieces(self, low: int, high: int) -> int:
        return 1  # an event is put into an index, however long it is


class CumulativeSweeping(SweepingWindow):
    """With n events that are open: insert_span O(log n), state O(log n), evict O(log n).

    Memory: two entries of a finger tree for each event that is open.
    """

    OPERATIONS = (create, destroy, reset, insert_span, state, evict, oldest, first_from, is_empty, save, load)
    SERVES, _check = staticmethod(has_inverse), staticmethod(check)


KERNEL = CumulativeSweeping
