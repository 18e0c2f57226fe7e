"""The way into kernels/: one kernel's window as an object, and whole columns of many keys replayed by compiled code.

window = make("finger_tree", {"trips": agg("count"), "longest": agg("max", "duration_s")}, min_arity=8)
window.insert(time_us, 185.0)

plan = AggregatePlan((AggregateSpec("count"), AggregateSpec("mean", 0, "int64"), AggregateSpec("max", 0, "int64")))
rows = replay_keys(columns, WindowSpec("sliding", 86_400_000_000, 300_000_000), plan, ticks, rules)
"""

from collections.abc import Mapping

from windrow.kernels.entry import replay_keys
from windrow.kernels.monoids import AggregateSpec
from windrow.kernels.replay.kernel_selection import CHOSEN, FOLDERS, KERNELS
from windrow.kernels.replay.types import (
    FIRINGS,
    AggregatePlan,
    CallLimits,
    EventColumns,
    KernelChoice,
    Labels,
    PassTicks,
    ReplayRules,
    ResultRows,
    WindowSpec,
    Zone,
)
from windrow.kernels.runtime.found import require_known
from windrow.schemas.query import Aggregate
from windrow.schemas.windows import Window


def make(kernel: str, aggregates: Mapping[str, Aggregate], window: Window | None = None, **options):
    """Make an empty window, or the open windows of one key. Its methods depend on the kernel:

        trips = make("finger_tree", {"trips": agg("count"), "longest": agg("max", "duration_s")}, min_arity=8)
            insert, bulk_insert, evict, bulk_evict, query, range_query, oldest, youngest, len, check
        calls = make("se_slicing", {"calls": agg("count")}, spanning(hour, minute))
            insert_span, state, evict, first_from, save, load, check
        hot = make("multi_buffer", {"most": agg("max", "celsius")}, ThresholdFrame("celsius", 80.0))
            insert, insert_burst, frames, content, evict, save, load, check

    kernel: a kernel of docs/kernels.md. aggregates: by name, what `windrow.agg` makes, as in a Query.
    window: for events that last, what `windrow.spanning` makes; for frames, what `windrow.frame` or `windrow.session`
    makes; for point events, none. options: `column_types`, a dict with the types of columns that don't hold float64,
    and the options of the kernel's class (`OPTIONS`). Times are in µs. O(1), or seconds if the kernel must be compiled.

    Raises NotServed for an unknown kernel, function, aggregate or kind of frame; WrongParameter for a window that is
    missing, not wanted or of another kind, and for a wrong option, column or parameter.
    """
    require_known("kernel", kernel, KERNELS)
    return FOLDERS[kernel].make(kernel, aggregates, window, **options)
