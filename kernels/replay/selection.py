"""What was selected: the kernels of one replay, and which key gets which; and those of context-bound windows."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kernels import frames
from kernels.aggregators import window_class
from kernels.frames._rules import DONE, refusal
from kernels.ranks import IN_ORDER, Ranked, classify_keys, rank_keys
from kernels.replay.by_context.by_arrival import arrival_logic
from kernels.replay.by_context.frames import frames_source
from kernels.replay.by_context.logic import context_bound_logic
from kernels.replay.by_context.triggered import triggered_source
from kernels.replay.context import KernelInUse
from kernels.replay.types import EventColumns, KernelChoice
from kernels.runtime.memory import WORD_BYTES, address_of
from schemas.errors import BadInput, WrongParameter

MULTI_BUFFER = "multi_buffer"
"""What frames get if no kernel is named."""
FINGER_TREE = "finger_tree"
"""What other windows get."""
REPLAYED = {"single_buffer": ("sorting", "capacity"), MULTI_BUFFER: ()}
"""Options in a replay, which evicts by the watermark and by nothing else."""


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
        counts = np.bincount(self.of_key, minlength=len(self.names))
        return {name: int(count) for name, count in zip(self.names, counts, strict=True) if count}


def require_options(of: str, options: Iterable[str], allowed: Sequence[str]) -> None:
    """WrongParameter for an option that a kernel hasn't got."""
    for option in options:
        if option not in allowed:
            raise WrongParameter("options", option, f"options of {of}: {', '.join(allowed) or 'none'}")


def checked_choice(name: str | None, options: Mapping[str, int | str], of: str, keeper) -> KernelChoice:
    """A kernel with options that its object's class knows."""
    require_options(of, options, keeper.PANE_OPTIONS)
    keeper.pane_option(options)
    return KernelChoice(name, tuple(sorted(options.items())))


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
        used, holder = KernelInUse(address_of(words)), use.get("frames") or use.get("spans") or use["kernel"]
        for field, value in {**use, "destroy": holder.destroy, "reset": holder.reset}.items():
            setattr(used, field, value)
    return memory


def choose_frames(name: str | None, options: Mapping[str, int | str]) -> KernelChoice:
    """WrongParameter for an option that there is not."""
    kernel = MULTI_BUFFER if name is None else name
    require_options(f"{kernel} in a replay", options, REPLAYED[kernel])
    frames.window_class(kernel).structure_options(options)
    return KernelChoice(kernel, tuple(sorted(options.items())))


def select_frames(choice: KernelChoice, columns: EventColumns, require_answers: Callable[[], None]) -> Selection:
    """One kernel for all keys. require_answers() raises what is wrong with frames that were made."""
    keeper, keys = frames.window_class(choice.name), len(columns.key_offsets) - 1
    options = keeper.structure_options(dict(choice.options))
    tables = {"logic": context_bound_logic(), "source": frames_source(), "frames": keeper.dispatch()}
    use = tables | {"option": 0 if options is None else options.address}

    def require_replayed(status: int, row: int) -> None:
        require_answers()
        if status != DONE:
            event = f"an event that starts at {columns.labels.time(int(columns.start_us[row]))}"
            capacity = getattr(options, "capacity", 0)
            raise BadInput(refusal(str(choice.name), status, event, "the watermark − allowed lateness", capacity))

    return Selection((choice.name,), in_memory([use]), np.zeros(keys, np.int64), unranked(columns), require_replayed)


def choose_panes(name: str | None, options: Mapping[str, int | str]) -> KernelChoice:
    """WrongParameter for an option that there is not."""
    kernel = FINGER_TREE if name is None else name
    return checked_choice(kernel, options, kernel, window_class(kernel))


def select_panes(choice: KernelChoice, columns: EventColumns, by_arrival: bool = False) -> Selection:
    """One kernel for all keys, which holds tuples by their places, or stretches of rows by arrival."""
    keeper, keys = window_class(choice.name), len(columns.key_offsets) - 1
    use = {"kernel": keeper.dispatch(), "option": keeper.pane_option(dict(choice.options))}
    if by_arrival:
        of_use, ranked = {"logic": arrival_logic()}, unranked(columns)
    else:
        of_use, ranked = {"logic": context_bound_logic(), "source": triggered_source()}, places_in_order(columns)
    return Selection((choice.name,), in_memory([use | of_use]), np.zeros(keys, np.int64), ranked)


def places_in_order(columns: EventColumns) -> Ranked:
    """The place of each tuple among those of its key in order of time, equal ones by arrival, as its rank. O(events),
    and a sort of those of keys that come out of order."""
    offsets, events = columns.key_offsets, len(columns.start_us)
    of_key = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    out_of_order = np.flatnonzero(~in_order(columns))
    ranked = rank_keys(columns.start_us, offsets, out_of_order)
    places = np.arange(events) - offsets[of_key]
    for key in out_of_order:
        rows = slice(offsets[key], offsets[key + 1])
        places[rows][ranked.rows[rows]] = np.arange(offsets[key + 1] - offsets[key])
    return ranked._replace(ranks=places)
