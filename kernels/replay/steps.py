"""The staircase of the watermark: when it passed what. P(E) is the tick of the first step whose watermark is
≥ E.

A replay keeps only the steps at which some window's end, or end + allowed lateness, is reached: the others
answer no question. Each key then walks the same short staircase, galloping.
"""

from kernels.memory import inner, load, not_inlined, store
from kernels.replay.context import ALLOWED, FOREVER, NEVER, STEP_MARKS, STEP_TICKS, STEPS, WINDOW
from kernels.windows.block import MODE, ROLLING, first_end_after, window_end


@inner
def keep_steps(r):
    """Drop in place the steps that reach no window's end; O(steps). A rolling window may end anywhere: all
    are kept."""
    not_inlined()
    window = load(r, WINDOW)
    if load(window, MODE) == ROLLING:
        return
    ticks, marks = load(r, STEP_TICKS), load(r, STEP_MARKS)
    kept, next_end, next_final = 0, -NEVER, -NEVER
    for step in range(load(r, STEPS)):
        mark = load(marks, step)
        final = mark - load(r, ALLOWED)
        if mark >= next_end or final >= next_final:
            store(ticks, kept, load(ticks, step))
            store(marks, kept, mark)
            kept += 1
            if mark == FOREVER:
                break
            next_end = window_end(window, first_end_after(window, mark))
            next_final = window_end(window, first_end_after(window, final))
    store(r, STEPS, kept)


@inner
def gallop(sorted_words, place, size, value):
    """First place at or after `place` whose word is ≥ value, or size. O(log distance)."""
    not_inlined()
    stride = 1
    while place + stride <= size and load(sorted_words, place + stride - 1) < value:
        place += stride
        stride *= 2
    low, high = place, min(place + stride - 1, size)
    while low < high:
        middle = (low + high) // 2
        if load(sorted_words, middle) < value:
            low = middle + 1
        else:
            high = middle
    return low


@inner
def pass_step(r, step, time):
    """First step at or after `step` whose watermark reaches `time`."""
    return gallop(load(r, STEP_MARKS), step, load(r, STEPS), time)


@inner
def step_before(r, step, tick):
    """Number of steps before `tick`, which is at least `step`."""
    return gallop(load(r, STEP_TICKS), step, load(r, STEPS), tick)
