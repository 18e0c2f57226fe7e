"""A worker computes one window: the function gets the content where it lies, and scratch memory of the worker's own."""

from kernels.farm.content import OUTPUTS_LOST, TupleStretch
from kernels.farm.descriptors import clear
from kernels.farm.layout import Farm
from kernels.runtime.memory import WORD_BYTES, inner, resize

STRETCH_WORDS = TupleStretch.size_bytes // WORD_BYTES


@inner
def add_stretch(worker, count, times, values, stride):
    """One more stretch of the window's content."""
    content = worker.content
    if content.stretch_count == worker.stretch_room:
        room = 2 * worker.stretch_room + 8
        content.stretches = resize(content.stretches.address, room * STRETCH_WORDS)
        worker.stretch_room = room  # once it is there: where there is no memory the worker goes on
    stretch = content.stretches[content.stretch_count]
    stretch.count, stretch.times, stretch.values, stretch.stride = count, times, values, stride
    content.stretch_count += 1


@inner
def compute(farm: Farm, worker, descriptor):
    """Call the function on the worker's content; returns its status. Outputs of a call that raised, or
    had to end, are null."""
    content = worker.content
    content.count, content.columns = descriptor.count, farm.read_columns
    content.start, content.end = descriptor.start, descriptor.end
    descriptor.stretch_count = content.stretch_count
    reserve_scratch(farm, worker, content.count * farm.scratch_per_tuple + farm.scratch_more)
    clear(farm, descriptor)
    status = farm.compute(content, descriptor.outputs)
    if status in OUTPUTS_LOST:
        clear(farm, descriptor)
    return status


@inner
def reserve_scratch(farm, worker, floats):
    """Room for so many floats; it grows twofold, so that windows that become longer don't ask each time."""
    if floats > worker.scratch_room:
        room = max(floats, 2 * worker.scratch_room)
        worker.content.scratch = resize(worker.content.scratch.address, room)
        worker.scratch_room = room
