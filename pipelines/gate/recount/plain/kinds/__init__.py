"""The windows of a key as semantics §2 says them: one file = one kind, found in this folder by `window.kind`.

Each has `windows(window, events)`: all windows of a key's accepted events, which are in order; and `shape(window)`:
what their times say of them without that walk.
"""

from importlib import import_module
from types import ModuleType

from windrow.pipelines.gate.recount.plain.ticks import Event, HeldWindow
from windrow.schemas.windows import Window, kinds_below


def kinds() -> tuple[str, ...]:
    return kinds_below(__path__, __name__)


def of_kind(window: Window) -> ModuleType:
    return import_module(f"{__name__}.{window.kind}")


def windows_of_key(window: Window, events: list[Event]) -> list[HeldWindow]:
    """All windows of a key's accepted events, which are in order of arrival."""
    # Events of one time stay in order of arrival.
    ordered = events if is_by_arrival(window) else sorted(events, key=lambda event: event.start)
    return [held for held in of_kind(window).windows(window, ordered) if held.events]


def is_by_arrival(window: Window) -> bool:
    """Whether events are taken as they arrive, whatever their start."""
    return getattr(window, "order", None) == "arrival"
