"""What is known of a window kind, whole: each file of kernels/kinds/ has a subclass, and an instance of it as `KIND`.

A kind says how kernels see it (spec, make, placement), which kernels and aggregates serve it, what a run must read for
it, and which windows an event missed. What the query language needs to know of it without kernels (parameters,
refusals, whether days may run in any order) stands in schemas/windows.
"""

from collections.abc import Callable, Sequence

import numpy as np

from windrow.kernels import aggregators
from windrow.kernels.bounds import LONGEST_US, Extent, KernelWindow
from windrow.kernels.replay.context import Placement
from windrow.kernels.replay.late import Arrived, Late, late_in_numbered_windows
from windrow.kernels.replay.types import WindowSpec
from windrow.schemas.errors import WrongParameter
from windrow.schemas.windows import Window


class WindowKind:
    """A kind whose windows have numbers and bounds in closed form."""

    keeps_events = False
    """Whether a kernel holds its events one by one, not panes or slices of them: such windows end where events do
    (RollingWindow)."""
    placement: Callable[[], Placement]
    """How its events go into a kernel, and how windows come out; of kinds whose windows have numbers."""
    least_refusing: str | None = None
    """Of the kernels that keys may have if none is named, the one that serves most: what it refuses, none serves. None:
    the finger tree."""
    events_last = False
    """Whether the ends of events count."""
    late_needs_later_events = False
    """Whether the windows that an event missed follow from its key's later event times too, however old it is."""

    depends_on_others = False
    """Whether its windows depend on the other events of their key (kernels/replay/dependent), and have no number."""

    @property
    def holds_panes(self) -> bool:
        """Whether all that its windows need of their points is in states of panes."""
        return not (self.depends_on_others or self.keeps_events or self.events_last)

    def kernels(self) -> Sequence[str]:
        """The kernels that can be asked for by name."""
        return aggregators.kernels()

    def refuse_impossible(self, window: Window) -> None:
        """WrongParameter for lengths beyond the range of times."""
        for parameter in ("size", "slide"):
            if getattr(window, f"{parameter}_us", 0) > LONGEST_US:
                length = getattr(window, parameter)
                raise WrongParameter(parameter, length, f"at most {LONGEST_US} µs, about 36,533 years")

    def spec(self, window: Window, starts_us: np.ndarray | None = None) -> WindowSpec:
        """The window as a replay takes it; from `starts_us` follow the days that a time zone's windows can touch."""
        raise NotImplementedError

    def make(self, spec: WindowSpec, extent: Extent) -> KernelWindow:
        """The struct that kernels see, for events within an extent. Raises WrongParameter, BadInput."""
        raise NotImplementedError

    def longest_us(self, window: Window) -> int:
        """The longest time between the start of an event and the end of a window that holds it."""
        return window.size_us

    def halo_us(self, window: Window) -> tuple[int, int]:
        """How long before and after a stretch of window starts the events of these windows may start."""
        before_us = window.longest_event_us if self.events_last else 0
        return before_us or 0, self.longest_us(window)

    def follows_from_own_events(self, emit: str) -> bool:
        """Whether the rows of a window, and what an event missed, depend on no events but those within its halo."""
        return True

    def too_long(self, window: Window, start_us: np.ndarray, end_us: np.ndarray) -> np.ndarray:
        """Which events are in no window because of their length (semantics §2)."""
        if window.longest_event_us is None:
            return np.zeros(len(start_us), bool)
        return end_us - start_us > window.longest_event_us

    def attributed(self, window: Window, start_us: np.ndarray, end_us: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What counts of each event, as (start, end): windows that meet it hold the event."""
        return start_us, start_us

    def late(self, window: Window, arrived: Arrived) -> Late:
        """The events that missed a window, in closed form: no kernel takes part (semantics §1 and §3)."""
        too_long = self.too_long(window, arrived.start_us, arrived.end_us)
        start_us, end_us = self.attributed(window, arrived.start_us, arrived.end_us)
        counted = arrived._replace(start_us=start_us, end_us=end_us)
        last_us = np.maximum(end_us - 1, start_us)
        made = self.make(self.spec(window, start_us), Extent(int(start_us.min()), int(start_us.max())))
        return late_in_numbered_windows(made, counted, last_us, too_long)

    def source_digest(self, window: Window | None) -> str:
        """Of what a file of the user's says by which its windows are found; empty where there is none."""
        return ""
