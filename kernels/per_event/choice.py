"""Which kernel answers the events of a key: the named one, or what its events, size and aggregates ask for."""

from typing import NamedTuple

import numpy as np

from kernels.given import require_known
from kernels.per_event import by_ranks, by_sorted_stacks, by_tree, in_order
from kernels.per_event.by_sorted_stacks import MOST_PLACES, count_places
from kernels.ranks.disorder import BY_RANKS, BY_TREE, IN_ORDER, MOST_RANKED_WORDS, classify_keys
from kernels.ranks.sort import Ranked, rank_keys
from kernels.runtime.memory import address_of
from kernels.states.state_plan import Plan
from schemas.errors import BadInput, WrongParameter

ASKED_FOR = {IN_ORDER: in_order.KERNEL, BY_TREE: by_tree.KERNEL, BY_RANKS: by_ranks.KERNEL}
"""By what a key's events ask for."""
KERNELS = (*ASKED_FOR.values(), by_sorted_stacks.KERNEL)
NAMES = tuple(kernel.name for kernel in KERNELS)
SORTED_STACKS = KERNELS.index(by_sorted_stacks.KERNEL)
FEW = 4096
"""Events of a key up to which sorting them all isn't worth its while."""


class Choice(NamedTuple):
    """of_key: int64[keys], places in KERNELS; ranked: the events of keys whose kernel needs that."""

    of_key: np.ndarray
    ranked: Ranked


def choose(kernel: str | None, times: np.ndarray, offsets: np.ndarray, size_us: int, plan: Plan) -> Choice:
    """The kernel of each key. Raises NotServed, BadInput and WrongParameter for a named one that can't serve."""
    ranks_serve = plan.layout.is_commutative and plan.state_words <= MOST_RANKED_WORDS
    kinds = np.zeros(len(offsets) - 1, np.int64)
    classify_keys(address_of(times), address_of(offsets), len(kinds), int(ranks_serve), address_of(kinds))
    if kernel is not None:
        chosen = _named(kernel, kinds, plan)
        to_rank = np.arange(len(kinds)) if KERNELS[chosen].ranked else np.zeros(0, np.int64)
        return Choice(np.full(len(kinds), chosen), rank_keys(times, offsets, to_rank))
    of_key = np.array([KERNELS.index(ASKED_FOR[kind]) for kind in sorted(ASKED_FOR)])[kinds]
    to_rank = np.flatnonzero((kinds != IN_ORDER) & (np.diff(offsets) > FEW) & ranks_serve)
    ranked = rank_keys(times, offsets, to_rank)
    _prefer_sorted_stacks(of_key, times, offsets, ranked, size_us, to_rank)
    return Choice(of_key, ranked)


def _prefer_sorted_stacks(
    of_key: np.ndarray, times: np.ndarray, offsets: np.ndarray, ranked: Ranked, size_us: int, keys: np.ndarray
) -> None:
    """Give those of some ranked keys to sorted stacks whose fronts are not too long in all."""
    addresses = [address_of(each) for each in (times, ranked.ranks, ranked.ascending)]
    for key in keys:
        first, end = (int(offset) for offset in offsets[key : key + 2])
        if count_places(*addresses, first, end, size_us) <= MOST_PLACES * (end - first):
            of_key[key] = SORTED_STACKS


def _named(kernel: str, kinds: np.ndarray, plan: Plan) -> int:
    """Place of a kernel by name; refused where it can't take the events or the aggregates."""
    require_known("kernel", kernel, NAMES)
    named = NAMES.index(kernel)
    if KERNELS[named].in_order_only and (kinds != IN_ORDER).any():
        raise BadInput(
            f"events of key {int((kinds != IN_ORDER).argmax())} are out of order, which {kernel} doesn't "
            "take; take finger_tree, or leave the choice to the events"
        )
    if KERNELS[named].ranked and not plan.layout.is_commutative:
        raise WrongParameter("kernel", kernel, "another: some of the aggregates don't commute")
    return named
