"""The operations on states of a sketch, which is worked on where it stands; it commutes, so it may take up either of
two into the other. What isn't here is as in monoid_operations.py."""

from windrow.kernels.states import copy_words
from windrow.kernels.states.layout import Slot, columns_of

reset = add = absorb = join_states = answer = None  # of the sketch; `reset` is its `clear`, `answer` its `lower`
is_there = None  # monoid_operations.py


def lowered(slot, state):
    return answer(state, slot.parameters.address)


def take_row(slot, at, columns, row):
    add(at, columns.values[row], slot.parameters.address)


def lift_row(slot, at, columns, row):
    reset(at, slot.parameters.address)
    if row >= 0 and is_there(columns, row):
        take_row(slot, at, columns, row)


def clear(slot: Slot, into):
    reset(into, slot.parameters.address)


def fold(slot: Slot, into, first, stride, states):
    for _ in range(states):
        absorb(into, first, slot.parameters.address)
        first += stride


def merge(slot: Slot, into, older, newer):
    if into == newer:
        absorb(into, older, slot.parameters.address)
        return
    if into != older:
        copy_words(into, older, slot.words)
    absorb(into, newer, slot.parameters.address)


def join(slot: Slot, into, older, newer):
    join_states(into, older, newer)


def suffixes(slot: Slot, into, into_stride, first, stride, states):
    for place in range(states - 1, -1, -1):
        at = into + place * into_stride
        copy_words(at, first + place * stride, slot.words)
        if place < states - 1:
            absorb(at, at + into_stride, slot.parameters.address)


def prefixes(slot: Slot, into, stride, first, states, start):
    for _ in range(states):
        copy_words(into, first, slot.words)
        absorb(into, start, slot.parameters.address)
        start = into
        into += stride
        first += stride


def gather(slot: Slot, into, events, first, end):
    columns = columns_of(slot, events)
    reset(into, slot.parameters.address)
    for row in range(first, end):
        if is_there(columns, row):
            take_row(slot, into, columns, row)
