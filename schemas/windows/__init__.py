"""The window kinds of the query language (semantics §2): what can be written, not what is served.

Intervals are half-open `[lo, hi)`. Sizes are `timedelta`. One file is one kind, found by looking in this folder, and
`frame.delta` in `frame/`; names that start with an underscore are shared. The kinds below can be imported from here; a
new one needs no line.
"""

import importlib
import pkgutil
from collections.abc import Iterable

from schemas.windows._regular import Regular
from schemas.windows._requirements import (
    DAY,
    EPOCH,
    MICROSECOND,
    require,
    require_above_zero,
    require_calendar,
    require_column,
    require_count,
    require_duration,
    require_number,
    require_origin,
    require_positive,
    require_zone,
)
from schemas.windows._window import Window, require_cutting_type
from schemas.windows.count import Count
from schemas.windows.delta import Delta
from schemas.windows.frame.aggregate import AggregateFrame
from schemas.windows.frame.boundary import BoundaryFrame
from schemas.windows.frame.delta import DeltaFrame
from schemas.windows.frame.threshold import ThresholdFrame
from schemas.windows.month import Month
from schemas.windows.policy import Policy
from schemas.windows.rolling import Rolling
from schemas.windows.session import Session
from schemas.windows.slide_by_tuple import SlideByTuple
from schemas.windows.sliding import Sliding
from schemas.windows.spanning import Spanning
from schemas.windows.tumbling import Tumbling
from schemas.windows.week import Week


def kinds_below(path: Iterable[str], package: str) -> tuple[str, ...]:
    """Names of the kinds that have a file in a layer's folder or below it, sorted; by the __path__ and the name of the
    layer's package."""
    modules = (module for module in pkgutil.walk_packages(path, f"{package}.") if not module.ispkg)
    names = (module.name.removeprefix(f"{package}.") for module in modules)
    return tuple(sorted(name for name in names if "._" not in f".{name}"))


def every_kind(root: type[Window] = Window) -> list[type[Window]]:
    """The classes that name a kind."""
    if root is Window:
        for name in kinds_below(__path__, __name__):
            importlib.import_module(f"{__name__}.{name}")
    found = [root] if root.kind else []
    return found + [kind for below in root.__subclasses__() for kind in every_kind(below)]


__all__ = [
    "AggregateFrame",
    "BoundaryFrame",
    "Count",
    "DAY",
    "Delta",
    "DeltaFrame",
    "EPOCH",
    "MICROSECOND",
    "Month",
    "Policy",
    "Regular",
    "Rolling",
    "Session",
    "SlideByTuple",
    "Sliding",
    "Spanning",
    "ThresholdFrame",
    "Tumbling",
    "Week",
    "Window",
    "every_kind",
    "kinds_below",
    "require",
    "require_above_zero",
    "require_calendar",
    "require_column",
    "require_count",
    "require_cutting_type",
    "require_duration",
    "require_number",
    "require_origin",
    "require_positive",
    "require_zone",
]
