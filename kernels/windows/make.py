"""From a WindowSpec to the block of words that kernels read; the kinds are found by looking in this folder."""

import importlib
from typing import NamedTuple

import numpy as np

from kernels.memory import lend
from kernels.windows import block, calendar
from schemas.errors import BadInput, NotServed, WrongParameter

SERVED = ("rolling", "sliding", "spanning", "tumbling")


class Window(NamedTuple):
    """words: the block; kept: arrays that the block points to."""

    words: np.ndarray
    kept: tuple[np.ndarray, ...] = ()


def make_window(spec, first_us: int, last_us: int) -> Window:
    """The block of a WindowSpec for events from first_us to last_us. Raises NotServed, WrongParameter, BadInput."""
    if spec.kind not in SERVED:
        raise NotServed("window", spec.kind, SERVED)
    kind = importlib.import_module(f"kernels.windows.{spec.kind}")
    if not 0 < spec.size_us < 1 << 60:
        raise WrongParameter("size", spec.size_us, "from 1 µs to 2**60 µs")
    size, slide, origin = kind.block_words(spec.size_us, spec.slide_us, spec.origin_us)
    if not 0 < slide < 1 << 60:
        raise WrongParameter("slide", slide, "from 1 µs to 2**60 µs")
    if spec.kind == "rolling":
        return Window(np.array([block.ROLLING, size, slide, origin, 0, 0], np.int64))
    if spec.zone is None:
        mode = block.SPANNING if spec.kind == "spanning" else block.REGULAR
        return Window(np.array([mode, size, slide, origin % slide, size // slide, size % slide], np.int64))
    return _calendar_window(size, slide, spec.zone, (first_us, last_us))


def _calendar_window(size: int, slide: int, zone, extent: tuple[int, int]) -> Window:
    midnights = np.ascontiguousarray(zone.midnights_us, np.int64)
    if len(midnights) < 2 or (np.diff(midnights) < 0).any():
        raise BadInput("midnights of a zone must be at least two, and not fall")
    cuts, tail = calendar.block_arrays(size, slide, midnights, zone.days_after_origin)
    days = max(1, -(-size // calendar.DAY_US))
    first, last = np.searchsorted(midnights, extent, "right") - 1
    if extent[0] <= extent[1] and (first < days or last + days + 1 > len(midnights) - 1):
        raise BadInput(
            f"midnights of the zone cover days {days} to {len(midnights) - days - 2} of theirs, "
            f"events lie in days "
            f"{first} to {last}; give {days} days more before the first event and {days + 1} after the last"
        )
    words = [block.CALENDAR, size, slide, 0, 0, 0, lend(midnights), len(midnights) - 1, lend(cuts), *tail]
    return Window(np.array(words, np.int64), (midnights, cuts))
