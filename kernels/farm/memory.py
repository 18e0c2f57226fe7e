"""The memory of one farm, its structures and the arrays that they point to, which live as long as this does; and the
compiled functions by which Python and a farm's threads work on it, the same for all models of workers."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from windrow.kernels.farm import active, agnostic, inbox, monitor
from windrow.kernels.farm.descriptors import close, fail, ready, stop_overdue, wait_for_change
from windrow.kernels.farm.emitter import feed, finish_keys
from windrow.kernels.farm.functions import HeavyFunction, function, operations, parameter_values
from windrow.kernels.farm.layout import Deque, Descriptor, Farm, Substream, TupleBatch, Worker, tuple_bytes
from windrow.kernels.runtime.fields import Code, Count, Place
from windrow.kernels.runtime.memory import WORD_BYTES, address_of, release
from windrow.kernels.runtime.operations import Operation
from windrow.kernels.runtime.struct import Struct
from windrow.kernels.runtime.tables import lazy_table


class FarmCalls(Struct):
    """What Python and a farm's threads call."""

    feed: Operation(Farm, TupleBatch)
    finish_keys: Operation(Farm, Place, Place)
    hand_out_more: Operation(Farm, Count)
    work: Operation(Farm, Worker)
    fail: Operation(Farm, Worker, Code)
    ready: Operation(Farm)
    wait_for_change: Operation(Farm, Count, Count, Count)
    stop_overdue: Operation(Farm, Code, Count)
    close: Operation(Farm, Code)
    create_all: Operation(Farm)
    release_all: Operation(Farm)
    least_held: Operation(Farm)


def work(farm: Farm, worker: Worker):
    """Compute windows until there are no more."""
    if farm.is_active:
        active.work(farm, worker)
    else:
        agnostic.work(farm, worker)


def least_held(farm: Farm):
    """Bytes: a chunk; or of each active worker four blocks, of which it keeps the one that it has read."""
    if farm.is_active:
        return 4 * farm.worker_count * inbox.block_bytes(farm)
    return agnostic.CHUNK_BYTES + tuple_bytes(farm, min(agnostic.LEAST_TUPLES, farm.chunk_tuples))


def create_all(farm: Farm):
    monitor.create(farm.monitor)
    for number in range(farm.worker_count):
        monitor.create(farm.workers[number].inbox.monitor)


def release_all(farm: Farm):
    """Give all memory back that was asked for by compiled code. No thread is at work."""
    for key in range(farm.keys):
        stream = farm.streams[key]
        while stream.oldest != 0:
            agnostic.release_oldest(farm, stream)
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


farm_calls = lazy_table(
    FarmCalls,
    "farm",
    *(feed, finish_keys, agnostic.hand_out_more, work, fail, ready, wait_for_change, stop_overdue, close),
    *(create_all, release_all, least_held),
)


class FarmMemory:
    """farm: the structure that compiled functions take; given: of the function; fields: of the farm, those that say how
    much there is of everything, and those of its windows. descriptors: int64[ring, words], outputs: float64[ring,
    outputs]: the same memory as arrays. It ends once no thread works on it."""

    def __init__(self, name: str | HeavyFunction, given: Mapping[str, object], fields: Mapping[str, Any]):
        parameters = np.array(parameter_values(name, given), np.float64)
        self.output_names = function(name).outputs(tuple(parameters))
        per_tuple, more = function(name).scratch(tuple(parameters))
        self._kept: list[np.ndarray] = []
        self.descriptors = self._made(fields["ring"], Descriptor)
        self.outputs = np.full((fields["ring"], len(self.output_names)), np.nan)
        streams, workers = self._made(fields["keys"], Substream), self._made(fields["worker_count"], Worker)
        of_function = {"compute": operations(name).compute, "scratch_per_tuple": per_tuple, "scratch_more": more}
        of_function |= {"parameters": parameters, "outputs": len(self.output_names)}
        arrays = {"descriptors": self.descriptors, "streams": streams, "workers": workers}
        self.farm = Farm.make(**arrays, **of_function, **fields)
        places = np.arange(fields["ring"]) * self.outputs.shape[1] * WORD_BYTES
        self.descriptors[:, Descriptor.offsets["outputs"] // WORD_BYTES] = address_of(self.outputs) + places
        streams[:, Substream.offsets["key"] // WORD_BYTES] = np.arange(fields["keys"])
        for number in range(fields["worker_count"]):
            worker = self.farm.workers[number]
            worker.number, worker.content.stop = number, worker.address + Worker.offsets["stop"]
            worker.content.parameters, worker.content.parameter_count = address_of(parameters), len(parameters)
            if self.farm.is_active:
                worker.deques = address_of(self._made(fields["keys"], Deque))

    def _made(self, count: int, struct: type[Struct]) -> np.ndarray:
        self._kept.append(np.zeros((count, struct.size_bytes // WORD_BYTES), np.int64))
        return self._kept[-1]
