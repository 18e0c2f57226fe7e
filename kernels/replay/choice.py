"""Which kernel replays a query: by name, or by default."""

from collections.abc import Mapping

from kernels.monoids import find_monoid
from kernels.replay.types import AggregatePlan, KernelChoice, WindowSpec
from schemas.errors import NotServed, WrongParameter

SERVES = {"finger_tree": ("tumbling", "sliding", "rolling"), "se_slicing": ("spanning",)}
"""The kernels that replay_keys can run, with the window kinds that each serves."""

KERNELS = tuple(SERVES)
WINDOW_KINDS = tuple(kind for kinds in SERVES.values() for kind in kinds)
OPTIONS = ("min_arity",)  # both kernels stand on finger trees


def choose(window: WindowSpec, plan: AggregatePlan, name: str | None = None,
           options: Mapping[str, int] | None = None) -> KernelChoice:
    """The kernel for a query: the named one, refused if it can't serve the query; by default the one that can."""
    if name is not None and name not in KERNELS:
        raise NotServed("kernel", name, KERNELS)
    if window.kind not in WINDOW_KINDS:
        raise NotServed("window", window.kind, WINDOW_KINDS)
    able = tuple(kernel for kernel, kinds in SERVES.items() if window.kind in kinds)
    if name is not None and name not in able:
        raise NotServed(f"kernel for {window.kind} windows", name, able)
    chosen = name or able[0]
    _check_plan(chosen, plan)
    for option in options or {}:
        if option not in OPTIONS:
            raise WrongParameter("options", option, f"options of {chosen}: {', '.join(OPTIONS)}")
    arity = (options or {}).get("min_arity", 2)
    if not isinstance(arity, int) or not 2 <= arity <= 1024:
        raise WrongParameter("min_arity", arity, "an integer from 2 to 1024")
    return KernelChoice(chosen, tuple(sorted((options or {}).items())))


def _check_plan(kernel: str, plan: AggregatePlan) -> None:
    """A slice mixes events of many starts, so slicing serves aggregates for which their order doesn't matter."""
    for spec in plan.aggregates:
        if kernel == "se_slicing" and not find_monoid(spec)[1].commutative:
            raise NotServed("aggregate of spanning windows", spec.function, ("those that commute",))
