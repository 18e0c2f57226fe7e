"""Rolling windows (u − size, u] over events that are all known: one key's, in order of time.

    arrive   3  1  4  4             ascending  1  3  4  4      rows  1  0  2  3
    after each entry                a  ab  abc  abcd           the window u is what is there after the last entry of
                                                               time u: windows 1, 3 and 4

The answers after each event of a key in order are its rolling windows too, but for events of one time: of those only
the last one's answer is the window's.
"""

from kernels.per_event.context import PerEvent, allocate_batch, release_batch
from kernels.per_event.in_order import start_windows
from kernels.ranks.disorder import count_in_order
from kernels.runtime.memory import WORD_BYTES, inner, not_inlined, release
from kernels.runtime.struct import allocate, words_at
from kernels.states.layout import StatePlan


@inner
def create_windows(plan):
    """A structure that takes one key's windows after the other's."""
    not_inlined()
    plan = StatePlan(plan)
    context = allocate(PerEvent)
    context.plan, context.state_bytes = plan, WORD_BYTES * plan.state_words
    allocate_batch(context)
    return context


@inner
def destroy_windows(context):
    release_batch(context)
    release(context.address)


@inner
def start_rolling(context, times, first, end, ranked):
    """The events [first, end) of the columns. times: of all keys, as they arrived; ranked: (ascending, rows) of all
    keys, as kernels/ranks/sort.py has them, which a key in order needn't have."""
    not_inlined()
    stacks = context.stacks
    ascending, rows = ranked
    if count_in_order(times[first:], end - first) == end - first:
        stacks.times, stacks.rows = times, words_at(0)
        start_windows(context, first, end)
    else:
        stacks.times, stacks.rows, stacks.first_row = ascending[first:], rows[first:], first
        start_windows(context, 0, end - first)


@inner
def ends_window(context, entry):
    """Whether an entry is the last of its time."""
    stacks = context.stacks
    return entry + 1 == stacks.end or stacks.times[entry + 1] != stacks.times[entry]
