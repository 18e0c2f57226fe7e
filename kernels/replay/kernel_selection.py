"""The kernels of one replay, and which key gets which: by name, or by the key's events alone (semantics §4)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kernels import spans
from kernels.aggregators import kernels, window_class
from kernels.aggregators._dispatch import PointKernel
from kernels.aggregators._window import Window
from kernels.ranks.disorder import IN_ORDER, classify_keys
from kernels.ranks.sort import Ranked, rank_keys
from kernels.replay.context import KernelInUse
from kernels.replay.in_time import in_time_logic, keys_in_time, rolling_in_time
from kernels.replay.numbered import numbered_logic
from kernels.replay.types import AggregatePlan, EventColumns, KernelChoice, WindowSpec
from kernels.runtime.memory import WORD_BYTES, address_of
from kernels.spans._dispatch import SpanKernel
from kernels.spans._window import SpanWindow
from kernels.windows import window_kind
from kernels.windows._window import Window as KernelWindow
from schemas.errors import BadInput, NotServed, WrongParameter

if TYPE_CHECKING:  # kinds are made of parts of the replay
    from kernels.windows._kind import WindowKind

FINGER_TREE = "finger_tree"
SORTED_STACKS = "sorted_stacks"
"""What a key gets by its events alone: it must know all of them."""

OF_SPANS = tuple(spans.kernels())
KERNELS = (*kernels(), *OF_SPANS)
"""The kernels that can be asked for."""
CHOSEN = (FINGER_TREE, SORTED_STACKS, spans.SE_SLICING)
"""The kernels that a query gets if none is named."""


class Selection(NamedTuple):
    """names: of the kernels; in_use: the memory of a KernelInUse of each that some key may have; of_key:
    int64[keys], numbers of kernels; ranked: the events of keys that need it."""

    names: tuple[str, ...]
    in_use: np.ndarray
    of_key: np.ndarray
    ranked: Ranked

    def counted(self) -> dict[str, int]:
        """How many keys each kernel has, of those that have any."""
        counts = np.bincount(self.of_key, minlength=len(self.names))
        return {name: int(count) for name, count in zip(self.names, counts, strict=True) if count}


class Passing(NamedTuple):
    """The staircase of the watermark, and which emit asks for its passing."""

    ticks: np.ndarray
    marks: np.ndarray
    emit: str


def choose(
    window: WindowSpec, plan: AggregatePlan, name: str | None = None, options: Mapping[str, int] | None = None
) -> KernelChoice:
    """The named kernel, refused if it can't serve the query; without a name the only one that serves the window, or a
    choice that is left to the events of each key."""
    if name is not None and name not in KERNELS:
        raise NotServed("kernel", name, KERNELS)
    kind = window_kind(window.kind)
    able = tuple(kind.kernels())
    if name is not None and name not in able:
        raise NotServed(f"kernel for {window.kind} windows", name, able)
    chosen = kind.unnamed if name is None else name
    _keeper(chosen).refuse(plan.aggregates)
    _check_options(chosen, options or {})
    return KernelChoice(chosen, tuple(sorted((options or {}).items())))


def _keeper(kernel: str | None) -> type[Window] | type[SpanWindow]:
    """The object's class of what keeps the panes, events or spans of its keys."""
    if kernel in OF_SPANS:
        return spans.window_class(kernel)
    return window_class(FINGER_TREE if kernel is None else kernel)


def _check_options(kernel: str | None, options: Mapping[str, int]) -> None:
    allowed = _keeper(kernel).PANE_OPTIONS
    for option in options:
        if option not in allowed:
            there_are = f"options of {kernel or 'a replay'}: {', '.join(allowed) or 'none'}"
            raise WrongParameter("options", option, there_are)
    _keeper(kernel).pane_option(options)


def select_kernels(
    choice: KernelChoice, columns: EventColumns, kind: "WindowKind", window: KernelWindow, passing: Passing
) -> Selection:
    """Without a name each key gets the finger tree, but where rolling windows can be made at once (in_time.py).

    Raises BadInput where the named kernel takes events in order only, and a key's are not. O(events), and a sort of
    those of keys that are in time but out of order.
    """
    _require_order(choice.name, columns)
    in_time = np.zeros(len(columns.key_offsets) - 1, np.bool_)
    if choice.name is None and kind.keeps_events and passing.emit != "arrival":
        events = (columns.key_offsets, columns.start_us, columns.arrival_us)
        in_time = keys_in_time(*events, passing.ticks, passing.marks)
    any_in_time = bool(in_time.any())
    to_rank = np.flatnonzero(in_time & ~_in_order(columns)) if any_in_time else np.zeros(0, np.int64)
    ranked = rank_keys(columns.start_us, columns.key_offsets, to_rank)
    names = (choice.name or FINGER_TREE, SORTED_STACKS)
    return Selection(names, _in_use(choice, window, any_in_time), in_time.astype(np.int64), ranked)


def _in_order(columns: EventColumns) -> np.ndarray:
    """Whether each key's events arrive in order."""
    kinds = np.zeros(len(columns.key_offsets) - 1, np.int64)
    classify_keys(address_of(columns.start_us), address_of(columns.key_offsets), len(kinds), 0, address_of(kinds))
    return kinds == IN_ORDER


def _require_order(name: str | None, columns: EventColumns) -> None:
    if not _keeper(name).IN_ORDER_ONLY:
        return
    in_order = _in_order(columns)
    if in_order.all():
        return
    key = int(in_order.argmin())
    first, end = columns.key_offsets[key : key + 2]
    event = first + 1 + int((np.diff(columns.start_us[first:end]) < 0).argmax())
    before, start = map(columns.labels.time, columns.start_us[event - 1 : event + 1])
    raise BadInput(
        f"an event of {columns.labels.key(key)} that starts at {start} arrived after one that starts at "
        f"{before}: {name} takes a key's events in order of time; take finger_tree, or name no kernel"
    )


def _in_use(choice: KernelChoice, window: KernelWindow, any_in_time: bool) -> np.ndarray:
    """The memory of a KernelInUse of the chosen kernel, and of one of the sorted stacks where some keys have them."""
    keeper = _keeper(choice.name)
    option = keeper.pane_option(dict(choice.options))
    uses = [{"logic": numbered_logic(), "option": option} | _tables(keeper, window, option)]
    if any_in_time:
        uses.append({"logic": in_time_logic(), "kernel": rolling_in_time()})
    memory = np.zeros((len(uses), KernelInUse.size_bytes // WORD_BYTES), np.int64)
    for words, use in zip(memory, uses, strict=True):
        used = KernelInUse(address_of(words))
        for field, value in use.items():
            setattr(used, field, value)
    return memory


def _tables(
    keeper: type[Window] | type[SpanWindow], window: KernelWindow, option: int
) -> dict[str, PointKernel | SpanKernel]:
    """The kernel's operations; of one with slices, also those on what ends in them, where windows have many."""
    if not issubclass(keeper, SpanWindow):
        return {"kernel": keeper.dispatch()}
    ends = keeper.ends(window, option)
    return {"spans": keeper.dispatch()} | ({} if ends is None else {"kernel": ends})
