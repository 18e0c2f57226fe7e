"""What a window's content stands in while it moves from row to row of a key.

by_enter    · · a b c d │ e f       windows that end behind `enters` hold the event
by_leave    a │ b c d e f · ·       … that start by `leaves`
by_arrival  a b d e │ f   c │       on time, and late: those that had arrived by the row's tick
"""

from kernels.runtime.fields import Array, Count, Inline, Microseconds, Place, Pointer, Word
from kernels.runtime.struct import BYTE, Struct
from kernels.states.layout import MOST_PARAMETERS


class RankedValues(Struct):
    """The values that a window holds, by their ranks among the different values of its key.

    different: how many of these there are, `values` in order; height: the least power of two that isn't below it; held:
    how many values the window holds; memory: the aggregate's own, zeros for a window that holds none
    """

    different: Count
    height: Count
    held: Count
    values: Pointer(Word)
    memory: Pointer(Word)
    parameters: Array(Word, MOST_PARAMETERS)


class MovingContent(Struct):
    """Events of many keys, by number, rows of the same, and the row whose content is held.

    enters, leaves: windows that end behind the one and start by the other hold the event; is_late: whether it came
        when the watermark had passed it
    by_enter, by_leave, by_arrival: events of each key in these orders, of the last those on time before the late ones;
        first_of_key, first_late: places where they begin; first_value: where the key's different values begin
    row_keys, starts, ends: of the rows; known_at, on_time_until: the last arrivals of late events and others that count
    answers, nulls: a word and a byte a row
    key, start, end, known: of the row whose content is held; entered, left, arrived: the places up to which that goes
    """

    held: Inline(RankedValues)
    memory_words: Count
    ranks: Pointer(Place)
    enters: Pointer(Microseconds)
    leaves: Pointer(Microseconds)
    arrivals: Pointer(Microseconds)
    is_late: Pointer(BYTE)
    by_enter: Pointer(Place)
    by_leave: Pointer(Place)
    by_arrival: Pointer(Place)
    first_of_key: Pointer(Place)
    first_late: Pointer(Place)
    first_value: Pointer(Place)
    values: Pointer(Word)
    row_keys: Pointer(Place)
    starts: Pointer(Microseconds)
    ends: Pointer(Microseconds)
    known_at: Pointer(Microseconds)
    on_time_until: Pointer(Microseconds)
    answers: Pointer(Word)
    nulls: Pointer(BYTE)
    key: Place
    start: Microseconds
    end: Microseconds
    known: Array(Microseconds, 2)
    entered: Place
    left: Place
    arrived: Array(Place, 2)
