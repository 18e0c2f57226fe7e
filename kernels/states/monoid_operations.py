"""The operations on states of a monoid, which it keeps in registers. tables.py binds the names that are None here to
each monoid's own functions and to what it says of itself, and compiles what comes out. What calls nothing of a monoid
serves sketches too (sketch_operations.py).

Here `slot` is a Slot, all else are addresses of the slot's own words, strides in bytes, and numbers.
"""

from windrow.kernels.runtime.struct import bytes_at, words_at
from windrow.kernels.states import number_of
from windrow.kernels.states.layout import GrowingRows, Slot, columns_of

identity = lift = combine = inverse = answer = None  # of the monoid; `answer` is its `lower`
read_state = write_state = read_parameters = read_lift_parameters = None  # layout.py
takes_time = takes_nulls = needs_no_column = has_second = None


def is_there(columns, row):
    """A row counts if none of its values is null; always, if there is no column or nulls are lifted."""
    if takes_nulls or (needs_no_column and not columns.has_column):
        return True
    return columns.valid[row] == 1 and (not has_second or columns.second_valid[row] == 1)


def lifted(slot, columns, row):
    time = (columns.times[row],) if takes_time else ()
    value = (columns.values[row] if columns.has_column or not needs_no_column else 0,)
    validity = (columns.valid[row] == 1,) if takes_nulls else ()
    second = (columns.second_values[row],) if has_second else ()
    return lift(*(time + value + validity + second + read_lift_parameters(slot.parameters.address)))


def lowered(slot, state):
    return answer(read_state(state), *read_parameters(slot.parameters.address))


def take_row(slot, at, columns, row):
    write_state(at, combine(read_state(at), lifted(slot, columns, row)))


def lift_row(slot, at, columns, row):
    write_state(at, lifted(slot, columns, row) if row >= 0 and is_there(columns, row) else identity())


def clear(slot, into):
    write_state(into, identity())


def fold(slot, into, first, stride, states):
    state = read_state(into)
    for _ in range(states):
        state = combine(state, read_state(first))
        first += stride
    write_state(into, state)


def merge(slot, into, older, newer):
    write_state(into, combine(read_state(older), read_state(newer)))


def suffixes(slot, into, into_stride, first, stride, states):
    state = identity()
    for place in range(states - 1, -1, -1):
        state = combine(read_state(first + place * stride), state)
        write_state(into + place * into_stride, state)


def prefixes(slot, into, stride, first, states, start):
    state = read_state(start)
    for _ in range(states):
        state = combine(state, read_state(first))
        write_state(into, state)
        first += stride
        into += stride


def merge_each(slot: Slot, into, stride, olders, states):
    offset = slot.offset
    for place in range(states):
        merge(slot, into, words_at(olders)[place] + offset, into)
        into += stride


def gather(slot: Slot, into, events, first, end):
    columns = columns_of(slot, events)
    state = identity()
    for row in range(first, end):
        if is_there(columns, row):
            state = combine(state, lifted(slot, columns, row))
    write_state(into, state)


def lift_each(slot: Slot, into, stride, events, first, end):
    columns = columns_of(slot, events)
    for row in range(first, end):
        lift_row(slot, into, columns, row)
        into += stride


def lift_rows(slot: Slot, into, stride, events, chosen, states):
    columns = columns_of(slot, events)
    for place in range(states):
        lift_row(slot, into, columns, words_at(chosen)[place])
        into += stride


def subtract(slot, into, older):
    write_state(into, inverse(read_state(into), read_state(older)))


def lower(slot: Slot, state, into):
    word, is_null, failed = lowered(slot, state)
    words_at(into)[0] = word
    return (1 if is_null else 0) | (2 if failed else 0)


def lower_each(slot: Slot, first, stride, states, words, nulls):
    wrong = -1
    for place in range(states):
        word, is_null, failed = lowered(slot, first)
        words_at(words)[place] = word
        bytes_at(nulls)[place] = 1 if is_null else 0
        if failed and wrong < 0:
            wrong = place
        first += stride
    return wrong


def take_in(slot: Slot, state, asked: GrowingRows):
    columns = columns_of(slot, asked.events)
    for place in range(asked.count):
        if asked.is_bounded:
            word, is_null, failed = lowered(slot, state)
            if failed:
                return -1 - place
            if not is_null and number_of(asked, word) >= asked.bound:
                return place
        row = asked.rows[place * asked.stride]
        if is_there(columns, row):
            take_row(slot, state, columns, row)
    return asked.count
