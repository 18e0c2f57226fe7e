"""The memory of one farm: its structures, and the arrays that they point to, which live as long as this does."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from kernels.farm.extents import ServedWindow
from kernels.farm.functions import function, operations, parameter_values
from kernels.farm.functions._function import HeavyFunction
from kernels.farm.layout import Deque, Descriptor, Farm, Substream, Worker
from kernels.farm.models import FarmCalls
from kernels.runtime.memory import WORD_BYTES, address_of
from kernels.runtime.struct import Struct


class Room(NamedTuple):
    """How much of everything there is."""

    workers: int
    keys: int
    columns: int
    read_columns: int
    ring: int
    most_held_bytes: int
    chunk_us: int
    chunk_tuples: int


class FarmMemory:
    """farm: the structure that compiled functions take. descriptors: int64[ring, words], outputs: float64[ring,
    outputs]: the same memory as arrays. Ended by whoever knows that no thread works on it."""

    def __init__(
        self, calls: FarmCalls, window: ServedWindow, name: str | HeavyFunction, given: Mapping[str, object], room: Room
    ):
        parameters = np.array(parameter_values(name, given), np.float64)
        self.output_names = function(name).outputs(tuple(parameters))
        self.descriptors = np.zeros((room.ring, _words(Descriptor)), np.int64)
        self.outputs = np.full((room.ring, len(self.output_names)), np.nan)
        self._kept: list[Any] = [calls, window, parameters]
        self.farm = self._make(room, calls, window, operations(name).compute)
        self._give_function(name, parameters)
        self._give_streams(room.keys)
        self._give_workers(room, active=self.farm.is_active)

    def _make(self, room: Room, calls: FarmCalls, window: ServedWindow, compute: int) -> Farm:
        fields = {"attribute": -1, "chunk_us": room.chunk_us, "chunk_tuples": room.chunk_tuples}
        counts = {"keys": room.keys, "worker_count": room.workers, "columns": room.columns, "ring": room.ring}
        counts["read_columns"] = room.read_columns
        farm = Farm.make(
            descriptors=self.descriptors,
            most_held=room.most_held_bytes,
            outputs=len(self.output_names),
            hand_out=calls.hand_out,
            find_content=calls.find_content,
            compute=compute,
            is_active=calls.is_active,
            **fields | counts | window.fields,
        )
        for operation in window.extents.fields:
            setattr(farm.extents, operation, getattr(window.extents, operation))
        return farm

    def _give_function(self, name: str | HeavyFunction, parameters: np.ndarray) -> None:
        farm = self.farm
        farm.parameters, farm.parameter_count = address_of(parameters), len(parameters)
        farm.scratch_per_tuple, farm.scratch_more = function(name).scratch(tuple(parameters))
        places = np.arange(farm.ring) * self.outputs.shape[1] * WORD_BYTES
        self.descriptors[:, Descriptor.offsets["outputs"] // WORD_BYTES] = address_of(self.outputs) + places

    def _give_streams(self, keys: int) -> None:
        streams = self._structures(keys, Substream)
        self.farm.streams = address_of(streams)
        streams[:, Substream.offsets["key"] // WORD_BYTES] = np.arange(keys)

    def _give_workers(self, room: Room, active: bool) -> None:
        farm = self.farm
        farm.workers = address_of(self._structures(room.workers, Worker))
        for number in range(room.workers):
            worker = farm.workers[number]
            worker.number = number
            worker.content.parameters, worker.content.parameter_count = farm.parameters, farm.parameter_count
            worker.content.stop = worker.address + Worker.offsets["stop"]
            if active:
                worker.deques = address_of(self._structures(room.keys, Deque))

    def _structures(self, count: int, struct: type[Struct]) -> np.ndarray:
        return self._array(count, _words(struct))

    def _array(self, count: int, words: int) -> np.ndarray:
        made = np.zeros((count, words), np.int64)
        self._kept.append(made)
        return made


def _words(struct: type[Struct]) -> int:
    return struct.size_bytes // WORD_BYTES
