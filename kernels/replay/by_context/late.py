"""Tuples that came when the watermark had passed them, and how many of them a window got after its end was reached.

late tuples   3 at 8 · 5 at 9 · 7 at 30        of a window of 2 … 7 that ends at 9: 5 and 7
"""

from kernels.frames._ordered import entry_at, insert_at, is_behind, next_place, place_behind, standing
from kernels.runtime.memory import inner, not_inlined


@inner
def add_late(late, time, row, watermark):
    chunk, at = place_behind(late, time, row)
    insert_at(late, chunk, at, time, row, watermark)


@inner
def late_between(r):
    """Of the window found, if all tuples from its first to its last are in it. O(late tuples among them)."""
    not_inlined()
    late, found = r.derived.late, r.derived.found
    chunk, at = place_behind(late, found.first, found.first_row - 1)
    chunk, at = standing(late, chunk, at)
    count = 0
    while chunk < late.end:
        entry = entry_at(late, chunk, at)
        if is_behind(entry, found.last, found.last_row):
            break
        count += 1 if entry.word >= found.end else 0
        chunk, at = next_place(late, chunk, at)
    return count
