"""The memory of one farm: its structures, and the arrays that they point to, which live as long as this does."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kernels.farm.functions import HeavyFunction, function, operations, parameter_values
from kernels.farm.layout import Deque, Descriptor, Farm, Substream, Worker
from kernels.farm.models import FarmCalls
from kernels.runtime.memory import WORD_BYTES, address_of
from kernels.runtime.struct import Struct


class FarmMemory:
    """farm: the structure that compiled functions take; given: of the function; fields: of the farm, those that say how
    much there is of everything, and those of its windows. descriptors: int64[ring, words], outputs: float64[ring,
    outputs]: the same memory as arrays. It ends once no thread works on it."""

    def __init__(
        self, calls: FarmCalls, name: str | HeavyFunction, given: Mapping[str, object], fields: Mapping[str, Any]
    ):
        parameters = np.array(parameter_values(name, given), np.float64)
        self.output_names = function(name).outputs(tuple(parameters))
        per_tuple, more = function(name).scratch(tuple(parameters))
        self._kept: list[Any] = [calls]
        self.descriptors = self._made(fields["ring"], Descriptor)
        self.outputs = np.full((fields["ring"], len(self.output_names)), np.nan)
        streams, workers = self._made(fields["keys"], Substream), self._made(fields["worker_count"], Worker)
        of_function = {"compute": operations(name).compute, "scratch_per_tuple": per_tuple, "scratch_more": more}
        of_function |= {"parameters": parameters, "outputs": len(self.output_names)}
        of_model = {each: getattr(calls, each) for each in ("hand_out", "find_content", "is_active")}
        arrays = {"descriptors": self.descriptors, "streams": streams, "workers": workers}
        self.farm = Farm.make(**arrays, **of_model, **of_function, **fields)
        places = np.arange(fields["ring"]) * self.outputs.shape[1] * WORD_BYTES
        self.descriptors[:, Descriptor.offsets["outputs"] // WORD_BYTES] = address_of(self.outputs) + places
        streams[:, Substream.offsets["key"] // WORD_BYTES] = np.arange(fields["keys"])
        for number in range(fields["worker_count"]):
            worker = self.farm.workers[number]
            worker.number, worker.content.stop = number, worker.address + Worker.offsets["stop"]
            worker.content.parameters, worker.content.parameter_count = address_of(parameters), len(parameters)
            if calls.is_active:
                worker.deques = address_of(self._made(fields["keys"], Deque))

    def _made(self, count: int, struct: type[Struct]) -> np.ndarray:
        self._kept.append(np.zeros((count, struct.size_bytes // WORD_BYTES), np.int64))
        return self._kept[-1]
