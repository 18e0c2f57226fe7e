"""Kernels for events that last: an event is in every window that its interval meets (SPANS). One file = one kernel,
found by looking; each defines `KERNEL`, the class of its object. Names that start with an underscore are shared."""

import functools
import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from kernels.given import require_known
from kernels.runtime.found import names_in
from schemas.errors import NotServed, WrongParameter
from schemas.query import Aggregate
from schemas.windows import Window
from schemas.windows.regular import WHOLE

if TYPE_CHECKING:  # replays know kernels by name, and kernels are made of parts of the replay
    from kernels.spans._window import SpanWindow

SE_SLICING = "se_slicing"


def kernels() -> list[str]:
    """Names of the kernels in the folder, sorted."""
    return names_in(__path__)


@functools.cache
def window_class(kernel: str) -> "type[SpanWindow]":
    """The class of a kernel's object. NotServed for an unknown one."""
    if kernel not in kernels():
        raise NotServed("kernel", kernel, kernels())
    return importlib.import_module(f"{__name__}.{kernel}").KERNEL


def make(kernel: str, window: Window, aggregates: Mapping[str, Aggregate], **options) -> "SpanWindow":
    """The open windows of one key: insert_span, state, evict, first_from, save, load, check.

        calls = make("se_slicing", spanning(hour, minute), {"calls": agg("count"), "longest": agg("max", "length_s")})
        calls.insert_span(start_us, end_us, 180.0)
        calls.state(low_us, high_us)  # of one of the windows: {"calls": 1, "longest": 180.0}

    aggregates, options: as of kernels.aggregators.make. Raises NotServed for an unknown kernel, function or aggregate,
    WrongParameter for a wrong window, option or column.
    """
    require_known("kernel", kernel, kernels())
    made = window_class(kernel)
    if not isinstance(window, Window) or window.longest_event_us is None:
        raise WrongParameter("window", window, "one whose events last, as schemas.query.spanning makes")
    if getattr(window, "attribution", WHOLE) != WHOLE:
        raise WrongParameter("window", window, "one of whole events; other attributions are a replay's (replay_table)")
    made.require(kernel, aggregates, options)
    return made(window, aggregates, **options)
