"""Slide-by-tuple windows: every step-th tuple of a key triggers one, of the tuples up to and with itself that are no
older than the size (FARM §2.2.3.4; semantics §2 includes the trigger). Forward-context aware: which windows a tuple is
in depends on tuples that come later; it may be in none.

size 5, step 3     tuples at 1  2  9 │ 10  11  12        windows [4, 9]: the tuple at 9; [7, 12]: those at 9 … 12
"""

from functools import cache

from kernels.bounds import require_length
from kernels.farm.extents._closed_forms import is_before_time, no_end, no_more, nothing_before
from kernels.farm.extents._served import ServedWindow, require_tuples
from kernels.farm.layout import Extents, Farm, Substream
from kernels.runtime.tables import compiled_table
from schemas.windows import MICROSECOND, SlideByTuple


def after(farm: Farm, stream: Substream):
    """The window that this tuple triggers, if it does."""
    if stream.tuples % farm.slide == 0:
        low = stream.newest - farm.size
        farm.hand_out(farm, stream, low, stream.next_window, low, stream.newest + 1)
        stream.next_window += 1


def newest_low(farm: Farm, stream: Substream):
    return stream.newest - farm.size


def until_trigger(farm: Farm, stream: Substream):
    """All before the next trigger."""
    return farm.slide - stream.tuples % farm.slide - 1


@cache
def extents() -> Extents:
    """The operations, compiled."""
    functions = {"before": nothing_before, "after": after, "finish": no_more, "is_before": is_before_time}
    functions |= {"quiet_until": no_end, "quiet_tuples": until_trigger, "least_low": newest_low}
    return compiled_table(Extents, "farm_slide_by_tuple", functions)


def served(window: SlideByTuple, columns: tuple[str, ...]) -> ServedWindow:
    """size in µs, slide in tuples."""
    require_length("size", window.size // MICROSECOND)
    require_tuples("step", window.step)
    return ServedWindow(extents(), {"size": window.size // MICROSECOND, "slide": window.step})
