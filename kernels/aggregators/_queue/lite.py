"""What the two lite kernels share: entries before `middle`, the front, hold aggregates in place of their own states.

    [first … the front … middle … the back, as it was inserted … closed, the open entry, end)

The state at `first` covers all of the front; `back` is the aggregate of [middle, closed).
"""

from kernels.aggregators._queue.layout import Queue, before_wrap, cleared, fold_between, is_empty, state_at
from kernels.aggregators._queue.search import search
from kernels.runtime.addresses import named_inner
from kernels.runtime.memory import inner, not_inlined
from kernels.states import merge, suffixes


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
