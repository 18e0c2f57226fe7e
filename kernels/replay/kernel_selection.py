"""The kernels of one replay, and which key gets which: by name, or by the key's events alone (semantics §4)."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from windrow.kernels import aggregators, frames, spans
from windrow.kernels.bounds import KernelWindow
from windrow.kernels.frames._rules import DONE, FrameRules, refusal
from windrow.kernels.monoid import SHARE
from windrow.kernels.monoids import Monoid, find_monoid, has_inverse, parameter_values
from windrow.kernels.ranks import UNRANKED, Ranked, keys_in_order, rank_keys
from windrow.kernels.replay.context import EventHolder, KernelInUse
from windrow.kernels.replay.dependent.by_arrival import arrival_logic
from windrow.kernels.replay.dependent.frames import frames_source
from windrow.kernels.replay.dependent.logic import context_bound_logic
from windrow.kernels.replay.dependent.triggered import triggered_source
from windrow.kernels.replay.numbered.in_time import in_time_logic, keys_in_time, rolling_in_time
from windrow.kernels.replay.numbered.logic import numbered_logic
from windrow.kernels.replay.types import AggregatePlan, EventColumns, KernelChoice
from windrow.kernels.replay.window_kind import WindowKind
from windrow.kernels.runtime.memory import WORD_BYTES, address_of
from windrow.kernels.spans import _planner as planner
from windrow.kernels.spans._window import SpanWindow
from windrow.schemas.errors import BadInput, WrongParameter

MULTI_BUFFER = "multi_buffer"
"""What frames get if no kernel is named."""
FINGER_TREE = "finger_tree"
"""What other windows get."""
SORTED_STACKS = "sorted_stacks"
"""What a key gets by its events alone: it must know all of them."""
FOLDERS = {name: each for each in (aggregators.folder, spans.folder, frames.folder) for name in each.names()}
KERNELS = tuple(FOLDERS)
"""The kernels that can be asked for."""
CHOSEN = (FINGER_TREE, SORTED_STACKS, *planner.KERNELS, MULTI_BUFFER)
"""The kernels that a query gets if none is named."""


class Selection(NamedTuple):
    """names: of the kernels; in_use: the memory of a KernelInUse of each that some key may have; of_key:
    int64[keys], numbers of kernels; ranked: the events of keys that need it; require_replayed(status, row):
    raises what ended a replay before its time, if an event couldn't be taken."""

    names: tuple[str, ...]
    in_use: np.ndarray
    of_key: np.ndarray
    ranked: Ranked
    require_replayed: Callable[[int, int], None]

    def counted(self) -> dict[str, int]:
        counts = np.bincount(self.of_key, minlength=len(self.names))
        return {name: int(count) for name, count in zip(self.names, counts, strict=True) if count}


def checked_choice(name: str | None, of: str, options: Mapping[str, int | str]) -> KernelChoice:
    """WrongParameter for an option that there is not, or that the kernel refuses; of: what has options."""
    keeper = keeper_of(name)
    for option in options:
        if option not in keeper.PANE_OPTIONS:
            raise WrongParameter("options", option, f"options of {of}: {', '.join(keeper.PANE_OPTIONS) or 'none'}")
    keeper.pane_option(options)
    return KernelChoice(name, tuple(sorted(options.items())))


def in_order(columns: EventColumns) -> np.ndarray:
    """Whether each key's events arrive in order."""
    return keys_in_order(columns.start_us, columns.key_offsets)


