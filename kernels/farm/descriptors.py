"""The ring of descriptors: handed out by the emitter, taken on demand by the first idle worker, computed where the
window's content lies, with scratch memory of the worker's own, and collected in order.

on-demand (FARM §4.3): a worker takes the next descriptor when it has computed one; what FARM sends as feedback is
that it marks the descriptor as computed, and lets go of the chunk in which the window begins
"""

from math import nan

from windrow.kernels.farm import inbox
from windrow.kernels.farm.content import OK, OUTPUTS_LOST, TupleStretch
from windrow.kernels.farm.layout import COMPUTED, TAKEN, TO_BE_TAKEN, Chunk, Farm, Worker
from windrow.kernels.farm.monitor import enter, leave, now_ns, wait_at_most, wake
from windrow.kernels.runtime.memory import WORD_BYTES, inner, resize

NEVER = 1 << 62
STRETCH_WORDS = TupleStretch.size_bytes // WORD_BYTES


@inner
def descriptor_at(farm, ordinal):
    """The descriptor of the window that was handed out as number `ordinal`."""
    return farm.descriptors[ordinal & (farm.ring - 1)]


@inner
def has_room(farm):
    """Whether one more window can be handed out, and one more tuple be sent to active workers."""
    return farm.handed_out - farm.collected < farm.ring and (not farm.is_active or inbox.has_room(farm))


@inner
def fill_descriptor(farm, stream, number, start, end):
    """The next descriptor, of a window; it isn't handed out yet."""
    descriptor = descriptor_at(farm, farm.handed_out)
    descriptor.key, descriptor.number, descriptor.start, descriptor.end = stream.key, number, start, end
    descriptor.state, descriptor.status = TO_BE_TAKEN, OK
    descriptor.chunk = descriptor.place = descriptor.count = descriptor.stretches = 0
    return descriptor


@inner
def begin(farm, worker, ordinal):
    """A worker takes a window, whose stretches it then finds; the monitor is entered."""
    worker.content.stretch_count = 0
    descriptor_at(farm, ordinal).state = TAKEN
    worker.working_on, worker.is_busy, worker.stop = ordinal & (farm.ring - 1), True, farm.stop
    worker.began = now_ns()


@inner
def add_stretch(worker, count, times, values, stride):
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
    """Call the function on the worker's content; returns its status. Outputs of a call that raised, or had to end, are
    null. Scratch memory grows twofold, so that windows that become longer don't ask each time."""
    content = worker.content
    content.count, content.columns = descriptor.count, farm.read_columns
    content.start, content.end = descriptor.start, descriptor.end
    descriptor.stretches = content.stretch_count
    floats = content.count * farm.scratch_per_tuple + farm.scratch_more
    if floats > worker.scratch_room:
        room = max(floats, 2 * worker.scratch_room)
        content.scratch = resize(content.scratch.address, room)
        worker.scratch_room = room
    clear(farm, descriptor)
    status = farm.compute(content, descriptor.outputs)
    if status in OUTPUTS_LOST:
        clear(farm, descriptor)
    return status


@inner
def finish(farm, worker, status):
    """A worker has computed its window; the monitor is entered."""
    descriptor = farm.descriptors[worker.working_on]
    took = now_ns() - worker.began
    descriptor.state, descriptor.status = COMPUTED, status
    descriptor.worker, descriptor.took = worker.number, took
    if descriptor.chunk != 0:
        Chunk(descriptor.chunk).starting -= 1
    worker.is_busy = False
    worker.busy += took
    worker.windows += 1
    worker.stretches += descriptor.stretches
    farm.computed += 1
    farm.changes += 1
    if farm.computed >= farm.wake_at or farm.computed == farm.handed_out:
        wake(farm.monitor)


@inner
def clear(farm, descriptor):
    """All outputs null."""
    for place in range(farm.outputs):
        descriptor.outputs[place] = nan


def fail(farm: Farm, worker: Worker, status):
    """The window of a worker whose thread came back without having computed it."""
    enter(farm.monitor)
    clear(farm, farm.descriptors[worker.working_on])
    finish(farm, worker, status)
    leave(farm.monitor)


def ready(farm: Farm):
    """How many windows can be collected: computed, and all before them too. O(those)."""
    enter(farm.monitor)
    count = 0
    while farm.collected + count < farm.taken and descriptor_at(farm, farm.collected + count).state == COMPUTED:
        count += 1
    leave(farm.monitor)
    return count


def wait_for_change(farm: Farm, seen, share, ms):
    """Until one of `share` parts of the windows that aren't collected is computed, the first of them too; or, where
    memory is lacking, until `changes` isn't `seen` any more; at most some ms. The emitter is not woken for each window,
    since it would take a worker's core each time."""
    enter(farm.monitor)
    farm.wake_at = farm.collected + max(1, (farm.handed_out - farm.collected) // share)
    are_enough = farm.computed >= farm.wake_at and descriptor_at(farm, farm.collected).state == COMPUTED
    if farm.wrong == 0 and not are_enough and (farm.changes == seen or not farm.lacks_memory):
        wait_at_most(farm.monitor, ms)
    farm.wake_at = NEVER
    leave(farm.monitor)


def stop_overdue(farm: Farm, status, limit_ns):
    """Functions over the limit are asked to end with a status; returns the longest time that one has worked, in ns."""
    enter(farm.monitor)
    longest, now = 0, now_ns()
    for number in range(farm.worker_count):
        worker = farm.workers[number]
        worked = now - worker.began if worker.is_busy else 0
        if worked > limit_ns:
            worker.stop = status
        longest = max(longest, worked)
    leave(farm.monitor)
    return longest


def close(farm: Farm, status):
    """Workers end at once; windows at work do with a status that isn't 0."""
    enter(farm.monitor)
    farm.stop = status
    for number in range(farm.worker_count):
        farm.workers[number].stop = status
    wake(farm.monitor)
    leave(farm.monitor)
    for number in range(farm.worker_count):
        messages = farm.workers[number].inbox
        enter(messages.monitor)
        wake(messages.monitor)
        leave(messages.monitor)
