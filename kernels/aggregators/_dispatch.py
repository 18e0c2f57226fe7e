"""What a kernel of point events can be asked: a table of compiled functions, one per operation.

Its object, a replay that keeps panes in it and the answers after each event all call through this table
(kernels/runtime/tables.py says why), and know nothing else of the kernel.
"""

from windrow.kernels.runtime.fields import Address, Count, Microseconds, Place, Tail, Times, Word
from windrow.kernels.runtime.memory import inner
from windrow.kernels.runtime.operations import Operation
from windrow.kernels.runtime.struct import Struct

FOREVER = (1 << 63) - 1
DONE, NOTHING, OUT_OF_ORDER, NOT_OLDEST = range(4)
"""Statuses: done; nothing is there; nothing was inserted, since it begins before the youngest; not the oldest."""


class Entry(Struct):
    """What copy_entries writes of each entry: its time and its own state. They stand side by side:

    [time · state · ·][time · state · ·]        `entry_bytes` apart
    """

    time: Microseconds
    state: Tail(Word)


TIME_BYTES = Entry.size_bytes


@inner
def entry_bytes(state_bytes):
    """From one entry to the next."""
    return TIME_BYTES + state_bytes


@inner
def all_differ(times, first, end):
    """Whether no two that follow one another are equal, of ascending times. Without a way out of the loop, so that it
    is compiled to vector instructions."""
    equal = 0
    for row in range(first + 1, end):
        equal += times[row] == times[row - 1]
    return equal == 0


class PointKernel(Struct):
    """The operations, s being the structure that `create` made; a kernel that doesn't serve one has 0 there. Times are
    keys on any axis of int64: event times in µs, arrival ordinals, ranks.

    create(plan, option, option) → structure; options are those that the kernel's class gives
    destroy(s), reset(s): give it back; make it empty
    insert(s, time, state, row) → status; row: of the event in its replay, or −1
    insert_burst(s, times, events, rows) → status: row i of `events` at times[i], which ascend
    insert_sorted(s, times, states, rows), stage(s, time, state): for kernels/per_event, which keeps the query's young
        part itself
    evict(s, time) → status; bulk_evict(s, time) → status: everything up to it
    query(s), range_query(s, low, high) → address of an aggregate, valid until the next operation; 0 if it is not kept
    append_range(s, low, high, into): into ⊗= the aggregate of [low, high)
    oldest(s) → time, FOREVER if it is empty; youngest(s) → time, −FOREVER if it is empty
    first_from(s, time) → time of the first entry at or after it, FOREVER if there is none
    first_where(s, predicate, parameters, into) → time of the first entry at which predicate(total, prefix, parameters),
        a function by address over the states of the window and of all up to and with that entry, is 1 and not 0;
        FOREVER if it is at none, or returned less than 0: it failed. The prefix is written to `into`
    is_empty(s) → 1 or 0; count(s), count_between(s, low, high) → entries
    copy_entries(s, low, high, target): an Entry of each
    """

    create: Operation("StatePlan", Word, Word)
    destroy: Operation(Address)
    reset: Operation(Address)
    insert: Operation(Address, Microseconds, Address, Place)
    insert_burst: Operation(Address, Times, Address, Count)
    insert_sorted: Operation(Address, Times, Address, Count)
    stage: Operation(Address, Microseconds, Address)
    evict: Operation(Address, Microseconds)
    bulk_evict: Operation(Address, Microseconds)
    query: Operation(Address)
    range_query: Operation(Address, Microseconds, Microseconds)
    append_range: Operation(Address, Microseconds, Microseconds, Address)
    oldest: Operation(Address)
    youngest: Operation(Address)
    first_from: Operation(Address, Microseconds)
    first_where: Operation(Address, Address, Address, Address)
    is_empty: Operation(Address)
    count: Operation(Address)
    count_between: Operation(Address, Microseconds, Microseconds)
    copy_entries: Operation(Address, Microseconds, Microseconds, Address)
