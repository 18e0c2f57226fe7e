"""The kernels of one replay, and which key gets which: by name, or by the key's events alone (semantics §4)."""

from typing import NamedTuple

import numpy as np

from kernels.aggregators import face
from kernels.disorder import BY_TREE, IN_ORDER, MOST_RANKED_WORDS, judge_keys
from kernels.memory import lend
from kernels.plan import COMMUTATIVE, Plan
from kernels.ranks.door import door as ranks_door
from kernels.ranks.sort import Ranked, rank_keys
from kernels.replay.choice import BY_EVENTS, RANK_TREE, SLICING
from kernels.replay.structures import EXPECTS, ITS_DOOR, OPTION, RECORD_WORDS
from kernels.replay.types import EventColumns, KernelChoice, WindowSpec
from schemas.errors import BadInput, NotServed


class Roster(NamedTuple):
    """names: of the kernels; records: int64[kernels, words], as structures.py has them; of_key: int64[keys], numbers of
    kernels; ranked: the events of keys that need it."""

    names: tuple[str, ...]
    records: np.ndarray
    of_key: np.ndarray
    ranked: Ranked

    def counted(self) -> dict[str, int]:
        """How many keys each kernel has, of those that have any."""
        counts = np.bincount(self.of_key, minlength=len(self.names))
        return {name: int(count) for name, count in zip(self.names, counts, strict=True) if count}


def make_roster(choice: KernelChoice, columns: EventColumns, window: WindowSpec, plan: Plan) -> Roster:
    """Two stacks are given to keys in order where the structure holds panes. Where it holds event by event (rolling
    windows, aggregates that don't commute), a late event can have a window asked for that reaches anywhere: over two
    stacks that folds it whole, 240 µs a row instead of 2 (a key of 100,000 events a window that fell behind).

    Raises BadInput where the named kernel takes events in order only, and a key's are not; NotServed. O(events), and a
    sort of those of keys in extreme disorder.
    """
    commutes = bool(plan.block[COMMUTATIVE])
    holds_panes = commutes and window.kind != "rolling"
    _require_served(choice.name, window, commutes)
    if choice.name is None:
        # Panes are few, and far less disordered than events.
        of_key = _judged(columns, commutes and not holds_panes and plan.state_words <= MOST_RANKED_WORDS)
        if not holds_panes:
            of_key[of_key == IN_ORDER] = BY_TREE
        given, of_key = np.unique(of_key, return_inverse=True)
        names = tuple(BY_EVENTS[kind] for kind in given)
    else:
        names, of_key = (choice.name,), np.zeros(len(columns.key_offsets) - 1, np.int64)
        _require_order(choice.name, columns)
    needs_ranks = np.array([name == RANK_TREE for name in names], np.bool_)[of_key]
    ranked = rank_keys(columns.start_us, columns.key_offsets, np.flatnonzero(needs_ranks))
    return Roster(names, _records(names, dict(choice.options)), of_key, ranked)


def _judged(columns: EventColumns, by_ranks: bool) -> np.ndarray:
    """What each key's events ask for."""
    kinds = np.zeros(len(columns.key_offsets) - 1, np.int64)
    judge_keys(lend(columns.start_us), lend(columns.key_offsets), len(kinds), int(by_ranks), lend(kinds))
    return kinds


def _require_served(name: str | None, window: WindowSpec, commutes: bool) -> None:
    """What choose() can't refuse, since it never gives it."""
    if name == RANK_TREE and not (window.kind == "rolling" and commutes):
        raise NotServed("kernel", name, ("for rolling windows of aggregates that commute only",))


def _require_order(name: str, columns: EventColumns) -> None:
    if name in (SLICING, RANK_TREE) or not face(name).IN_ORDER_ONLY:
        return
    kinds = _judged(columns, by_ranks=False)
    if (kinds == IN_ORDER).all():
        return
    key = int((kinds != IN_ORDER).argmax())
    first, end = columns.key_offsets[key:key + 2]
    event = first + 1 + int((np.diff(columns.start_us[first:end]) < 0).argmax())
    before, start = map(columns.labels.time, columns.start_us[event - 1:event + 1])
    raise BadInput(f"an event of {columns.labels.key(key)} that starts at {start} arrived after one that starts at "
                   f"{before}: {name} takes a key's events in order of time; take finger_tree, or name no kernel")


def _records(names: tuple[str, ...], options: dict[str, int]) -> np.ndarray:
    records = np.zeros((len(names), RECORD_WORDS), np.int64)
    for record, name in zip(records, names, strict=True):
        if name == RANK_TREE:
            record[[ITS_DOOR, EXPECTS]] = ranks_door(), 1
        else:
            kernel = face("finger_tree" if name == SLICING else name)
            arity = options.get("min_arity") if "min_arity" in kernel.OPTIONS else None
            record[[ITS_DOOR, OPTION]] = kernel.door(), arity or kernel.PANE_OPTION
    return records
