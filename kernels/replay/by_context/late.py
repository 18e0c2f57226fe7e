"""Tuples that came when the watermark had passed them, and how many of them a window got after its end was reached.

late tuples   3 at 8 · 5 at 9 · 7 at 30        of a window of 2 … 7 that ends at 9: 5 and 7
"""

from collections.abc import Callable

from kernels.frames._ordered import entry_at, is_behind, next_place, place_behind, standing
from kernels.runtime.addresses import named_inner
from kernels.runtime.memory import inner


def late_among(owner: str, holds: Callable) -> Callable:
    """counted(r) → late events of the window found; holds(r, row), compiled: whether it has a tuple that stands between
    its first and its last. The name of the owner is no other's. O(late tuples between them)."""

    def counted(r):
        late, found = r.derived.late, r.derived.found
        chunk, at = place_behind(late, found.first, found.first_row - 1)
        chunk, at = standing(late, chunk, at)
        count = 0
        while chunk < late.end:
            entry = entry_at(late, chunk, at)
            if is_behind(entry, found.last, found.last_row):
                break
            count += 1 if entry.word >= found.end and holds(r, entry.row) else 0
            chunk, at = next_place(late, chunk, at)
        return count

    return named_inner(owner, counted)


@inner
def _holds_all(r, row):
    return True


late_between = late_among("late_between", _holds_all)
