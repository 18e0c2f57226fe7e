"""Operations of the queues that take events in order of time and evict them from the old end, made from what differs
between them."""

import functools

from kernels.aggregators._doors import DONE
from kernels.aggregators._queue.append import append, append_burst
from kernels.aggregators._queue.door import Operations
from kernels.aggregators._queue.layout import BACK, CLOSED, END, FIRST, STATES, fold_between, reset, scratch
from kernels.aggregators._queue.search import can_evict, search
from kernels.memory import inner, load, store
from kernels.native import named_inner


@inner
def take_up_closed(queue):
    """BACK ⊗= what the open entry no longer holds back."""
    closed, end = load(queue, CLOSED), load(queue, END)
    if closed < end - 1:
        fold_between(queue, scratch(queue, BACK), STATES, closed, end - 1)
        store(queue, CLOSED, end - 1)


def operations_of(kernel: str, take_up, drop, query, append_range) -> Operations:
    """take_up(queue): after an insertion, aggregate [CLOSED, END − 1); drop(queue, ordinal): forget the entries before
    `ordinal`, which are some and not all; query, append_range: as in Operations."""
    named = functools.partial(named_inner, kernel)

    @named
    def insert(queue, time, state):
        status = append(queue, time, state)
        take_up(queue)
        return status

    @named
    def insert_burst(queue, times, source, rows):
        status = append_burst(queue, times, source, rows)
        take_up(queue)
        return status

    @named
    def drop_until(queue, ordinal):
        if ordinal == load(queue, FIRST):
            return
        if ordinal == load(queue, END):
            reset(queue)
        else:
            drop(queue, ordinal)

    @named
    def evict(queue, time):
        status = can_evict(queue, time)
        if status == DONE:
            drop_until(queue, load(queue, FIRST) + 1)
        return status

    @named
    def bulk_evict(queue, time):
        drop_until(queue, search(queue, time, True))

    return Operations(insert, insert_burst, evict, bulk_evict, query, append_range)