def _selection(
    columns: EventColumns,
    uses: Mapping[str, dict],
    of_key: np.ndarray | None = None,
    ranked: Ranked = UNRANKED,
    require_replayed: Callable[[int, int], None] = lambda status, row: None,
) -> Selection:
    """uses: the fields of a KernelInUse of each kernel, by name, but `panes` and `holder`; of_key: None: all keys have
    the first."""
    memory = np.zeros((len(uses), KernelInUse.size_bytes // WORD_BYTES), np.int64)
    for words, use in zip(memory, uses.values(), strict=True):
        used, table = KernelInUse(address_of(words)), use.get("frames") or use.get("spans") or use["kernel"]
        used.made_of[0], used.made_of[1] = use.pop("made_of")
        for field, value in use.items():
            setattr(used, field, value)
        for field in EventHolder.fields:
            setattr(used.holder, field, getattr(table, field, 0))
        used.holder.evict = getattr(table, "bulk_evict", table.evict)
    of_key = np.zeros(len(columns.key_offsets) - 1, np.int64) if of_key is None else of_key
    return Selection(tuple(uses), memory, of_key, ranked, require_replayed)


class LeftToEvents(NamedTuple):
    """A choice without a name, which each key's events make (kernels/spans/_planner.py). most_height: of slices;
    buckets, sweeping: whether the query lets these be taken."""

    most_height: int
    buckets: bool
    sweeping: bool
    name: None = None
    options: tuple[()] = ()

    @classmethod
    def of(cls, plan: AggregatePlan) -> "LeftToEvents":
        """What may be taken for a query. An event that counts by shares goes into each of its slices anyway."""
        specs = tuple(dict.fromkeys(plan.aggregates))
        if any(spec.second_type == SHARE for spec in specs):
            return cls(most_height=1, buckets=False, sweeping=False)
        monoids = {spec: find_monoid(spec)[1] for spec in specs}
        words = sum(
            each.words if isinstance(each, Monoid) else each.words(parameter_values(spec, each))
            for spec, each in monoids.items()
        )
        # As its class refuses, but without a list of what it serves, for which every aggregate's file is loaded.
        sweeping = all(map(has_inverse, monoids.values()))
        return cls(planner.most_height(words), buckets=True, sweeping=sweeping)


def keeper_of(kernel: str | None) -> type:
    """The object's class of what keeps the panes, events, spans or frames of its keys; None: the finger tree's."""
    return FOLDERS[kernel or FINGER_TREE].load(kernel or FINGER_TREE)


def select_kernels(
    choice: KernelChoice | LeftToEvents,
    columns: EventColumns,
    kind: WindowKind,
    window: KernelWindow,
    steps: tuple[np.ndarray, np.ndarray],
    emit: str,
) -> Selection:
    """Without a name each key gets the finger tree, but where rolling windows can be made at once (in_time.py), and of
    events that last what the planner says (kernels/spans/_planner.py). steps: the ticks and the watermarks.

    Raises BadInput where the named kernel takes events in order only, and a key's are not. O(events), and a sort of
    those of keys that are in time but out of order.
    """
    if isinstance(choice, LeftToEvents):
        return _select_by_events(choice, columns, window)
    _require_order(choice.name, columns)
    in_time = np.zeros(len(columns.key_offsets) - 1, np.int64)
    if choice.name is None and kind.keeps_events and window.beyond == 1 and emit != "arrival":
        in_time = keys_in_time(columns, *steps)
    keeper, to_rank = keeper_of(choice.name), np.zeros(0, np.int64)
    uses = {choice.name or FINGER_TREE: _use(keeper, window, keeper.pane_option(dict(choice.options)))}
    if in_time.any():
        uses[SORTED_STACKS] = {"logic": in_time_logic(), "kernel": rolling_in_time(), "made_of": (0, 0)}
        to_rank = np.flatnonzero(in_time & ~in_order(columns))
    ranked = rank_keys(columns.start_us, columns.key_offsets, to_rank)
    return _selection(columns, uses, in_time, ranked)


def _select_by_events(choice: LeftToEvents, columns: EventColumns, window: KernelWindow) -> Selection:
    """A kernel for each plan that some key has. O(events)."""
    slice_us = max(1, window.slide // 2) if window.rest else window.slide
    asked = planner.AskedWindows(
        window.size, window.slide, slice_us, choice.most_height, choice.buckets, choice.sweeping
    )
    figures = planner.figures_of(columns.key_offsets, columns.start_us, columns.end_us)
    plans, of_key = np.unique(planner.plan_keys(figures, asked), return_inverse=True)
    uses = {}
    for plan in plans.tolist():
        name, options = planner.kernel_of(plan)
        uses[planner.label_of(plan)] = _use(keeper_of(name), window, keeper_of(name).pane_option(options))
    return _selection(columns, uses, of_key.astype(np.int64))


def _require_order(name: str | None, columns: EventColumns) -> None:
    if not keeper_of(name).IN_ORDER_ONLY or (ordered := in_order(columns)).all():
        return
    key = int(ordered.argmin())
    first, end = columns.key_offsets[key : key + 2]
    event = first + 1 + int((np.diff(columns.start_us[first:end]) < 0).argmax())
    before, start = map(columns.labels.time, columns.start_us[event - 1 : event + 1])
    raise BadInput(
        f"an event of {columns.labels.key(key)} that starts at {start} arrived after one that starts at "
        f"{before}: {name} takes a key's events in order of time; take finger_tree, or name no kernel"
    )


def _use(keeper: type, window: KernelWindow, option: int) -> dict:
    """The fields of a KernelInUse; of a kernel with slices also the operations on what ends in them, where windows have
    many."""
    used = {"logic": numbered_logic()}
    if not issubclass(keeper, SpanWindow):
        return used | {"kernel": keeper.dispatch(), "made_of": (option, 0)}
    used |= {"spans": keeper.dispatch(), "made_of": (window.address, option)}
    ends = keeper.ends(window, option)
    return used if ends is None else used | {"kernel": ends}


def select_frames(
    choice: KernelChoice, columns: EventColumns, rules: FrameRules, require_answers: Callable[[], None]
) -> Selection:
    """One kernel for all keys. rules: what cuts frames; require_answers() raises what is wrong with those that were
    made."""
    keeper = keeper_of(choice.name)
    options = keeper.pane_option(dict(choice.options))
    use = {"logic": context_bound_logic(), "source": frames_source(), "frames": keeper.dispatch()}
    use["made_of"] = (rules.address, 0 if options is None else options.address)

    def require_replayed(status: int, row: int) -> None:
        require_answers()
        if status != DONE:
            event = f"an event that starts at {columns.labels.time(int(columns.start_us[row]))}"
            capacity = getattr(options, "capacity", 0)
            raise BadInput(refusal(str(choice.name), status, event, "the watermark − allowed lateness", capacity))

    return _selection(columns, {str(choice.name): use}, require_replayed=require_replayed)


def select_panes(
    choice: KernelChoice, columns: EventColumns, by_arrival: bool = False, by_places: bool = True
) -> Selection:
    """One kernel for all keys, which holds tuples by their places in order of time, or stretches of rows by arrival."""
    keeper = keeper_of(choice.name)
    use = {"kernel": keeper.dispatch(), "made_of": (keeper.pane_option(dict(choice.options)), 0)}
    use |= {"logic": arrival_logic()} if by_arrival else {"logic": context_bound_logic(), "source": triggered_source()}
    return _selection(columns, {str(choice.name): use}, ranked=_places_in_order(columns) if by_places else UNRANKED)


def _places_in_order(columns: EventColumns) -> Ranked:
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
