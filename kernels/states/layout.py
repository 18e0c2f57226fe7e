"""Where the parts of a state stand: the plan of several aggregates, and the events that states are made from. And how
states are read and written, as tuples of words, and the columns of events.

state of count, mean(0), std(0):   [events][sum|values][values|mean|squares]
                                    slot 0   slot 1       slot 2
"""

import functools
from collections.abc import Callable
from typing import NamedTuple

from llvmlite import ir
from numba import types

from windrow.kernels.runtime.fields import (
    WORD_BYTES,
    Address,
    Array,
    Bytes,
    Count,
    Elements,
    Flag,
    Float,
    Inline,
    Microseconds,
    Place,
    Pointer,
    Ref,
    Tail,
    Word,
    Words,
)
from windrow.kernels.runtime.memory import inner, instruction
from windrow.kernels.runtime.operations import Operation
from windrow.kernels.runtime.struct import BYTE, Struct, words_at

_I64 = ir.IntType(64)
MOST_PARAMETERS = 3
NO_COLUMN = -1


class StateOperations(Struct):
    """What can be asked of the states of one slot, or of a plan of several: `of` is the Slot or the StatePlan, all
    addresses are those of its own words. kernels/states/__init__.py says what each does; the last three are a slot's.

    lower(of, state, answer) → 1 if it is null, 2 if it failed; the word goes to `answer`
    lower_each(of, first, stride, states, words, nulls) → the place of the first failure, or −1
    take_in(of, state, asked): asked is a GrowingRows
    """

    clear: Operation(Address, Address)
    fold: Operation(Address, Address, Address, Bytes, Count)
    merge: Operation(Address, Address, Address, Address)
    join: Operation(Address, Address, Address, Address)
    suffixes: Operation(Address, Address, Bytes, Address, Bytes, Count)
    prefixes: Operation(Address, Address, Bytes, Address, Count, Address)
    merge_each: Operation(Address, Address, Bytes, Address, Count)
    gather: Operation(Address, Address, Address, Place, Place)
    lift_each: Operation(Address, Address, Bytes, Address, Place, Place)
    lift_rows: Operation(Address, Address, Bytes, Address, Address, Count)
    subtract: Operation(Address, Address, Address)
    lower: Operation(Address, Address, Address)
    lower_each: Operation(Address, Address, Bytes, Count, Address, Address)
    take_in: Operation(Address, Address, Address)


class Slot(Struct):
    """One aggregate of a plan: which monoid, by its operations, and where its words stand in a state."""

    operations: Ref(StateOperations)
    offset: Bytes
    words: Words
    column: Place
    second_column: Place
    parameters: Array(Word, MOST_PARAMETERS)


class StatePlan(Struct):
    """Several aggregates as one state. Slot 0 counts the events, except in objects for one window.

    operations, subject: those of the plan and the plan; of its only slot and that slot where it has no other, so that
    a window of one aggregate pays for one call, not two.
    """

    slot_count: Count
    state_words: Words
    is_commutative: Flag()
    operations: Ref(StateOperations)
    subject: Address
    slots: Tail(Inline(Slot))


class Events(Struct):
    """Columns of events: value column c of row i is values[c·rows + i]; event times only where an aggregate takes
    them."""

    values: Pointer(Word)
    valid: Pointer(BYTE)
    rows: Count
    times: Pointer(Microseconds)


class GrowingRows(Struct):
    """Events that a state takes in, where it is_bounded until its answer is `bound` or more: the row of each stands
    `stride` words behind that of the one before. gives_float: whether answers are float64, not whole numbers."""

    events: Ref(Events)
    rows: Pointer(Word)
    stride: Words
    count: Count
    bound: Float("answer")
    is_bounded: Flag()
    gives_float: Flag()


class SlotColumns(NamedTuple):
    """times[row], values[row], … of the slot's own column and of its second one.

    Looked up once for many rows: what a loop writes may be anything to the compiler, also the plan.
    """

    has_column: bool
    times: Elements
    values: Elements
    valid: Elements
    second_values: Elements
    second_valid: Elements


@inner
def columns_of(slot, events):
    """Columns of a slot; those that it doesn't have must not be looked at."""
    events = Events(events)
    first, second = slot.column * events.rows, slot.second_column * events.rows
    return SlotColumns(
        slot.column >= 0,
        events.times,
        events.values[first:],
        events.valid[first:],
        events.values[second:],
        events.valid[second:],
    )


@functools.cache
def reader(count: int) -> Callable:
    """(address) → the words that stand there, as a tuple of so many."""

    def load(context, builder, signature, arguments):
        places = (builder.add(arguments[0], ir.Constant(_I64, WORD_BYTES * place)) for place in range(count))
        return context.make_tuple(builder, signature.return_type, [Word.load(builder, each) for each in places])

    @instruction(types.UniTuple(types.int64, count)(types.int64), load)
    def read_words(at):
        return tuple(words_at(at)[place] for place in range(count))

    return read_words


@functools.cache
def writer(count: int) -> Callable:
    """(address, tuple of so many words): what `reader` reads."""

    def store(context, builder, signature, arguments):
        for place in range(count):
            address = builder.add(arguments[0], ir.Constant(_I64, WORD_BYTES * place))
            Word.store(builder, address, builder.extract_value(arguments[1], place))
        return context.get_dummy_value()

    @instruction(types.void(types.int64, types.UniTuple(types.int64, count)), store)
    def write_words(at, words):
        for place, word in enumerate(words):
            words_at(at)[place] = word

    return write_words
