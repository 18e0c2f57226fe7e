"""The window kinds of the query language (semantics §2): what can be written, not what is served.

Intervals are half-open `[lo, hi)`. Sizes are `timedelta`. Kinds that share much share a file. Files are found by
looking in this folder; names that start with an underscore hold no kind. The kinds below can be imported from here; a
new one is a new file, and needs no line.
"""

import importlib
import pkgutil
from collections.abc import Iterable

from windrow.schemas.project import beside
from windrow.schemas.windows._window import (
    DAY,
    EPOCH,
    MICROSECOND,
    Window,
    require,
    require_column,
    require_cutting_type,
    require_duration,
    require_number,
    require_zone,
)
from windrow.schemas.windows.by_events import Count, Delta, Rolling, SlideByTuple
from windrow.schemas.windows.frame import AggregateFrame, BoundaryFrame, DeltaFrame, ThresholdFrame
from windrow.schemas.windows.policy import Policy
from windrow.schemas.windows.regular import Month, Regular, Sliding, Spanning, Tumbling, Week
from windrow.schemas.windows.session import Session

__path__ = beside(__path__, "windows/query")


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
