"""Scope of the single buffer (FRAMES, algorithm 1): walk all tuples and cut them, as if nothing had been cut before.

tuples      1  1  1  3  2  1         sum, bound 3        frames   1 1 1   3   2 1        O(tuples) each time
"""

from kernels.frames._frames import NOWHERE, drop_first_frame, take_tuple
from kernels.frames._ring import entry_at
from kernels.frames._rules import Frame
from kernels.runtime.memory import as_float, inner, not_inlined


@inner
def scope(s):
    """Cut all tuples again."""
    not_inlined()
    s.cut = NOWHERE
    while s.frames.count > 0:
        drop_first_frame(s)
    frame = Frame(0)
    for place in range(s.tuples.first, s.tuples.end):
        entry = entry_at(s.tuples, place, 0)
        frame = take_tuple(s, frame, entry.time, entry.row, as_float(entry.word))
