"""The windows of a key as semantics §2 says them: one file = one kind, found in this folder by `window.kind`.

Each has `windows(window, events)`: all windows of a key's accepted events, which are in order.
"""

from importlib import import_module
from types import ModuleType

from pipelines.gate.recount.plain.aggregates import EXACT
from pipelines.gate.recount.plain.ticks import Event, HeldWindow
from schemas.windows import Window, kinds_below


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


def not_cut_exactly(window: Window) -> str | None:
    """Why a plain replay can't cut windows as kernels do: no walk of theirs is known, or an aggregate that cuts them
    isn't known, or is rounded. None where it can."""
    if window.kind not in kinds():
        return f"windows of the kind {window.kind}"
    functions = {each.function for each in window.reads.values()} | {getattr(window, "function", "count")}
    others = sorted(functions - EXACT)
    return f"windows that {', '.join(others)} cuts" if others else None
