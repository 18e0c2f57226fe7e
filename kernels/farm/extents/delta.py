"""Delta windows: a tuple whose attribute is at least the threshold beyond the marker triggers one and becomes the
marker; the window has the tuples before it whose attribute is at most the extent below its own (FARM §2.2.3.3).
Forward-context aware. The attribute never falls, or a window would not be neighbouring tuples.

extent 5, threshold 2     attributes 1  2.5  3.1  4  9     3.1 triggers [1, 2.5]; 9 triggers [4], of attributes ≥ 4
"""

from functools import cache

from kernels.farm.descriptors import has_room
from kernels.farm.extents._closed_forms import no_end, no_more, nothing_after
from kernels.farm.extents._served import ServedWindow
from kernels.farm.layout import ATTRIBUTE_FALLS, GO_ON, NO_ROOM, REFUSED, Chunk, Extents, Farm, Substream
from kernels.runtime.memory import as_float, as_word
from kernels.runtime.tables import compiled_table
from schemas.errors import WrongParameter
from schemas.windows import Delta


def before(farm: Farm, stream: Substream, time, value):
    """The window that this tuple triggers, if it does. The first one sets the marker."""
    attribute = as_float(value)
    if stream.tuples == 0:
        stream.marker = stream.latest = attribute
    if attribute < stream.latest:
        farm.wrong = ATTRIBUTE_FALLS
        return REFUSED
    if attribute - stream.marker >= as_float(farm.slide):
        if not has_room(farm):
            return NO_ROOM
        low = as_word(attribute - as_float(farm.size))
        farm.hand_out(farm, stream, low, stream.next_window, 0, 0)
        stream.next_window += 1
        stream.marker = attribute
    stream.latest = attribute
    return GO_ON


def is_before(farm: Farm, chunk: Chunk, place, low):
    return chunk.values[farm.attribute * chunk.room + place] < as_float(low)


def latest_low(farm: Farm, stream: Substream):
    return as_word(stream.latest - as_float(farm.size))


def none_is_quiet(farm: Farm, stream: Substream):
    """Each one's attribute has to be looked at."""
    return 0


@cache
def extents() -> Extents:
    """The operations, compiled."""
    functions = {"before": before, "after": nothing_after, "finish": no_more, "is_before": is_before}
    functions |= {"quiet_until": no_end, "quiet_tuples": none_is_quiet, "least_low": latest_low}
    return compiled_table(Extents, "farm_delta", functions)


def served(window: Delta, columns: tuple[str, ...]) -> ServedWindow:
    """size, slide: extent and threshold, as bits of floats. WrongParameter for a column that the farm hasn't."""
    if window.column not in columns:
        raise WrongParameter("column", window.column, f"one of {', '.join(columns)}", columns)
    fields = {"size": as_word(float(window.extent)), "slide": as_word(float(window.threshold))}
    fields |= {"attribute": columns.index(window.column), "ends_at_tuples": True}
    return ServedWindow(extents(), fields)
