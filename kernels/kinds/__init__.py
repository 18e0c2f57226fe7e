"""Window kinds: one file = one kind, found by looking in this folder; names that start with an underscore are shared.

Each holds all that kernels need of the kind: bounds, look-back, lateness, refusals, the kernels that serve it
(kernels/replay/window_kind.py). A window has a number: for tumbling, sliding and calendar windows a running index, for
rolling windows the event time u itself.
"""

import functools
import importlib

from windrow.schemas.errors import NotServed
from windrow.schemas.project import beside
from windrow.schemas.windows import kinds_below

__path__ = beside(__path__, "windows/kernel")


def kinds() -> tuple[str, ...]:
    """Names of the kinds in the folder and those below it, sorted."""
    return kinds_below(__path__, __name__)


@functools.cache
def window_kind(name: str):
    """All that is known of a kind. NotServed for one that has no file. Loads that file, once."""
    if name not in kinds():
        raise NotServed("window", name, kinds())
    return importlib.import_module(f"{__name__}.{name}").KIND
