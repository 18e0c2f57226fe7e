"""Agnostic workers: the emitter keeps all tuples, in one shared buffer, and hands out descriptors of windows; a worker
reads the buffer where the window's tuples are (FARM §5.4). For every kind of windows.

    emitter  │chunk│chunk│chunk│chunk│        descriptor: chunk 2, place 1, 5 tuples
                    ▲▲▲▲▲▲▲▲▲▲▲
                    worker 1 and worker 2 read at once

Of tuples that are all here, sorted, as a replay gives them, nothing is buffered; a worker finds those of a window where
they lie, without those that a streaming system would not have known then. Tuples without a value in one of the columns
are counted and not given.

    start     1 2 3 4 5 6 7          window [2, 7), known at 9
    arrival   1 2 9 4 5 8 11         7 is outside; 3 arrived at 9: known; 5 came when windows that end by 7 were closed
    closed    · · · · 7 · ·          stretches [2 3 4] [6]
"""

from kernels.farm.chunks import advance
from kernels.farm.descriptors import add_stretch, begin, compute, descriptor_at, fill_descriptor, finish
from kernels.farm.layout import Chunk, Descriptor, Farm, Substream, Worker
from kernels.farm.monitor import enter, leave, wait, wake
from kernels.runtime.bisection import place_from
from kernels.runtime.memory import inner


def hand_out(farm: Farm, stream: Substream, low, number, start, end):
    """A window is complete: the first idle worker gets it, unless it has no tuples. O(tuples passed)."""
    advance(farm, stream, low)
    count = stream.tuples - stream.ordinal
    if count == 0:
        return
    if farm.ends_at_tuples:
        start, end = Chunk(stream.chunk).times[stream.place], stream.newest + 1
    descriptor = fill_descriptor(farm, stream, low, number, start, end)
    descriptor.chunk, descriptor.place, descriptor.count = stream.chunk, stream.place, count
    enter(farm.monitor)
    Chunk(stream.chunk).starting += 1
    farm.handed_out += 1
    wake(farm.monitor)
    leave(farm.monitor)


def hand_out_more(farm: Farm, count):
    """Descriptors of sorted tuples that are filled may be taken."""
    enter(farm.monitor)
    farm.handed_out += count
    wake(farm.monitor)
    leave(farm.monitor)


def work(farm: Farm, worker: Worker):
    """Compute windows until there are no more. Each is computed outside of the monitor."""
    enter(farm.monitor)
    while farm.stop == 0:
        if farm.taken == farm.handed_out:
            wait(farm.monitor)
            continue
        ordinal = farm.taken
        farm.taken += 1
        begin(farm, worker, ordinal)
        leave(farm.monitor)
        descriptor = descriptor_at(farm, ordinal)
        worker.content.stretch_count = 0
        farm.find_content(farm, worker, descriptor)
        status = compute(farm, worker, descriptor)
        enter(farm.monitor)
        finish(farm, worker, status)
    leave(farm.monitor)


def find_in_chunks(farm: Farm, worker: Worker, descriptor: Descriptor):
    """Its stretches. O(chunks). Behind the window's tuples the last chunk may be written meanwhile, and isn't read."""
    chunk, place, left = Chunk(descriptor.chunk), descriptor.place, descriptor.count
    while left > 0:
        count = min(chunk.count - place, left)
        add_stretch(worker, count, chunk.times[place:], chunk.values[place:], chunk.room)
        left -= count
        if left > 0:
            chunk, place = Chunk(chunk.next), 0


def find_sorted(farm: Farm, worker: Worker, descriptor: Descriptor):
    """The stretches of a window. O(log tuples of the key + tuples between its bounds)."""
    tuples = farm.sorted_tuples
    first, end = tuples.first_of_key[descriptor.key], tuples.first_of_key[descriptor.key + 1]
    first = place_from(tuples.times_us, first, end, descriptor.start)
    end = place_from(tuples.times_us, first, end, descriptor.end)
    descriptor.count = descriptor.covered = 0
    while first < end:
        place = first
        while place < end and is_covered(tuples, descriptor, place) and tuples.has_value[place] != 0:
            place += 1
        if place > first:
            add_stretch(worker, place - first, tuples.times_us[first:], tuples.values[first:], tuples.stride)
            descriptor.count += place - first
            descriptor.covered += place - first
        if place < end and is_covered(tuples, descriptor, place):
            descriptor.covered += 1
        first = place + 1


@inner
def is_covered(tuples, descriptor, place):
    """Whether a tuple had arrived, and not too late for the window."""
    return tuples.arrivals_us[place] <= descriptor.known_at and tuples.closed_us[place] < descriptor.end
