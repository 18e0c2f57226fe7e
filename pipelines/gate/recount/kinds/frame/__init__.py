"""Frames of all kinds: runs of the events that have a value, passed by an event behind them. One file is one kind."""

from pipelines.gate.recount.kinds._dependent import DependentWindows
from schemas.windows import Window


def frames(window: Window) -> DependentWindows[Window]:
    """Which event ended one, its times don't say."""
    return DependentWindows(window, passes_at_end=False)
