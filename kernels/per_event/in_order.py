"""A key in order of time: two stacks over the columns themselves, nothing is stored but the front.

times   1   2   3   4 | 5   6        window of 4: after event 6 it holds 3 4 5 6
front   …   …   34  4 | back: 56     answer = front of 3 ⊗ back; when the front is used up, it is made again from
                                     the events still in the window
"""

from functools import cache

from kernels.per_event.context import BATCH, PerEvent, folded, lower_batch, make_room_in_front
from kernels.per_event.kernel import Answering, AnswerKernel, compiled_answering
from kernels.runtime.memory import WORD_BYTES, inner, not_inlined
from kernels.states import clear, copy_words, lift_each, lift_rows, merge_each, prefixes, suffixes


def answer(run: PerEvent, first, end):
    """Answers of the events [first, end) of one key. O(1) amortised each."""
    run.stacks.times = run.times
    start_windows(run, first, end)
    while run.stacks.next < end:
        event = run.stacks.next
        lower_batch(run, event, take_windows(run))


@inner
def start_windows(run, first, end):
    """Before the first of the entries [first, end)."""
    stacks = run.stacks
    stacks.begin = stacks.low = stacks.middle = stacks.next = first
    stacks.end = end
    clear(run.plan, run.young)


@inner
def take_windows(run):
    """Take up to BATCH entries more; the batch's `folded` has the aggregate of the window after each of them. Returns
    how many."""
    stacks = run.stacks
    taken = _find_older(run)
    if taken == 0:
        _make_front(run)
        taken = _find_older(run)
    _fold_batch(run, taken)
    merge_each(run.plan, run.batch.folded, run.state_bytes, run.batch.olders, taken)
    stacks.next += taken
    return taken


@inner
def _find_older(run):
    """For how many entries the front lasts."""
    not_inlined()
    stacks, olders, identity, state_bytes = run.stacks, run.batch.olders, run.identity, run.state_bytes
    times, low, middle, size = stacks.times, stacks.low, stacks.middle, run.size
    coming, suffix = times[stacks.next :], run.front + (low - stacks.begin) * state_bytes
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
def _fold_batch(run, taken):
    """The running fold of some entries, behind the back, which they are part of from then on."""
    states, state_bytes = run.batch.folded, run.state_bytes
    _lift(run, states, run.stacks.next, taken)
    prefixes(run.plan, states, state_bytes, states, taken, run.young)
    copy_words(run.young, folded(run, taken - 1), state_bytes // WORD_BYTES)


@inner
def _make_front(run):
    """Suffix aggregates of the whole window; the back becomes empty."""
    not_inlined()
    stacks = run.stacks
    stacks.begin, stacks.middle = stacks.low, stacks.next
    entries = stacks.middle - stacks.begin
    make_room_in_front(run, entries)
    _lift(run, run.front, stacks.begin, entries)
    suffixes(run.plan, run.front, run.state_bytes, run.front, run.state_bytes, entries)
    clear(run.plan, run.young)


@inner
def _lift(run, into, entry, entries):
    """States of the entries from `entry` on."""
    stacks = run.stacks
    if stacks.rows.address == 0:
        lift_each(run.plan, into, run.state_bytes, run.events, entry, entry + entries)
        return
    chosen = run.batch.places
    for begin in range(entry, entry + entries, BATCH):
        here = min(BATCH, entry + entries - begin)
        for place in range(here):
            chosen[place] = stacks.first_row + stacks.rows[begin + place]
        lift_rows(run.plan, into + (begin - entry) * run.state_bytes, run.state_bytes, run.events, chosen, here)


@cache
def answering() -> Answering:
    """The table, compiled or loaded when it is first asked for."""
    return compiled_answering("two_stacks_lite", answer=answer)


KERNEL = AnswerKernel("two_stacks_lite", answering, in_order_only=True)
