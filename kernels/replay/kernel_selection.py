"""The kernels of one replay, and which key gets which: by name, or by the key's events alone (semantics §4)."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from kernels import frames, spans
from kernels.aggregators import kernels, window_class
from kernels.aggregators._window import PointWindow
from kernels.bounds import KernelWindow
from kernels.monoid import SHARE
from kernels.monoids import AggregateSpec, Monoid, find_monoid, parameter_values
from kernels.ranks import rank_keys
from kernels.replay.in_time import in_time_logic, keys_in_time, rolling_in_time
from kernels.replay.numbered import numbered_logic
from kernels.replay.order_statistics import of_states, refuse_unserved
from kernels.replay.selection import FINGER_TREE, MULTI_BUFFER, Selection, checked_choice, in_memory, in_order, unranked
from kernels.replay.types import AggregatePlan, EventColumns, KernelChoice
from kernels.replay.window_kind import WindowKind
from kernels.spans import _planner as planner
from kernels.spans._window import SpanWindow
from schemas.errors import BadInput, NotServed, WrongParameter

SORTED_STACKS = "sorted_stacks"
"""What a key gets by its events alone: it must know all of them."""

OF_SPANS = tuple(spans.kernels())
KERNELS = (*kernels(), *OF_SPANS, *frames.kernels())
"""The kernels that can be asked for."""
CHOSEN = (FINGER_TREE, SORTED_STACKS, *planner.KERNELS, MULTI_BUFFER)
"""The kernels that a query gets if none is named."""


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
        # As its class refuses, but without a list of what it serves, for which every aggregate's file is loaded.
        sweeping = all(find_monoid(spec)[1].inverse is not None for spec in specs)
        return cls(planner.most_height(sum(map(_state_words, specs))), buckets=True, sweeping=sweeping)


def choose_for(
    kind: WindowKind, of: str, plan: AggregatePlan, name: str | None, options: Mapping[str, int]
) -> KernelChoice | LeftToEvents:
    """As `choose` (entry.py); of: the kind's name."""
    if name is not None and name not in KERNELS:
        raise NotServed("kernel", name, KERNELS)
    refuse_unserved(kind, of, plan)
    plan = of_states(plan)
    able = tuple(kind.kernels())
    if name is not None and name not in able:
        raise NotServed(f"kernel for {of} windows", name, able)
    if kind.depends_on_others:
        return kind.choose(name, options)
    _keeper(kind.least_refusing if name is None else name).refuse(plan.aggregates)
    if name is None and kind.events_last:
        for option in options:
            raise WrongParameter("options", option, f"none unless a kernel is named, such as {', '.join(able)}")
        return LeftToEvents.of(plan)
    return checked_choice(name, options, name or "a replay", _keeper(name))


def _state_words(spec: AggregateSpec) -> int:
    monoid = find_monoid(spec)[1]
    return monoid.words if isinstance(monoid, Monoid) else monoid.words(parameter_values(spec, monoid))


def _keeper(kernel: str | None) -> type[PointWindow] | type[SpanWindow]:
    """The object's class of what keeps the panes, events or spans of its keys."""
    if kernel in OF_SPANS:
        return spans.window_class(kernel)
    return window_class(FINGER_TREE if kernel is None else kernel)


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
    in_time = np.zeros(len(columns.key_offsets) - 1, np.bool_)
    if choice.name is None and kind.keeps_events and kind.holds_its_time(window) and emit != "arrival":
        events = (columns.key_offsets, columns.start_us, columns.arrival_us)
        in_time = keys_in_time(*events, *steps)
    any_in_time = bool(in_time.any())
    to_rank = np.flatnonzero(in_time & ~in_order(columns)) if any_in_time else np.zeros(0, np.int64)
    ranked = rank_keys(columns.start_us, columns.key_offsets, to_rank)
    names = (choice.name or FINGER_TREE, SORTED_STACKS)
    option = _keeper(choice.name).pane_option(dict(choice.options))
    uses = [_use(_keeper(choice.name), window, option)]
    if any_in_time:
        uses.append({"logic": in_time_logic(), "kernel": rolling_in_time()})
    return Selection(names, in_memory(uses), in_time.astype(np.int64), ranked)


def _select_by_events(choice: LeftToEvents, columns: EventColumns, window: KernelWindow) -> Selection:
    """A kernel for each plan that some key has. O(events)."""
    slice_us = max(1, window.slide // 2) if window.rest else window.slide
    asked = planner.AskedWindows(
        window.size, window.slide, slice_us, choice.most_height, choice.buckets, choice.sweeping
    )
    figures = planner.figures_of(columns.key_offsets, columns.start_us, columns.end_us)
    plans, of_key = np.unique(planner.plan_keys(figures, asked), return_inverse=True)
    kernels_in_use = map(planner.kernel_of, plans.tolist())
    uses = [_use(_keeper(name), window, _keeper(name).pane_option(options)) for name, options in kernels_in_use]
    labels, of_key = tuple(map(planner.label_of, plans.tolist())), of_key.astype(np.int64)
    return Selection(labels, in_memory(uses), of_key, unranked(columns))


def _require_order(name: str | None, columns: EventColumns) -> None:
    if not _keeper(name).IN_ORDER_ONLY:
        return
    ordered = in_order(columns)
    if ordered.all():
        return
    key = int(ordered.argmin())
    first, end = columns.key_offsets[key : key + 2]
    event = first + 1 + int((np.diff(columns.start_us[first:end]) < 0).argmax())
    before, start = map(columns.labels.time, columns.start_us[event - 1 : event + 1])
    raise BadInput(
        f"an event of {columns.labels.key(key)} that starts at {start} arrived after one that starts at "
        f"{before}: {name} takes a key's events in order of time; take finger_tree, or name no kernel"
    )


def _use(keeper: type[PointWindow] | type[SpanWindow], window: KernelWindow, option: int) -> dict:
    """The fields of a KernelInUse; of a kernel with slices also the operations on what ends in them, where windows have
    many."""
    used = {"logic": numbered_logic(), "option": option}
    if not issubclass(keeper, SpanWindow):
        return used | {"kernel": keeper.dispatch()}
    ends = keeper.ends(window, option)
    return used | {"spans": keeper.dispatch()} | ({} if ends is None else {"kernel": ends})
