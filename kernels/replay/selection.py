"""What was selected: the kernels of one replay, and which key gets which."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kernels.ranks.disorder import IN_ORDER, classify_keys
from kernels.ranks.sort import Ranked, rank_keys
from kernels.replay.context import KernelInUse
from kernels.replay.types import EventColumns
from kernels.runtime.memory import WORD_BYTES, address_of
from schemas.errors import WrongParameter


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


def require_options(of: str, options: Iterable[str], allowed: Sequence[str]) -> None:
    """WrongParameter for an option that a kernel hasn't got."""
    for option in options:
        if option not in allowed:
            raise WrongParameter("options", option, f"options of {of}: {', '.join(allowed) or 'none'}")


def in_order(columns: EventColumns) -> np.ndarray:
    """Whether each key's events arrive in order."""
    kinds = np.zeros(len(columns.key_offsets) - 1, np.int64)
    classify_keys(address_of(columns.start_us), address_of(columns.key_offsets), len(kinds), 0, address_of(kinds))
    return kinds == IN_ORDER


def unranked(columns: EventColumns) -> Ranked:
    """Where no key needs its events in order of time."""
    return rank_keys(columns.start_us, columns.key_offsets, np.zeros(0, np.int64))


def in_memory(uses: Sequence[Mapping]) -> np.ndarray:
    """A KernelInUse of each."""
    memory = np.zeros((len(uses), KernelInUse.size_bytes // WORD_BYTES), np.int64)
    for words, use in zip(memory, uses, strict=True):
        used = KernelInUse(address_of(words))
        for field, value in use.items():
            setattr(used, field, value)
    return memory
