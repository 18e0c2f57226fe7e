"""Which kernel replays a query: the named one, or for each key the one that its events ask for."""

from collections.abc import Mapping

from kernels.aggregators import face, kernels
from kernels.monoids import find_monoid
from kernels.replay.types import AggregatePlan, KernelChoice, WindowSpec
from schemas.errors import NotServed, WrongParameter

POINT_KINDS = ("tumbling", "sliding", "rolling")
SLICING, RANK_TREE = "se_slicing", "rank_tree"
SERVES = {**dict.fromkeys(kernels(), POINT_KINDS), SLICING: ("spanning",)}
"""The kernels that can be asked for, with the window kinds that each serves."""
BY_EVENTS = ("two_stacks_lite", "finger_tree", RANK_TREE)
"""The kernels that a key gets by its events; the last by no other way, since it must know all of them."""

KERNELS = tuple(SERVES)
CHOSEN = (*BY_EVENTS, SLICING)
"""The kernels that a query gets if none is named."""
WINDOW_KINDS = tuple(dict.fromkeys(kind for kinds in SERVES.values() for kind in kinds))
WITH_ARITY = ("finger_tree", "finger_tree_single", SLICING, None)


def choose(window: WindowSpec, plan: AggregatePlan, name: str | None = None,
           options: Mapping[str, int] | None = None) -> KernelChoice:
    """The named kernel, refused if it can't serve the query; without a name se_slicing for spanning windows, and for
    others a choice that is left to the events of each key."""
    if name is not None and name not in KERNELS:
        raise NotServed("kernel", name, KERNELS)
    if window.kind not in WINDOW_KINDS:
        raise NotServed("window", window.kind, WINDOW_KINDS)
    able = tuple(kernel for kernel, kinds in SERVES.items() if window.kind in kinds)
    if name is not None and name not in able:
        raise NotServed(f"kernel for {window.kind} windows", name, able)
    chosen = SLICING if able == (SLICING,) else name
    _check_plan(chosen, plan)
    _check_options(chosen, options or {})
    return KernelChoice(chosen, tuple(sorted((options or {}).items())))


def _check_plan(kernel: str | None, plan: AggregatePlan) -> None:
    """A slice mixes events of many starts, so slicing serves aggregates for which their order doesn't matter."""
    for spec in plan.aggregates:
        if kernel == SLICING and not find_monoid(spec)[1].commutative:
            raise NotServed("aggregate of spanning windows", spec.function, ("those that commute",))
    if kernel not in (SLICING, None):
        face(kernel).refuse(plan.aggregates)


def _check_options(kernel: str | None, options: Mapping[str, int]) -> None:
    allowed = ("min_arity",) if kernel in WITH_ARITY else ()
    for option in options:
        if option not in allowed:
            there_are = f"options of {kernel or 'a replay'}: {', '.join(allowed) or 'none'}"
            raise WrongParameter("options", option, there_are)
    arity = options.get("min_arity", 2)
    if not isinstance(arity, int) or not 2 <= arity <= 1024:
        raise WrongParameter("min_arity", arity, "an integer from 2 to 1024")
