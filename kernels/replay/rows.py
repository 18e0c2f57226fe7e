"""The rows of a replay: where they are collected, how many there may be, and the first aggregate that has no answer.

sink   [key start end number revision firing tick events late nulls | output output …][key start …
        one row of `row_words` words

Those of a key come nearly in order of (window_start, window_end, number, revision): only late rows fall back.

rows     [20, 30) r0   [10, 20) r0   [10, 20) r1        sorted by number, end and start, each stably
pairs    (10, row 1) (10, row 2) (20, row 0)            rows are copied in that order, and moved back
"""

from windrow.kernels.replay.stop import OVER_BUDGET, Stop, must_stop_at
from windrow.kernels.replay.types import EMIT_ARRIVAL, EMIT_FINAL
from windrow.kernels.runtime.fields import Code, Count, Inline, Microseconds, Place, Pointer, Tail, Word, Words
from windrow.kernels.runtime.growing import GrowingList, append
from windrow.kernels.runtime.memory import WORD_BYTES, inner, move, not_inlined
from windrow.kernels.runtime.sorting import PAIR_WORDS, Pairs, sort_pairs
from windrow.kernels.runtime.struct import Struct, words_at
from windrow.kernels.states import events_of, lower

FINAL, ON_TIME, LATE, EARLY = range(4)
NO_MORE = 0


class Row(Struct):
    """A result row; bit i of nulls: output i is null, so a query has at most 63 aggregates."""

    key: Place
    start: Microseconds
    end: Microseconds
    number: Count
    revision: Count
    firing: Code
    tick: Microseconds
    events: Count
    late: Count
    nulls: Word
    outputs: Tail(Word)


ROW_WORDS = Row.size_bytes // WORD_BYTES
NULLS = Row.offsets["nulls"] // WORD_BYTES


class Failure(Struct):
    """1 + number of the first output that had no right answer, and whose it was; 0: none."""

    output: Count
    start: Microseconds
    end: Microseconds
    tick: Microseconds
    key: Place


class Rows(Struct):
    """The rows so far, `count` of at most `most`; kept_from: the first tick whose rows are made; outputs: the slot of
    each in a state."""

    sink: Inline(GrowingList)
    row_words: Words
    count: Count
    most: Count
    kept_from: Microseconds
    outputs: Pointer(Place)
    output_count: Count
    failure: Inline(Failure)
    order: Inline(GrowingList)


@inner
def firing_of_pass(r):
    """Of the row that a window has because the watermark reached it."""
    return FINAL if r.emit == EMIT_FINAL else ON_TIME


@inner
def firing_of_change(r, end):
    """Of the row of a window that ends there, because an event came or left it."""
    if r.emit == EMIT_FINAL:
        return FINAL
    return EARLY if r.emit == EMIT_ARRIVAL and r.clock.watermark < end else LATE


@inner
def make_row(r, window, firing, tick, late, state):
    """A row of the key at hand. window: its start, end, number and revision; state: NO_MORE where it is none any more.
    One too many asks the call to stop."""
    not_inlined()
    rows = r.rows
    rows.count += 1
    if rows.count > rows.most:
        r.stop.asked = OVER_BUDGET
    row = Row(append(rows.sink, rows.row_words))
    row.key = r.key
    row.start, row.end, row.number, row.revision = window
    row.firing, row.tick, row.late = firing, tick, late
    if state != NO_MORE:
        _write_outputs(r, row, state)
        return
    row.events, row.nulls = 0, (1 << rows.output_count) - 1
    for output in range(rows.output_count):
        row.outputs[output] = 0


@inner
def _write_outputs(r, row, state):
    rows, failure, nulls = r.rows, r.rows.failure, 0
    for output in range(rows.output_count):
        word, is_null, failed = lower(r.plan, state, rows.outputs[output])
        row.outputs[output] = word
        if is_null:
            nulls |= 1 << output
        if failed and failure.output == 0:
            failure.output, failure.key = 1 + output, row.key
            failure.start, failure.end, failure.tick = row.start, row.end, row.tick
    row.events, row.nulls = events_of(state), nulls


def take_rows(rows: Rows, stop: Stop, target):
    """Write the rows to `target` as columns, unless the call must stop."""
    source, target = words_at(rows.sink.first), words_at(target)
    count, words = rows.count, rows.row_words
    for row in range(count):
        if must_stop_at(stop, row):
            return
        for word in range(words):
            target[word * count + row] = source[row * words + word]


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
    spare, numbers = Pairs(pairs.at[count:].address), 0
    for place in range(count):
        pairs.at[place].value = base + row_bytes * place
        numbers = max(numbers, Row(pairs.at[place].value).number)
    for sorting in range(0 if numbers > 0 else 1, 3):
        for place in range(count):
            row = Row(pairs.at[place].value)
            pairs.at[place].key = row.number if sorting == 0 else row.end if sorting == 1 else row.start
        ordered = sort_pairs(pairs, spare, count)
        pairs, spare = ordered, Pairs(spare.address if ordered.address == pairs.address else pairs.address)
    for place in range(count):
        move(copies + row_bytes * place, pairs.at[place].value, words)
    move(base, copies, count * words)


@inner
def _are_sorted(base, row_bytes, count):
    row = 1
    while row < count and not is_before(Row(base + row_bytes * row), Row(base + row_bytes * (row - 1))):
        row += 1
    return row >= count


@inner
def is_before(one, other):
    """Whether a row's window, or one that has such fields, stands before another."""
    if one.start != other.start:
        return one.start < other.start
    return one.end < other.end or (one.end == other.end and one.number < other.number)
