"""What the queues that take events in order of time, and evict them from the old end, are made of.

    [first … the front … middle … the back, as it was inserted … closed, the open entry, end)

`back` is the aggregate of [middle, closed). Of the two lite kernels the front holds aggregates in place of the entries'
own states, that at `first` of all of the front; of others it is empty.
"""

from collections.abc import Callable

from kernels.aggregators._dispatch import DONE, NOT_OLDEST, NOTHING, PointKernel
from kernels.aggregators._queue import (
    Queue,
    before_wrap,
    cleared,
    fold_between,
    is_empty,
    reset,
    search,
    state_at,
    time_at,
)
from kernels.aggregators._queue.operations import append, append_burst, queue_kernel
from kernels.aggregators._window import PointWindow
from kernels.runtime.addresses import named_inner
from kernels.runtime.fields import Times
from kernels.runtime.memory import inner, not_inlined
from kernels.runtime.tables import by_name
from kernels.states import merge, suffixes
from schemas.errors import WrongParameter


def in_order_kernel(kernel: str, append_range, take_up, drop) -> Callable[[], PointKernel]:
    """What gives a kernel's table, as queue_kernel.

    take_up(queue): after an insertion, aggregate [closed, end − 1)
    drop(queue, ordinal): forget the entries before `ordinal`, which are some and not all
    """

    def insert(queue: Queue, time, state, row):
        status = append(queue, time, state)
        take_up(queue)
        return status

    def insert_burst(queue: Queue, times: Times, events, rows):
        status = append_burst(queue, times, events, rows)
        take_up(queue)
        return status

    def drop_until(queue, ordinal):
        if ordinal == queue.first:
            return
        if ordinal == queue.end:
            reset(queue)
        else:
            drop(queue, ordinal)

    forget = named_inner(kernel, drop_until)

    def evict(queue: Queue, time):
        ordinal = search(queue, time, False)
        if ordinal == queue.end or time_at(queue, ordinal) != time:
            return NOTHING
        if ordinal > queue.first:
            return NOT_OLDEST
        forget(queue, ordinal + 1)
        return DONE

    def bulk_evict(queue: Queue, time):
        forget(queue, search(queue, time, True))

    changes = (named_inner(kernel, each) for each in (insert, insert_burst, evict, bulk_evict))
    return queue_kernel(kernel, query, append_range, by_name(*changes))


@inner
def take_up_closed(queue):
    """back ⊗= what the open entry no longer holds back."""
    if queue.closed < queue.end - 1:
        fold_between(queue, queue.back, queue.states, queue.closed, queue.end - 1)
        queue.closed = queue.end - 1


@inner
def query(queue: Queue):
    """Address of the aggregate of all entries, valid until the next call: front, if there is one, ⊗ back ⊗ open entry.
    O(1)."""
    not_inlined()
    if is_empty(queue):
        return cleared(queue, queue.result)
    back = queue.back
    if queue.first < queue.middle and queue.middle < queue.closed:
        merge(queue.plan, queue.result, state_at(queue, queue.first), back)
        back = queue.result
    elif queue.first < queue.middle:
        back = state_at(queue, queue.first)
    merge(queue.plan, queue.result, back, state_at(queue, queue.end - 1))
    return queue.result


@inner
def suffixes_between(queue, first, end, carry):
    """Entry i of [first, end), holding its own state, then holds entries i, …, end − 1, ⊗ carry (an address, or 0)."""
    not_inlined()
    if first < end:
        here = before_wrap(queue, first, end - first)
        if here < end - first:
            _suffix_row(queue, queue.states, end - first - here, carry)
            carry = queue.states
        _suffix_row(queue, state_at(queue, first), here, carry)


@inner
def _suffix_row(queue, start, states, carry):
    size = queue.state_bytes
    if carry != 0:
        last = start + (states - 1) * size
        merge(queue.plan, last, last, carry)
    suffixes(queue.plan, start, size, start, size, states)


def append_range_of(kernel: str, append_inside, append_front):
    """append_range(queue, low, high, into): into ⊗= the aggregate of the times in [low, high); False if it is not kept.

    append_inside(queue, into, first, last) → whether it is kept: of a range that ends before the middle;
    append_front(queue, into, first): of the entries from `first`, which is in the front, to before the middle.
    """

    def append_range(queue: Queue, low, high, into):
        not_inlined()
        first, last = search(queue, low, False), search(queue, high, False)
        if first >= last:
            return True
        if last < queue.middle:
            return append_inside(queue, into, first, last)
        if first < queue.middle:
            append_front(queue, into, first)
        _append_back(queue, into, max(first, queue.middle), last)
        return True

    return named_inner(kernel, append_range)


@inner
def _append_back(queue, into, first, last):
    """into ⊗= the entries [first, last), none of them in the front; O(1) if that is all from the middle on."""
    not_inlined()
    if first <= queue.middle and last >= queue.closed:
        merge(queue.plan, into, into, queue.back)
        first = queue.closed
    fold_between(queue, into, queue.states, first, last)


@inner
def append_values(queue, into, first, last):
    """into ⊗= the entries [first, last), from their kept values; False if none are kept."""
    if queue.values == 0:
        return False
    fold_between(queue, into, queue.values, first, last)
    return True


class LiteWindow(PointWindow):
    """keep_values: also keep what the kernel overwrites with aggregates, so that range_query answers any range."""

    OPTIONS = ("keep_values",)
    IN_ORDER_ONLY = True

    @classmethod
    def pane_option(cls, options):
        """Values are kept."""
        return 1

    def _option_words(self, keep_values: bool = True) -> tuple[int, int]:
        if type(keep_values) is not bool:
            raise WrongParameter("keep_values", keep_values, "True or False")
        return 1 if keep_values else 0, 0
