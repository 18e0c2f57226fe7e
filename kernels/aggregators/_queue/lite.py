"""What the two lite kernels share: entries before MIDDLE, the front, hold aggregates in the place of their own states.

    [FIRST … the front … MIDDLE … the back, as it was inserted … CLOSED, the open entry, END)

The state at FIRST covers all of the front; BACK is the aggregate of [MIDDLE, CLOSED).
"""

from kernels.aggregators._queue.layout import (
    BACK,
    CLOSED,
    END,
    FIRST,
    MIDDLE,
    PLAN,
    RESULT,
    STATE_BYTES,
    STATES,
    VALUES,
    before_wrap,
    clear_scratch,
    fold_between,
    is_empty,
    scratch,
    state_at,
)
from kernels.memory import inner, load, not_inlined
from kernels.states import merge, suffixes


@inner
def query(queue):
    """Address of the aggregate of all entries, valid until the next call: front ⊗ back ⊗ open entry. O(1)."""
    not_inlined()
    if is_empty(queue):
        return clear_scratch(queue, RESULT)
    plan, result, back = load(queue, PLAN), scratch(queue, RESULT), scratch(queue, BACK)
    first, middle = load(queue, FIRST), load(queue, MIDDLE)
    if first < middle and middle < load(queue, CLOSED):
        merge(plan, result, state_at(queue, first), back)
        back = result
    elif first < middle:
        back = state_at(queue, first)
    merge(plan, result, back, state_at(queue, load(queue, END) - 1))
    return result


@inner
def suffixes_between(queue, first, end, carry):
    """Entry i of [first, end), holding its own state, comes to hold entries i, …, end − 1, ⊗ carry (an address, or 0).
    """
    not_inlined()
    if first < end:
        here = before_wrap(queue, first, end - first)
        if here < end - first:
            _suffix_row(queue, load(queue, STATES), end - first - here, carry)
            carry = load(queue, STATES)
        _suffix_row(queue, state_at(queue, first), here, carry)


@inner
def _suffix_row(queue, start, states, carry):
    plan, size = load(queue, PLAN), load(queue, STATE_BYTES)
    if carry != 0:
        last = start + (states - 1) * size
        merge(plan, last, last, carry)
    suffixes(plan, start, size, start, size, states)


@inner
def append_back(queue, into, first, last):
    """into ⊗= the entries [first, last), none of them in the front; O(1) if that is all from MIDDLE on."""
    not_inlined()
    closed = load(queue, CLOSED)
    if first <= load(queue, MIDDLE) and last >= closed:
        merge(load(queue, PLAN), into, into, scratch(queue, BACK))
        first = closed
    fold_between(queue, into, STATES, first, last)


@inner
def fold_values(queue, into, first, last):
    """into ⊗= the entries [first, last), from their kept values; False if none are kept."""
    if load(queue, VALUES) == 0:
        return False
    fold_between(queue, into, VALUES, first, last)
    return True
