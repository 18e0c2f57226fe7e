"""The few lines between a monoid's functions and memory that differ in how many words and arguments there are: a state
as a tuple, and what `lift` is called with for a row."""

import functools
from collections.abc import Callable
from typing import NamedTuple

from llvmlite import ir
from numba import types

from kernels.monoid import Monoid
from kernels.runtime.fields import WORD_BYTES, Elements, Word
from kernels.runtime.memory import inner, instruction
from kernels.runtime.struct import words_at
from kernels.states.layout import Events

_I64 = ir.IntType(64)


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


@inner
def _nothing(columns, row):
    return ()


@inner
def _time(columns, row):
    return (columns.times[row],)


@inner
def _value(columns, row):
    return (columns.values[row],)


@inner
def _value_if_any(columns, row):
    return (columns.values[row] if columns.has_column else 0,)


@inner
def _validity(columns, row):
    return (columns.valid[row] == 1,)


@inner
def _second_value(columns, row):
    return (columns.second_values[row],)


def words_of(monoid: Monoid) -> dict[str, Callable]:
    """How its words are read and written; and of (columns, row) a tuple of one of the words that `lift` is called with,
    or of none where it isn't."""
    parameters = len(monoid.parameters)
    return {
        "read_state": reader(monoid.words),
        "write_state": writer(monoid.words),
        "read_parameters": reader(parameters),
        "read_lift_parameters": reader(parameters if monoid.lift_takes_parameters else 0),
        "time": _time if monoid.takes_time else _nothing,
        "value": _value_if_any if "" in monoid.column_types else _value,
        "validity": _validity if monoid.takes_nulls else _nothing,
        "second": _second_value if monoid.second_types else _nothing,
    }
