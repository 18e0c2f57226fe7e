"""Window farming: a heavy function over the content of each window, on all cores (FARM).

    tuples ─▶ emitter ─▶ workers ─▶ collector ─▶ results in window order

`make(model, window, function, workers, …)` gives a farm: farm.py. Windows are complete by extents.py, functions are
files of functions/, models of workers are active.py and agnostic.py, memory is layout.py. Unlike other kernels a farm
has threads and a clock: each of its workers is a thread, and a function has a time limit.
"""

from windrow.kernels.farm.farm import WindowFarm
from windrow.kernels.farm.functions._function import HeavyFunction
from windrow.kernels.farm.options import options_of
from windrow.kernels.farm.results import Metrics, Results
from windrow.schemas.windows import Window


def make(
    model: str, window: Window, function: str | HeavyFunction, workers: int | None = None, **options: object
) -> WindowFarm:
    """Make a farm. model: how workers share windows, "active" or "agnostic". options: see kernels/farm/options.py.

    O(keys · workers + ring). Raises WrongParameter, NotServed, BrokenDefinition.
    """
    return WindowFarm(model, window, function, workers, options_of(options))


__all__ = ["HeavyFunction", "Metrics", "Results", "WindowFarm", "make"]
