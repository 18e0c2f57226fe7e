"""The rank of each event of a key by time, found before anything is replayed.

    times    1  2  9  3  10  4        those that raise the newest are in order already:  1 2 9 10
    ranks    0  1  4  2   5  3        the others are sorted, 3 4, and the two merged

Half of the work of sorting them all where every second event is late, and less where the late ones are in order among
themselves: 8 instead of 32 ns an event (2^23 events, each second one 2^20 behind). Sorting by digits took 150.
"""

import numpy as np

from kernels.memory import entry, inner, lend, load, store


def rank_events(times: np.ndarray, ranks: np.ndarray, ascending: np.ndarray) -> None:
    """Fill `ranks` with the rank of each event, the first of those of its time, and `ascending` with the times in order
    (int64[events] all). O(events + late events · log late events)."""
    in_order, late = np.empty_like(times), np.empty_like(times)
    count = _part(lend(times), len(times), lend(in_order), lend(late))
    late = late[:len(times) - count]
    of_late = times[late]
    if (of_late[1:] < of_late[:-1]).any():
        late = late[np.argsort(of_late)]  # which of those of one time is first makes no difference
    rows = np.array([lend(in_order), count, lend(late), len(late)], np.int64)
    _merge(lend(times), lend(rows), lend(ranks), lend(ascending))


def rank_keys(times: np.ndarray, offsets: np.ndarray, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(ranks, ascending) of the events of some keys, where they stand among `times`; a key's ranks begin at 0. Both of
    one word only if there is no such key.

    offsets: int64[keys + 1], where keys begin; keys: their numbers
    """
    ranks, ascending = (np.zeros(len(times) if len(keys) else 1, np.int64) for _ in range(2))
    for key in keys:
        rows = slice(offsets[key], offsets[key + 1])
        rank_events(times[rows], ranks[rows], ascending[rows])
    return ranks, ascending


@entry
def _part(times, events, in_order, late):
    """Write the rows of the events that are as new as any before to `in_order`, the others' to `late`; returns how many
    are in order."""
    count, newest = 0, 0
    for row in range(events):
        time = load(times, row)
        if count == 0 or time >= newest:
            store(in_order, count, row)
            newest = time
            count += 1
        else:
            store(late, row - count, row)
    return count


@inner
def _next_row(times, first, first_end, second, second_end):
    """Whether the next row in order of time is one of the first list."""
    return second == second_end or (first < first_end and load(times, load(first, 0)) <= load(times, load(second, 0)))


@entry
def _merge(times, rows, ranks, ascending):
    """Merge two lists of rows that ascend by time; `rows`: address and length of each."""
    first, second = load(rows, 0), load(rows, 2)
    first_end, second_end = first + 8 * load(rows, 1), second + 8 * load(rows, 3)
    rank = place = 0
    while first < first_end or second < second_end:
        if _next_row(times, first, first_end, second, second_end):
            row = load(first, 0)
            first += 8
        else:
            row = load(second, 0)
            second += 8
        store(ascending, place, load(times, row))
        if load(ascending, place) != load(ascending, rank):
            rank = place
        store(ranks, row, rank)
        place += 1
