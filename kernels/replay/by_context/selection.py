"""The kernels of context-bound windows in a replay."""

from collections.abc import Callable, Mapping

import numpy as np

from kernels import frames
from kernels.aggregators import window_class
from kernels.frames._rules import DONE, refusal
from kernels.ranks.sort import Ranked, rank_keys
from kernels.replay.by_context.by_arrival import arrival_logic
from kernels.replay.by_context.frames import frames_source
from kernels.replay.by_context.logic import context_bound_logic
from kernels.replay.by_context.triggered import triggered_source
from kernels.replay.selection import Selection, in_memory, in_order, require_options, unranked
from kernels.replay.types import EventColumns, KernelChoice
from schemas.errors import BadInput

MULTI_BUFFER = "multi_buffer"
"""What frames get if no kernel is named."""
FINGER_TREE = "finger_tree"
"""What other windows get."""
REPLAYED = {"single_buffer": ("sorting", "capacity"), MULTI_BUFFER: ()}
"""Options in a replay, which evicts by the watermark and by nothing else."""


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
    require_options(kernel, options, window_class(kernel).PANE_OPTIONS)
    window_class(kernel).pane_option(options)
    return KernelChoice(kernel, tuple(sorted(options.items())))


def select_panes(choice: KernelChoice, columns: EventColumns) -> Selection:
    """One kernel for all keys, which holds tuples by their places."""
    use = {"logic": context_bound_logic(), "source": triggered_source()}
    return _panes_in(choice, columns, use, places_in_order(columns))


def select_by_arrival(choice: KernelChoice, columns: EventColumns) -> Selection:
    """One kernel for all keys, which holds stretches of rows."""
    return _panes_in(choice, columns, {"logic": arrival_logic()}, unranked(columns))


def _panes_in(choice: KernelChoice, columns: EventColumns, use: dict, ranked: Ranked) -> Selection:
    keeper, keys = window_class(choice.name), len(columns.key_offsets) - 1
    use |= {"kernel": keeper.dispatch(), "option": keeper.pane_option(dict(choice.options))}
    return Selection((choice.name,), in_memory([use]), np.zeros(keys, np.int64), ranked)


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
