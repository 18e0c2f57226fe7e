"""What distinguishes the models of workers: the compiled functions by which windows are handed out and computed; and
those that all have, by which Python and a farm's threads call it."""

from functools import cache

from kernels.farm import active, agnostic, chunks, inbox, monitor
from kernels.farm.check import count_broken
from kernels.farm.descriptors import close, fail, ready, stop_overdue, wait_for_change
from kernels.farm.emitter import feed, finish_keys
from kernels.farm.layout import Descriptor, Farm, Substream, TupleBatch, Worker
from kernels.runtime.fields import Code, Count, Flag, Microseconds, Place
from kernels.runtime.memory import release
from kernels.runtime.operations import Operation
from kernels.runtime.struct import Struct
from kernels.runtime.tables import by_name, compiled_table

MODELS, GIVEN = ("active", "agnostic"), "given"


class FarmCalls(Struct):
    """What Python and a farm's threads call. is_active: whether its workers are."""

    is_active: Flag()
    feed: Operation(Farm, TupleBatch)
    finish_keys: Operation(Farm, Place, Place)
    hand_out: Operation(Farm, Substream, Microseconds, Count, Microseconds, Microseconds)
    hand_out_more: Operation(Farm, Count)
    find_content: Operation(Farm, Worker, Descriptor)
    work: Operation(Farm, Worker)
    fail: Operation(Farm, Worker, Code)
    ready: Operation(Farm)
    wait_for_change: Operation(Farm, Count, Count, Count)
    stop_overdue: Operation(Farm, Code, Count)
    close: Operation(Farm, Code)
    create_all: Operation(Farm)
    release_all: Operation(Farm)
    count_broken: Operation(Farm)
    least_held: Operation(Farm)


def least_held(farm: Farm):
    """Bytes: a chunk; or of each active worker four blocks, of which it keeps the one that it has read."""
    if farm.is_active:
        return 4 * farm.worker_count * inbox.block_bytes(farm)
    return chunks.CHUNK_BYTES + chunks.block_bytes(farm, min(chunks.LEAST_TUPLES, farm.chunk_tuples))


def create_all(farm: Farm):
    monitor.create(farm.monitor)
    for number in range(farm.worker_count):
        monitor.create(farm.workers[number].inbox.monitor)


def release_all(farm: Farm):
    """Give all memory back that was asked for by compiled code. No thread is at work."""
    for key in range(farm.keys):
        stream = farm.streams[key]
        while stream.oldest != 0:
            chunks.release_oldest(farm, stream)
        stream.youngest = stream.chunk = stream.place = 0
    for number in range(farm.worker_count):
        worker = farm.workers[number]
        release(worker.content.scratch.address)
        release(worker.content.stretches.address)
        for key in range(farm.keys if farm.is_active else 0):
            deque = worker.deques[key]
            release(deque.times.address if deque.room > 0 else 0)
        inbox.release_blocks(worker.inbox.first)
        monitor.end(worker.inbox.monitor)
    inbox.release_blocks(farm.spare)
    monitor.end(farm.monitor)


COMMON = (
    *(feed, finish_keys, fail, ready, wait_for_change, stop_overdue, close),
    *(create_all, release_all, count_broken, least_held),
)
OWN = {
    "active": {"hand_out": active.hand_out, "work": active.work},
    "agnostic": {"hand_out": agnostic.hand_out, "work": agnostic.work, "find_content": agnostic.find_in_chunks},
    GIVEN: {"hand_out_more": agnostic.hand_out_more, "work": agnostic.work, "find_content": agnostic.find_sorted},
}


@cache
def calls(model: str) -> FarmCalls:
    """The compiled functions of a model, or of a farm whose tuples are all here: agnostic workers find them sorted."""
    made = compiled_table(FarmCalls, f"farm_{model}", by_name(*COMMON) | OWN[model])
    made.is_active = model == "active"
    return made
