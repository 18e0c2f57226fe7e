"""What the queues that take events in order of time, and evict them from the old end, are made of.

    [first … the front … middle … the back, as it was inserted … closed, the open entry, end)

`back` is the aggregate of [middle, closed). Of the two lite kernels the front holds aggregates in place of the entries'
own states, that at `first` of all of the front; of others it is empty. Before the middle stand the regions of DABA too
(daba_lite.py says what each holds), which are empty elsewhere: `left`, `right` and `accumulator` are 0 there.
"""

from collections.abc import Callable

from windrow.kernels.aggregators._dispatch import DONE, NOT_OLDEST, NOTHING, OUT_OF_ORDER, all_differ
from windrow.kernels.aggregators._window import PointWindow
from windrow.kernels.aggregators.baselines._queue import (
    READS,
    Queue,
    before_wrap,
    fold_between,
    is_empty,
    place,
    reserve,
    reset,
    search,
    state_at,
    time_at,
)
from windrow.kernels.runtime.addresses import named_inner
from windrow.kernels.runtime.fields import Times
from windrow.kernels.runtime.memory import WORD_BYTES, inner, move, not_inlined
from windrow.kernels.states import clear, copy_state, gather, lift_each, merge, suffixes
from windrow.schemas.errors import WrongParameter


def in_order_operations(kernel: str, take_up, drop) -> tuple[Callable, ...]:
    """Of a kernel of that name.

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
    return (*READS, append_range, range_query, query, *changes)


@inner
def append(queue, time, state):
    """Put (time, state) at the young end, combined into the open entry if that has this time; DONE, or OUT_OF_ORDER.

    `state` must not lie in the queue's blocks. The kernel then takes up what is closed: [closed, end − 1).
    """
    not_inlined()
    if not is_empty(queue):
        youngest_time, open_state = time_at(queue, queue.end - 1), state_at(queue, queue.end - 1)
        if time < youngest_time:
            return OUT_OF_ORDER
        if time == youngest_time:
            merge(queue.plan, open_state, open_state, state)
            _keep(queue, queue.end - 1)
            return DONE
    reserve(queue, 1)
    queue.times[place(queue, queue.end)] = time
    copy_state(queue, state_at(queue, queue.end), state)
    queue.end += 1
    _keep(queue, queue.end - 1)
    return DONE


@inner
def append_burst(queue, times, events, rows):
    """The same with events whose times ascend; row i of `events` is at times[i].

    A burst that starts too early changes nothing.
    """
    not_inlined()
    row, first_changed = 0, queue.end
    if rows > 0 and not is_empty(queue):
        youngest_time = time_at(queue, queue.end - 1)
        if times[0] < youngest_time:
            return OUT_OF_ORDER
        if times[0] == youngest_time:  # the leading events go into the open entry
            row, open_state = _group_end(times, 0, rows), state_at(queue, queue.end - 1)
            gather(queue.plan, queue.new, events, 0, row)
            merge(queue.plan, open_state, open_state, queue.new)
        first_changed -= 1
    reserve(queue, rows - row)
    if all_differ(times, row, rows):
        _append_each(queue, times, events, row, rows)
    else:
        _append_groups(queue, times, events, row, rows)
    _keep(queue, first_changed)
    return DONE


@inner
def _group_end(times, row, rows):
    """First row behind those of the same time."""
    time = times[row]
    while row < rows and times[row] == time:
        row += 1
    return row


@inner
def _append_each(queue, times, events, row, rows):
    """An entry per event: one call for the times and one for the states, two where the ring ends in between."""
    while row < rows:
        at, here = place(queue, queue.end), before_wrap(queue, queue.end, rows - row)
        if here == 1:
            queue.times[at] = times[row]
        else:
            move(queue.times[at:], times[row:], here)
        lift_each(queue.plan, state_at(queue, queue.end), queue.state_bytes, events, row, row + here)
        queue.end += here
        row += here


@inner
def _append_groups(queue, times, events, row, rows):
    """An entry per time."""
    not_inlined()
    while row < rows:
        next_row = _group_end(times, row, rows)
        queue.times[place(queue, queue.end)] = times[row]
        gather(queue.plan, state_at(queue, queue.end), events, row, next_row)
        queue.end += 1
        row = next_row


@inner
def _keep(queue, first):
    """Copy the states of the entries from `first` on to the values, if values are kept."""
    size = queue.state_bytes
    while queue.values != 0 and first < queue.end:
        here = before_wrap(queue, first, queue.end - first)
        move(queue.values + place(queue, first) * size, state_at(queue, first), here * (size // WORD_BYTES))
        first += here


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
        return clear(queue.plan, queue.result)
    back = queue.back
    if queue.first < queue.middle:
        merge(queue.plan, queue.result, state_at(queue, queue.first), back)
        back = queue.result
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


@inner
def append_range(queue: Queue, low, high, into):
    """into ⊗= the aggregate of the times in [low, high). O(1) if the range reaches from the front to the youngest, else
    O(entries in range). False if it is not kept: of a range that ends before the middle, where states became
    aggregates and no values are kept."""
    not_inlined()
    first, last = search(queue, low, False), search(queue, high, False)
    if first >= last:
        return True
    if last < queue.middle:
        return _append_inside(queue, into, first, last)
    if first < queue.middle:
        _append_front(queue, into, first)
    _append_back(queue, into, max(first, queue.middle), last)
    return True


@inner
def range_query(queue: Queue, low, high):
    result = clear(queue.plan, queue.result)
    return result if append_range(queue, low, high, result) else 0


@inner
def _append_inside(queue, into, first, last):
    """into ⊗= the entries [first, last), which end before the middle; False if they are not kept."""
    if queue.right <= first and last <= queue.accumulator:
        fold_between(queue, into, queue.states, first, last)
        return True
    if queue.values == 0:
        return False
    fold_between(queue, into, queue.values, first, last)
    return True


@inner
def _append_front(queue, into, first):
    """into ⊗= the entries from `first` to before the middle: O(1), but for those in the right."""
    right, accumulator = queue.right, queue.accumulator
    if right <= first < accumulator:
        fold_between(queue, into, queue.states, first, accumulator)
        first = accumulator
    if first < queue.middle:
        merge(queue.plan, into, into, state_at(queue, first))
    if queue.left <= first < right:
        merge(queue.plan, into, into, queue.middle_sum)


@inner
def _append_back(queue, into, first, last):
    """into ⊗= the entries [first, last), none of them in the front; O(1) if that is all from the middle on."""
    not_inlined()
    if first <= queue.middle and last >= queue.closed:
        merge(queue.plan, into, into, queue.back)
        first = queue.closed
    fold_between(queue, into, queue.states, first, last)


class LiteWindow(PointWindow):
    """keep_values: also keep what the kernel overwrites with aggregates, so that range_query answers any range."""

    OPTIONS = ("keep_values",)
    IN_ORDER_ONLY = True

    @classmethod
    def option_words(cls, keep_values: bool = True) -> tuple[int, int]:
        if type(keep_values) is not bool:
            raise WrongParameter("keep_values", keep_values, "True or False")
        return int(keep_values), 0
