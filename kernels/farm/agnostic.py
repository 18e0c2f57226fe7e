"""Agnostic workers: the emitter keeps all tuples, in one shared buffer, and hands out descriptors of windows; a worker
reads the buffer where the window's tuples are (FARM §5.4). For every kind of windows.

    emitter  │chunk│chunk│chunk│chunk│        descriptor: chunk 2, place 1, 5 tuples
                    ▲▲▲▲▲▲▲▲▲▲▲
                    worker 1 and worker 2 read at once
"""

from kernels.farm.chunks import advance
from kernels.farm.compute import add_stretch, compute
from kernels.farm.descriptors import begin, descriptor_at, fill_descriptor, finish
from kernels.farm.layout import Chunk, Descriptor, Farm, Substream, Worker
from kernels.farm.monitor import enter, leave, wait, wake
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
    if farm.idle > 0:
        wake(farm.monitor)
    leave(farm.monitor)


def work(farm: Farm, worker: Worker):
    """Compute windows until there are no more. Each is computed outside of the monitor."""
    enter(farm.monitor)
    while wait_for_window(farm):
        ordinal = farm.taken
        farm.taken += 1
        begin(farm, worker, ordinal)
        leave(farm.monitor)
        descriptor = descriptor_at(farm, ordinal)
        farm.find_content(farm, worker, descriptor)
        status = compute(farm, worker, descriptor)
        enter(farm.monitor)
        finish(farm, worker, status)
    leave(farm.monitor)


@inner
def wait_for_window(farm):
    """Whether there is a window to take, now or after waiting."""
    farm.idle += 1
    while farm.taken == farm.handed_out and farm.stop == 0:
        wait(farm.monitor)
    farm.idle -= 1
    return farm.taken < farm.handed_out and farm.stop == 0


def find_content(farm: Farm, worker: Worker, descriptor: Descriptor):
    """The stretches of a window: a part of its first and of its last chunk, and all between. O(chunks). The last chunk
    may be written meanwhile, behind the window's tuples; nothing else of it is read."""
    worker.content.stretch_count = 0
    chunk, place, left = Chunk(descriptor.chunk), descriptor.place, descriptor.count
    while left > 0:
        count = min(chunk.count - place, left)
        add_stretch(worker, count, chunk.times[place:], chunk.values[place:], chunk.room)
        left -= count
        if left > 0:
            chunk, place = Chunk(chunk.next), 0
