"""Sorting in scratch memory: of floats, or of records of several floats by their first one; stable.

    5 3 │ 9 1 │ 7 2     runs of FEW records, each sorted by insertion
    3 5 │ 1 9 │ 2 7     neighbouring runs are merged from one block into the other, and back at the next pass
    1 3 5 9   │ 2 7

Merge sort from the bottom up (Knuth, The Art of Computer Programming 3, 1998, §5.2.4): O(n log n) whatever the order
was. Not quicksort, since a window may hold its worst case; and by passes, since a function must be able to end between
two of them. Values may be infinite, but not NaN; −0.0 and 0.0 are equal.
"""

from windrow.kernels.farm.content import gather, must_stop
from windrow.kernels.runtime.memory import inner, move

FEW = 8  # so many records are sorted by insertion


@inner
def gather_sorted(content):
    """The first column in scratch memory, sorted; behind it is room for as many. Returns as sort_records."""
    values = content.scratch
    gather(content, 0, values)
    return sort_records(content, values, values[content.count :], content.count, 1)


@inner
def sort_records(content, records, spare, count, width):
    """Sort `count` records of `width` floats by their first float; `spare` is room for as many. Returns OK, or the
    status with which the function must end: the order is arbitrary then. O(count · log count)."""
    source, target, end, run = records, spare, count * width, FEW * width
    sort_runs(records, run, end, width)
    stopped = must_stop(content)
    while stopped == 0 and run < end:
        for first in range(0, end, 2 * run):
            merge(source[first:], target[first:], min(run, end - first), min(2 * run, end - first), width)
        source, target = target, source
        run *= 2
        stopped = must_stop(content)
    if source.address != records.address:
        move(records.address, source.address, end)
    return stopped


@inner
def sort_runs(records, run, end, width):
    """Sort each run by insertion. O(records · FEW)."""
    for first in range(0, end, run):
        for unsorted in range(first + width, min(first + run, end), width):
            place = unsorted
            while place > first and records[place - width] > records[place]:
                for c in range(place, place + width):
                    records[c - width], records[c] = records[c], records[c - width]
                place -= width


@inner
def merge(source, target, middle, end, width):
    """Merge [0, middle) and [middle, end); often they are in order already."""
    left, right, place = 0, middle, 0
    if middle < end and source[middle - width] > source[middle]:
        while left < middle and right < end:
            take_right = source[right] < source[left]
            taken = right if take_right else left
            for c in range(width):
                target[place + c] = source[taken + c]
            right += width if take_right else 0
            left += 0 if take_right else width
            place += width
    move(target[place:].address, source[left:].address, middle - left)
    move(target[right:].address, source[right:].address, end - right)
