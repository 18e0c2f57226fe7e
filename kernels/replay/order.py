"""A key's rows in order of (window_start, window_end, revision). They come nearly so: only late rows fall back."""

from kernels.memory import inner, load, not_inlined, store
from kernels.replay.context import ADDRESS, ORDER, OUTPUT_COUNT, ROWS, USED, append
from kernels.replay.emit import ROW_END, ROW_OUTPUTS, ROW_START


@inner
def order_rows(r, first):
    """Sort the rows from number `first` on, in place and stable: rows of one window come in order of their
    revisions."""
    not_inlined()
    words = ROW_OUTPUTS + load(r, OUTPUT_COUNT)
    rows = load(r, ROWS + USED) // words - first
    base = load(r, ROWS + ADDRESS) + 8 * words * first
    if _are_sorted(base, words, rows):
        return
    store(r, ORDER + USED, 0)
    order = append(r, ORDER, 2 * rows + rows * words)
    for row in range(rows):
        store(order, row, base + 8 * words * row)
    sorted_rows = _merge_sort(order, order + 8 * rows, rows)
    copies = order + 16 * rows
    for row in range(rows):
        _copy_row(copies + 8 * words * row, load(sorted_rows, row), words)
    _copy_row(base, copies, rows * words)


@inner
def _copy_row(target, source, words):
    for word in range(words):
        store(target, word, load(source, word))


@inner
def _are_sorted(base, words, rows):
    row = 1
    while row < rows and not _is_before(base + 8 * words * row, base + 8 * words * (row - 1)):
        row += 1
    return row >= rows


@inner
def _is_before(row, other):
    start, other_start = load(row, ROW_START), load(other, ROW_START)
    return start < other_start or (start == other_start and load(row, ROW_END) < load(other, ROW_END))


@inner
def _merge_sort(order, spare, rows):
    """Sort row addresses by merging neighbouring stretches; returns which of the two arrays holds them in the end."""
    not_inlined()
    width = 1
    while width < rows:
        for first in range(0, rows, 2 * width):
            _merge(order, spare, first, min(first + width, rows), min(first + 2 * width, rows))
        order, spare = spare, order
        width *= 2
    return order


@inner
def _merge(source, target, first, middle, end):
    """Merge [first, middle) and [middle, end); mostly they are in order already."""
    left, right = first, middle
    in_order = middle == end or not _is_before(load(source, middle), load(source, middle - 1))
    for place in range(first, end):
        from_left = right == end or (left < middle and (
            in_order or not _is_before(load(source, right), load(source, left))))
        if from_left:
            store(target, place, load(source, left))
            left += 1
        else:
            store(target, place, load(source, right))
            right += 1
