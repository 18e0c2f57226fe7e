"""What a heavy function is given of a window: its tuples where they lie, in stretches, in order of event time.

    shared buffer    │ 1 2 3 │ 4 5 6 │ 7 8 9 │        a window of 3 … 8 is stretches [3], [4 5 6], [7 8]
                         └────────────────┘           no tuple is copied

    for s in range(content.stretch_count):
        stretch = content.stretches[s]
        values = column_of(stretch, 0)
        for i in range(stretch.count):
            … stretch.times[i], values[i] …

A function that needs its values in one piece, to sort them say, copies them into its scratch memory (`gather`).
"""

from windrow.kernels.farm.monitor import watched_word
from windrow.kernels.runtime.fields import Address, Count, Float, Inline, Microseconds, Pointer, Tail, Times
from windrow.kernels.runtime.memory import inner
from windrow.kernels.runtime.struct import Struct

OK, TOO_FEW, NOT_CONVERGED, SINGULAR, NOT_FINITE, RAISED, OVER_TIME, INTERRUPTED, NO_MEMORY = range(9)
"""What a function says of a window; a function of the user's may say numbers of its own from FIRST_OWN on."""
OUTPUTS_LOST = (RAISED, OVER_TIME, INTERRUPTED)
"""Of these statuses whatever was written is null: it may be half of it."""
FIRST_OWN = 100
STATUSES = (
    *("ok", "too few tuples", "not converged", "singular", "not finite"),
    *("raised", "over time", "interrupted", "no memory"),
)
"""The same in words, by number."""
Real = Float("of the column's unit")


class TupleStretch(Struct):
    """Neighbouring tuples in one piece of memory; value i of column c is values[c * stride + i]."""

    count: Count
    times: Times
    values: Pointer(Real)
    stride: Count


class WindowContent(Struct):
    """A window's tuples, its bounds, and what the function was made with.

    scratch: floats that only this call uses, as many as the function asked for; their content is arbitrary
    stop: address of a word that isn't 0 once the call must end
    """

    count: Count
    columns: Count
    stretch_count: Count
    stretches: Pointer(Inline(TupleStretch))
    start: Microseconds
    end: Microseconds
    parameters: Pointer(Real)
    parameter_count: Count
    scratch: Pointer(Real)
    stop: Address


class Result(Struct):
    """Where a function writes its outputs: null before it is called, and what it leaves so stays null."""

    values: Tail(Real)


@inner
def must_stop(content):
    """The status with which the function must end now, or 0: to be asked at least every millisecond or so, since
    nothing else ends a call that takes too long."""
    return watched_word(content.stop)


@inner
def column_of(stretch, column):
    return stretch.values[column * stretch.stride :]


@inner
def gather(content, column, target, width=1):
    """Copy the values of a column, in order, into one piece of memory, or one into each record of `width` floats.
    O(count)."""
    place = 0
    for s in range(content.stretch_count):
        stretch = content.stretches[s]
        values = column_of(stretch, column)
        for i in range(stretch.count):
            target[width * (place + i)] = values[i]
        place += stretch.count
