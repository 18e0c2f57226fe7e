"""A key in order of time: two stacks over the columns themselves, nothing is stored but the front.

times   1   2   3   4 | 5   6        window of 4: after event 6 it holds 3 4 5 6
front   …   …   34  4 | back: 56     answer = front of 3 ⊗ back; when the front is used up, it is made again from
                                     the events still in the window
"""

from functools import cache

from kernels.per_event.context import BATCH, PerEvent, fold_batch, lower_batch, make_room_in_front
from kernels.per_event.kernel import Answering, AnswerKernel, compiled_answering
from kernels.runtime.memory import inner, not_inlined
from kernels.states import clear, lift_each, lift_rows, merge_each, suffixes


def answer(context: PerEvent, first, end):
    """Answers of the events [first, end) of one key. O(1) amortised each."""
    context.stacks.times = context.times
    start_windows(context, first, end)
    while context.stacks.next < end:
        event = context.stacks.next
        lower_batch(context, event, take_windows(context))


@inner
def start_windows(context, first, end):
    """Before the first of the entries [first, end)."""
    stacks = context.stacks
    stacks.begin = stacks.low = stacks.middle = stacks.next = first
    stacks.end = end
    clear(context.plan, context.young)


@inner
def take_windows(context):
    """Take up to BATCH entries more; the batch's `folded` has the aggregate of the window after each of them. Returns
    how many."""
    stacks = context.stacks
    taken = _find_older(context)
    if taken == 0:
        _make_front(context)
        taken = _find_older(context)
    _fold_next(context, taken)
    merge_each(context.plan, context.batch.folded, context.state_bytes, context.batch.olders, taken)
    stacks.next += taken
    return taken


@inner
def _find_older(context):
    """For how many entries the front lasts."""
    not_inlined()
    stacks, olders, identity, state_bytes = context.stacks, context.batch.olders, context.identity, context.state_bytes
    times, low, middle, size = stacks.times, stacks.low, stacks.middle, context.size
    coming, suffix = times[stacks.next :], context.front + (low - stacks.begin) * state_bytes
    taken = batch = min(BATCH, stacks.end - stacks.next)
    for place in range(batch):
        until = coming[place] - size
        while times[low] <= until:
            low += 1
            suffix += state_bytes
        if low > middle:
            taken = place
            break
        olders[place] = suffix if low < middle else identity
    stacks.low = low
    return taken


@inner
def _fold_next(context, taken):
    """The running fold of some entries, behind the back, which they are part of from then on."""
    states = context.batch.folded
    _lift(context, states, context.stacks.next, taken)
    fold_batch(context, states, taken, context.young)


@inner
def _make_front(context):
    """Suffix aggregates of the whole window; the back becomes empty."""
    not_inlined()
    stacks = context.stacks
    stacks.begin, stacks.middle = stacks.low, stacks.next
    entries = stacks.middle - stacks.begin
    make_room_in_front(context, entries)
    _lift(context, context.front, stacks.begin, entries)
    suffixes(context.plan, context.front, context.state_bytes, context.front, context.state_bytes, entries)
    clear(context.plan, context.young)


@inner
def _lift(context, into, entry, entries):
    """States of the entries from `entry` on."""
    stacks = context.stacks
    if stacks.rows.address == 0:
        lift_each(context.plan, into, context.state_bytes, context.events, entry, entry + entries)
        return
    chosen = context.batch.places
    for begin in range(entry, entry + entries, BATCH):
        here = min(BATCH, entry + entries - begin)
        for place in range(here):
            chosen[place] = stacks.first_row + stacks.rows[begin + place]
        lift_rows(
            context.plan,
            into + (begin - entry) * context.state_bytes,
            context.state_bytes,
            context.events,
            chosen,
            here,
        )


@cache
def answering() -> Answering:
    """The table, compiled or loaded when it is first asked for."""
    return compiled_answering("two_stacks_lite", answer=answer)


KERNEL = AnswerKernel("two_stacks_lite", answering, in_order_only=True)
