"""Which kernel replays a query: by name, or by default."""

from collections.abc import Mapping

from kernels.replay.types import AggregatePlan, KernelChoice, WindowSpec
from schemas.errors import NotServed, WrongParameter

KERNELS = ("finger_tree",)
"""Names of the kernels that replay_keys can run."""

WINDOW_KINDS = ("tumbling", "sliding", "rolling")
OPTIONS = {"finger_tree": ("min_arity",)}


def choose(window: WindowSpec, plan: AggregatePlan, name: str | None = None,
           options: Mapping[str, int] | None = None) -> KernelChoice:
    """The kernel for a query: the named one, refused if it can't serve the query; by default the finger
    tree."""
    if name is not None and name not in KERNELS:
        raise NotServed("kernel", name, KERNELS)
    if window.kind not in WINDOW_KINDS:
        raise NotServed("window", window.kind, WINDOW_KINDS)
    chosen = name or "finger_tree"
    for option in options or {}:
        if option not in OPTIONS[chosen]:
            raise WrongParameter("options", option, f"options of {chosen}: {', '.join(OPTIONS[chosen])}")
    arity = (options or {}).get("min_arity", 2)
    if not isinstance(arity, int) or not 2 <= arity <= 1024:
        raise WrongParameter("min_arity", arity, "an integer from 2 to 1024")
    return KernelChoice(chosen, tuple(sorted((options or {}).items())))
