"""A key's rows in order of (window_start, window_end, number, revision). They come nearly so: only late rows fall back.

rows     [20, 30) r0   [10, 20) r0   [10, 20) r1        sorted by number, end and start, each stably
pairs    (10, row 1) (10, row 2) (20, row 0)            rows are copied in that order, and moved back
"""

from kernels.replay.growing import append
from kernels.replay.rows import Row
from kernels.runtime.memory import WORD_BYTES, inner, move, not_inlined
from kernels.runtime.sorting import PAIR_WORDS, Pairs, sort_pairs


@inner
def order_rows(rows, first):
    """Sort the rows from number `first` on, in place and stable: rows of one window come in order of their
    revisions."""
    not_inlined()
    words, count = rows.row_words, rows.count - first
    row_bytes = WORD_BYTES * words
    base = rows.sink.first + row_bytes * first
    if _are_sorted(base, row_bytes, count):
        return
    rows.order.used = 0
    room = append(rows.order, (2 * PAIR_WORDS + words) * count)
    pairs, copies = Pairs(room), room + 2 * PAIR_WORDS * WORD_BYTES * count
    for place in range(count):
        pairs.at[place].value = base + row_bytes * place
    ordered = _sorted_rows(pairs, Pairs(pairs.at[count:].address), count)
    for place in range(count):
        move(copies + row_bytes * place, ordered.at[place].value, words)
    move(base, copies, count * words)


@inner
def _are_sorted(base, row_bytes, count):
    row = 1
    while row < count and not _is_before(base + row_bytes * row, base + row_bytes * (row - 1)):
        row += 1
    return row >= count


@inner
def _is_before(row, other):
    row, other = Row(row), Row(other)
    if row.start != other.start:
        return row.start < other.start
    return row.end < other.end or (row.end == other.end and row.number < other.number)


@inner
def _sorted_rows(pairs, spare, count):
    """Pairs whose values are addresses of rows, in order of these; they stand in one of the two blocks."""
    numbers = 0
    for place in range(count):
        row = Row(pairs.at[place].value)
        pairs.at[place].key = row.number
        numbers = max(numbers, row.number)
    if numbers > 0:
        pairs, spare = _sorted(pairs, spare, count)
    for place in range(count):
        pairs.at[place].key = Row(pairs.at[place].value).end
    pairs, spare = _sorted(pairs, spare, count)
    for place in range(count):
        pairs.at[place].key = Row(pairs.at[place].value).start
    return sort_pairs(pairs, spare, count)


@inner
def _sorted(pairs, spare, count):
    """The block in which they stand sorted, and the other."""
    found = sort_pairs(pairs, spare, count)
    return found, Pairs(spare.address if found.address == pairs.address else pairs.address)
