"""Windows of tuples that are all here, sorted: what a replay gives to a farm. Nothing is buffered; a worker finds the
tuples of a window where they lie, without those that a streaming system would not have known then.

    start     1 2 3 4 5 6 7          window [2, 7), known at 9
    arrival   1 2 9 4 5 8 11         7 is outside; 3 arrived at 9: known; 5 came when windows that end by 7 were closed
    closed    · · · · 7 · ·          stretches [2 3 4] [6]

Tuples without a value in one of the columns are counted and not given.
"""

from kernels.farm.compute import add_stretch
from kernels.farm.layout import Descriptor, Farm, Worker
from kernels.farm.monitor import enter, leave, wake
from kernels.runtime.bisection import place_from
from kernels.runtime.memory import inner


def hand_out_more(farm: Farm, count):
    """Descriptors that are filled may be taken."""
    enter(farm.monitor)
    farm.handed_out += count
    wake(farm.monitor)
    leave(farm.monitor)


def find_content(farm: Farm, worker: Worker, descriptor: Descriptor):
    """The stretches of a window. O(log tuples of the key + tuples between its bounds)."""
    tuples = farm.sorted_tuples
    first, end = tuples.first_of_key[descriptor.key], tuples.first_of_key[descriptor.key + 1]
    first = place_from(tuples.times, first, end, descriptor.start)
    end = place_from(tuples.times, first, end, descriptor.end)
    worker.content.stretch_count = descriptor.count = descriptor.covered = 0
    while first < end:
        first = add_next_stretch(worker, tuples, descriptor, first, end)


@inner
def add_next_stretch(worker, tuples, descriptor, first, end):
    """From `first` on the next tuples that are given, up to one that isn't; returns the place behind that."""
    place = first
    while place < end and is_covered(tuples, descriptor, place) and tuples.has_value[place] != 0:
        place += 1
    if place > first:
        add_stretch(worker, place - first, tuples.times[first:], tuples.values[first:], tuples.stride)
        descriptor.count += place - first
        descriptor.covered += place - first
    if place < end and is_covered(tuples, descriptor, place):
        descriptor.covered += 1
    return place + 1


@inner
def is_covered(tuples, descriptor, place):
    """Whether a tuple had arrived, and not too late for the window."""
    return tuples.arrivals[place] <= descriptor.known_at and tuples.closed[place] < descriptor.end
