"""Operations of the queues that take events in order of time and evict them from the old end, made from what differs
between them: what a kernel does after an insertion, and what it does when entries go."""

import functools

from kernels.aggregators._dispatch import DONE
from kernels.aggregators._queue.append import append, append_burst
from kernels.aggregators._queue.layout import Queue, fold_between, reset
from kernels.aggregators._queue.search import can_evict, search
from kernels.runtime.addresses import named_inner
from kernels.runtime.fields import Times
from kernels.runtime.memory import inner


@inner
def take_up_closed(queue):
    """back ⊗= what the open entry no longer holds back."""
    if queue.closed < queue.end - 1:
        fold_between(queue, queue.back, queue.states, queue.closed, queue.end - 1)
        queue.closed = queue.end - 1


def insertion(kernel: str, take_up) -> dict:
    """take_up(queue): after an insertion, aggregate [closed, end − 1)."""
    named = functools.partial(named_inner, kernel)

    @named
    def insert(queue: Queue, time, state, row):
        status = append(queue, time, state)
        take_up(queue)
        return status

    @named
    def insert_burst(queue: Queue, times: Times, events, rows):
        status = append_burst(queue, times, events, rows)
        take_up(queue)
        return status

    return {"insert": insert, "insert_burst": insert_burst}


def eviction(kernel: str, drop) -> dict:
    """drop(queue, ordinal): forget the entries before `ordinal`, which are some and not all."""
    named = functools.partial(named_inner, kernel)

    @named
    def drop_until(queue, ordinal):
        if ordinal == queue.first:
            return
        if ordinal == queue.end:
            reset(queue)
        else:
            drop(queue, ordinal)

    @named
    def evict(queue: Queue, time):
        status = can_evict(queue, time)
        if status == DONE:
            drop_until(queue, queue.first + 1)
        return status

    @named
    def bulk_evict(queue: Queue, time):
        drop_until(queue, search(queue, time, True))

    return {"evict": evict, "bulk_evict": bulk_evict}
