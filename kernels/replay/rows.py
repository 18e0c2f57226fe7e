"""The rows of a replay: where they are collected, how many there may be, and the first aggregate that has no answer.

sink   [key start end number revision firing tick events late nulls | output output …][key start …
        one row of `row_words` words
"""

from kernels.replay.growing import GrowingList, append
from kernels.replay.stop import OVER_BUDGET, Stop, must_stop_at
from kernels.runtime.fields import Code, Count, Inline, Microseconds, Place, Pointer, Ref, Tail, Word, Words
from kernels.runtime.memory import WORD_BYTES, inner, not_inlined
from kernels.runtime.struct import Struct, words_at
from kernels.states import events_of, lower
from kernels.states.layout import StatePlan

FINAL, ON_TIME, LATE, EARLY = range(4)


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
    plan: Ref(StatePlan)
    outputs: Pointer(Place)
    output_count: Count
    failure: Inline(Failure)
    order: Inline(GrowingList)


@inner
def append_row(rows, stop):
    """A new row, all but its key and outputs unset; valid until the next one. One too many asks the call to stop."""
    rows.count += 1
    if rows.count > rows.most:
        stop.asked = OVER_BUDGET
    return Row(append(rows.sink, rows.row_words))


@inner
def write_outputs(rows, row, state):
    """The aggregates of a state, and how many events it covers; the row's window is known."""
    not_inlined()
    row.events = events_of(state)
    nulls = 0
    for output in range(rows.output_count):
        word, is_null, failed = lower(rows.plan, state, rows.outputs[output])
        row.outputs[output] = word
        if is_null:
            nulls |= 1 << output
        if failed and rows.failure.output == 0:
            _note_failure(rows.failure, row, output)
    row.nulls = nulls


@inner
def write_no_outputs(rows, row):
    """The aggregates of a window that is no more: nulls."""
    row.events = 0
    row.nulls = (1 << rows.output_count) - 1
    for output in range(rows.output_count):
        row.outputs[output] = 0


@inner
def _note_failure(failure, row, output):
    failure.output = 1 + output
    failure.start, failure.end, failure.tick, failure.key = row.start, row.end, row.tick, row.key


def take_rows(rows: Rows, stop: Stop, target):
    """Write the rows to `target` as columns, unless the call must stop."""
    source, target = words_at(rows.sink.first), words_at(target)
    count, words = rows.count, rows.row_words
    for row in range(count):
        if must_stop_at(stop, row):
            return
        for word in range(words):
            target[word * count + row] = source[row * words + word]
