"""A query as kernels take it: its rules, and which kernel replays it."""

from collections.abc import Mapping

from kernels.replay import AggregatePlan, KernelChoice, ReplayRules, choose
from kernels.windows import window_kind
from kernels.windows._late import FOREVER_US
from schemas.query import Query
from schemas.windows import MICROSECOND


def refuse_unreplayable(query: Query) -> None:
    """NotServed, or WrongParameter, for a window that no kernel serves."""
    choose_kernel(query, AggregatePlan(()), None, None)


def rules_of(query: Query, last_tick_us: int | None) -> ReplayRules:
    """Lateness, emit and end of the stream as kernels want them."""
    waits = (query.lateness, query.allowed_lateness)
    lateness_us, allowed_us = (min(each // MICROSECOND, FOREVER_US) for each in waits)
    return ReplayRules(lateness_us, allowed_us, query.emit, last_tick_us)


def choose_kernel(
    query: Query, plan: AggregatePlan, kernel: str | None, options: Mapping[str, int] | None
) -> KernelChoice:
    """The kernel of that name, or None: by each key's events. NotServed for a window or kernel that there is not."""
    kind = window_kind(query.window.kind)
    kind.refuse_impossible(query.window)
    return choose(kind.spec(query.window), plan, kernel, options)
