"""A window as a block of words, and the switch over the kinds (semantics §2). All times in µs.

Block: mode, size, slide, origin, ⌊size/slide⌋ and the rest, then for calendar windows what calendar.py says.
"""

from kernels.memory import inner, load, not_inlined
from kernels.windows import calendar, sliding

# Spanning windows are regular ones that take an event by its interval.
SPANNING, REGULAR, CALENDAR, ROLLING = -1, 0, 1, 2
MODE, SIZE_US, SLIDE_US, ORIGIN_US, SLIDES, REST_US = 0, 1, 2, 3, 4, 5


@inner
def window_start(window, number):
    """First time of a window."""
    not_inlined()
    mode = load(window, MODE)
    if mode <= REGULAR:
        return sliding.start(number, load(window, SLIDE_US), load(window, ORIGIN_US))
    if mode == CALENDAR:
        return calendar.start(window, number)
    return number - load(window, SIZE_US) + 1


@inner
def window_end(window, number):
    """First time after a window."""
    not_inlined()
    mode = load(window, MODE)
    if mode <= REGULAR:
        return sliding.start(number, load(window, SLIDE_US), load(window, ORIGIN_US)) + load(window, SIZE_US)
    if mode == CALENDAR:
        return calendar.end(window, number)
    return number + 1


@inner
def first_end_after(window, time):
    """Number of the first window that ends after `time`: if any window holds `time`, the first that does."""
    not_inlined()
    mode = load(window, MODE)
    if mode <= REGULAR:
        return sliding.first_end_after(
            time, load(window, SIZE_US), load(window, SLIDE_US), load(window, ORIGIN_US)
        )
    if mode == CALENDAR:
        return calendar.first_end_after(window, time)
    return time


@inner
def last_start_until(window, time):
    """Number of the last window that starts at or before `time`: if any window holds `time`, the last that does."""
    not_inlined()
    mode = load(window, MODE)
    if mode <= REGULAR:
        return sliding.last_start_until(time, load(window, SLIDE_US), load(window, ORIGIN_US))
    if mode == CALENDAR:
        return calendar.last_start_until(window, time)
    return time + load(window, SIZE_US) - 1


@inner
def holding(window, time):
    """(first, last) of the windows that hold `time`; first > last if none does. One division for regular windows."""
    if load(window, MODE) <= REGULAR:
        slide = load(window, SLIDE_US)
        last = sliding.last_start_until(time, slide, load(window, ORIGIN_US))
        into_slide = time - sliding.start(last, slide, load(window, ORIGIN_US))
        return last - load(window, SLIDES) + (1 if into_slide >= load(window, REST_US) else 0), last
    return first_end_after(window, time), last_start_until(window, time)
