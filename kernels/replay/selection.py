"""What was selected: the kernels of one replay, and which key gets which."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kernels.ranks.sort import Ranked
from kernels.replay.context import KernelInUse
from kernels.runtime.memory import WORD_BYTES, address_of


def _nothing_refused(status: int, row: int) -> None:
    """Most kernels take every event."""


class Selection(NamedTuple):
    """names: of the kernels; in_use: the memory of a KernelInUse of each that some key may have; of_key:
    int64[keys], numbers of kernels; ranked: the events of keys that need it; require_replayed(status, row):
    raises what ended a replay before its time, if an event couldn't be taken."""

    names: tuple[str, ...]
    in_use: np.ndarray
    of_key: np.ndarray
    ranked: Ranked
    require_replayed: Callable[[int, int], None] = _nothing_refused

    def counted(self) -> dict[str, int]:
        """How many keys each kernel has, of those that have any."""
        counts = np.bincount(self.of_key, minlength=len(self.names))
        return {name: int(count) for name, count in zip(self.names, counts, strict=True) if count}


def in_memory(uses: Sequence[Mapping]) -> np.ndarray:
    """A KernelInUse of each."""
    memory = np.zeros((len(uses), KernelInUse.size_bytes // WORD_BYTES), np.int64)
    for words, use in zip(memory, uses, strict=True):
        used = KernelInUse(address_of(words))
        for field, value in use.items():
            setattr(used, field, value)
    return memory
