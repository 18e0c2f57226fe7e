"""The operations on states of a sketch, which is worked on where it stands; it commutes, so it may take up either of
two into the other. As monoid_operations.py otherwise."""

from kernels.runtime.struct import words_at
from kernels.states import copy_words
from kernels.states.glue import columns_of
from kernels.states.layout import Slot
from kernels.states.monoid_operations import is_there, lower, lower_each, take_in

reset = add = absorb = join_states = answer = None  # of the sketch; `reset` is its `clear`, `answer` its `lower`


def lowered(slot, state):
    return answer(state, slot.parameters.address)


def take_row(slot, at, columns, row):
    add(at, columns.values[row], slot.parameters.address)


def clear(slot: Slot, into):
    reset(into, slot.parameters.address)


def fold(slot: Slot, into, first, stride, states):
    for _ in range(states):
        absorb(into, first, slot.parameters.address)
        first += stride


def merge(slot: Slot, into, older, newer):
    if into == newer:
        absorb(into, older, slot.parameters.address)
    else:
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


def merge_each(slot: Slot, into, stride, olders, states):
    for place in range(states):
        absorb(into, words_at(olders)[place] + slot.offset, slot.parameters.address)
        into += stride


def spread(slot: Slot, first, stride, targets, states):
    for place in range(states):
        absorb(words_at(targets)[place] + slot.offset, first, slot.parameters.address)
        first += stride


def gather(slot: Slot, into, events, first, end):
    parameters, columns = slot.parameters.address, columns_of(slot, events)
    reset(into, parameters)
    for row in range(first, end):
        if is_there(columns, row):
            add(into, columns.values[row], parameters)


def lift_each(slot: Slot, into, stride, events, first, end):
    for row in range(first, end):
        gather(slot, into, events, row, row + 1)
        into += stride


def lift_rows(slot: Slot, into, stride, events, chosen, states):
    for place in range(states):
        row = words_at(chosen)[place]
        gather(slot, into, events, max(row, 0), row + 1)
        into += stride


__all__ = ["is_there", "lower", "lower_each", "take_in"]
