"""A query as kernels take it: its windows' kind, its rules, and which kernel replays it."""

from collections.abc import Mapping
from typing import NamedTuple

from windrow.kernels.api import AggregatePlan, KernelChoice, ReplayRules
from windrow.kernels.entry import choose
from windrow.kernels.kinds import window_kind
from windrow.kernels.replay.late import FOREVER_US
from windrow.kernels.replay.window_kind import WindowKind
from windrow.schemas.query import Query
from windrow.schemas.windows import MICROSECOND


class ServedQuery(NamedTuple):
    """A query of one window that kernels serve, with all that they know of the kind; made by `of`. kernel: the name of
    the one to use; None: each key's events choose; window_name: which of a query's several windows it is of."""

    query: Query
    kind: WindowKind
    kernel: str | None = None
    window_name: str | None = None

    @classmethod
    def of(cls, query: Query, kernel: str | None = None) -> "ServedQuery":
        """NotServed for a kind of windows that there is not, WrongParameter for lengths beyond the range of times."""
        kind = window_kind(query.window.kind)
        kind.refuse_impossible(query.window)
        return cls(query, kind, kernel)

    @classmethod
    def parts_of(cls, query: Query, kernel: str | None = None) -> "list[ServedQuery]":
        """One of each window, by name, in the order of the tables' rows. Errors as of `of`."""
        named = sorted(query.parts.items(), key=lambda part: part[0] or "")
        return [cls.of(part, kernel)._replace(window_name=name) for name, part in named]

    def rules(self, last_tick_us: int | None) -> ReplayRules:
        """Lateness, emit and end of the stream as kernels want them."""
        waits = (self.query.lateness, self.query.allowed_lateness)
        lateness_us, allowed_us = (min(each // MICROSECOND, FOREVER_US) for each in waits)
        return ReplayRules(lateness_us, allowed_us, self.query.emit, last_tick_us)

    def choose_kernel(self, plan: AggregatePlan, options: Mapping[str, int] | None = None) -> KernelChoice:
        """NotServed for a kernel that there is not."""
        chosen = choose(self.kind.spec(self.query.window), plan, self.kernel, options)
        return KernelChoice(chosen.name, chosen.options)
