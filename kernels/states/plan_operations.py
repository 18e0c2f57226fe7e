"""The operations on states of a plan of several slots: each slot's own operation, on its own words."""

from windrow.kernels.states.layout import StatePlan


def clear(plan: StatePlan, into):
    for place in range(plan.slot_count):
        slot = plan.slots[place]
        slot.operations.clear(slot, into + slot.offset)


def fold(plan: StatePlan, into, first, stride, states):
    for place in range(plan.slot_count):
        slot = plan.slots[place]
        slot.operations.fold(slot, into + slot.offset, first + slot.offset, stride, states)


def merge(plan: StatePlan, into, older, newer):
    for place in range(plan.slot_count):
        slot = plan.slots[place]
        slot.operations.merge(slot, into + slot.offset, older + slot.offset, newer + slot.offset)


def join(plan: StatePlan, into, older, newer):
    for place in range(plan.slot_count):
        slot = plan.slots[place]
        slot.operations.join(slot, into + slot.offset, older + slot.offset, newer + slot.offset)


def suffixes(plan: StatePlan, into, into_stride, first, stride, states):
    for place in range(plan.slot_count):
        slot = plan.slots[place]
        slot.operations.suffixes(slot, into + slot.offset, into_stride, first + slot.offset, stride, states)


def prefixes(plan: StatePlan, into, stride, first, states, start):
    for place in range(plan.slot_count):
        slot = plan.slots[place]
        own_first, own_start = first + slot.offset, start + slot.offset
        slot.operations.prefixes(slot, into + slot.offset, stride, own_first, states, own_start)


def merge_each(plan: StatePlan, into, stride, olders, states):
    for place in range(plan.slot_count):
        slot = plan.slots[place]
        slot.operations.merge_each(slot, into + slot.offset, stride, olders, states)


def gather(plan: StatePlan, into, events, first, end):
    for place in range(plan.slot_count):
        slot = plan.slots[place]
        slot.operations.gather(slot, into + slot.offset, events, first, end)


def lift_each(plan: StatePlan, into, stride, events, first, end):
    for place in range(plan.slot_count):
        slot = plan.slots[place]
        slot.operations.lift_each(slot, into + slot.offset, stride, events, first, end)


def lift_rows(plan: StatePlan, into, stride, events, chosen, states):
    for place in range(plan.slot_count):
        slot = plan.slots[place]
        slot.operations.lift_rows(slot, into + slot.offset, stride, events, chosen, states)


def subtract(plan: StatePlan, into, older):
    for place in range(plan.slot_count):
        slot = plan.slots[place]
        slot.operations.subtract(slot, into + slot.offset, older + slot.offset)
