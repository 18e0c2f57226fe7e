"""What a kernel of events that last can be asked: a table of compiled functions, one per operation.

Its object (_window.py) and a replay (kernels/replay/numbered/spans.py) call through this table, and know nothing else
of the kernel; kernels/runtime/tables.py says why.
"""

from windrow.kernels.runtime.fields import Address, Count, Microseconds, Place, Ref, Word
from windrow.kernels.runtime.operations import Operation
from windrow.kernels.runtime.struct import Struct
from windrow.kernels.states.layout import StatePlan


class SpanKernel(Struct):
    """The operations, s being the structure that `create` made. Windows are those of the grid that it was made with;
    [low, high) is one of them, or the interval of an event. Times in µs.

    create(plan, window, option) → structure; the option is what the kernel's class gives
    destroy(s), reset(s): give it back; make it empty
    insert_span(s, low, high, state): an event of [low, high), high > low, or several that meet the same slices
    state(s, cursor, low, high) → address of the aggregate of all events that meet the window [low, high), valid until
        the next call. cursor: number of the reader, below CURSORS; a reader whose windows never go back is answered
        quickest
    complete(s, low, high, state) → address of the same, given the aggregate of what ends in its slices, which a walk
        has (kernels/replay/numbered/walk.py); 0 of kernels without slices
    evict(s, time): what no window needs that begins behind it
    oldest(s) → a time before which no window ends that has events; first_from(s, time) → the same of windows that begin
        from then on, at least `time`. FOREVER if there is none
    is_empty(s) → 1 or 0
    save(s, into) → words of all that it holds, written unless `into` is 0; load(s, saved, words) → 1: an empty one got
        it; 0: that isn't what stands in so many words
    """

    create: Operation("StatePlan", "KernelWindow", Word)
    destroy: Operation(Address)
    reset: Operation(Address)
    insert_span: Operation(Address, Microseconds, Microseconds, Address)
    state: Operation(Address, Place, Microseconds, Microseconds)
    complete: Operation(Address, Microseconds, Microseconds, Address)
    evict: Operation(Address, Microseconds)
    oldest: Operation(Address)
    first_from: Operation(Address, Microseconds)
    is_empty: Operation(Address)
    save: Operation(Address, Address)
    load: Operation(Address, Address, Count)


class KeySpans(Struct):
    """With this begins the structure of each kernel. result: a state to answer with, if it needs one."""

    plan: Ref(StatePlan)
    result: Address


CURSORS = 3
