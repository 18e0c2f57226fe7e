"""A key's rows in order of (window_start, window_end, revision). They come nearly so: only late rows fall back."""

from kernels.replay.growing import append
from kernels.replay.rows import Row
from kernels.runtime.memory import WORD_BYTES, inner, move, not_inlined
from kernels.runtime.struct import words_at


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
    room = append(rows.order, 2 * count + count * words)
    order, spare, copies = words_at(room), words_at(room + WORD_BYTES * count), room + 2 * WORD_BYTES * count
    for place in range(count):
        order[place] = base + row_bytes * place
    ordered = _merge_sort(order, spare, count)
    for place in range(count):
        move(copies + row_bytes * place, ordered[place], words)
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
    return row.start < other.start or (row.start == other.start and row.end < other.end)


@inner
def _merge_sort(order, spare, count):
    """Sort row addresses by merging neighbouring stretches; returns which of the two arrays holds them in the end."""
    not_inlined()
    width = 1
    while width < count:
        for first in range(0, count, 2 * width):
            _merge(order, spare, first, min(first + width, count), min(first + 2 * width, count))
        order, spare = spare, order
        width *= 2
    return order


@inner
def _merge(source, target, first, middle, end):
    """Merge [first, middle) and [middle, end); mostly they are in order already."""
    left, right = first, middle
    in_order = middle == end or not _is_before(source[middle], source[middle - 1])
    for place in range(first, end):
        from_left = right == end or (left < middle and (in_order or not _is_before(source[right], source[left])))
        if from_left:
            target[place] = source[left]
            left += 1
        else:
            target[place] = source[right]
            right += 1
