"""What is carried of a key from one replay to the next, as words. Rows are counted from the first that is kept on.

[rows][columns][words behind the rows]
[start · start …][value · value …] for each column [valid · valid …] for each column
[frontier · row · youngest][forgotten][emitted · emitted …][closed · closed …][late · late …][the source's own]
"""

from kernels.frames._buffers import load_ordered, ordered_words, save_ordered
from kernels.frames._ordered import ENTRY_WORDS
from kernels.replay.by_context.emitted import EMITTED_WORDS, count_emitted
from kernels.replay.by_context.found import FOUND_WORDS, FoundWindow, move_rows
from kernels.replay.by_context.state import EmittedWindow
from kernels.replay.growing import append
from kernels.runtime.calls import call
from kernels.runtime.counted import are_there
from kernels.runtime.memory import WORD_BYTES, inner, move, not_inlined
from kernels.runtime.struct import words_at

HEAD_WORDS = 3
"""Rows, columns, words behind them."""
SCALARS = 3


@inner
def save_key(r, end):
    """Append the words of the key at hand, of whose rows `end` is behind the last, and note where they end; none of a
    key that goes on as if it were new."""
    not_inlined()
    derived, carried = r.derived, r.carried
    if call(derived.source.begins_anew, r):
        carried.ends[r.key] = carried.saved.used
        return
    first = call(derived.source.least_row, r)
    first = end if first < 0 else first
    rows = end - first
    columns = carried.columns
    behind = _derived_words(r) + call(derived.source.save, r, 0, first)
    at = append(carried.saved, HEAD_WORDS + rows * (1 + 2 * columns) + behind)
    head = words_at(at)
    head[0], head[1], head[2] = rows, columns, behind
    at += HEAD_WORDS * WORD_BYTES
    at = save_rows(r, at, first, rows)
    at = _save_derived(derived, at, first)
    call(derived.source.save, r, at, first)
    carried.ends[r.key] = carried.saved.used


@inner
def save_rows(r, at, first, rows):
    """So many rows from the first on. Returns the address behind them."""
    events, columns = r.events.columns, r.carried.columns
    words = words_at(at)
    for row in range(rows):
        words[row] = r.events.starts[first + row]
    words = words[rows:]
    for column in range(columns):
        for row in range(rows):
            place = column * events.rows + first + row
            words[column * rows + row] = events.values[place]
            words[(columns + column) * rows + row] = events.valid[place]
    return words[2 * columns * rows :].address


@inner
def _derived_words(r):
    derived = r.derived
    lists = _emitted_words(derived.emitted) + _emitted_words(derived.closed)
    return SCALARS + FOUND_WORDS + lists + ordered_words(derived.late)


@inner
def _emitted_words(emitted):
    return 1 + (count_emitted(emitted) - emitted.first_kept) * EMITTED_WORDS


@inner
def _save_derived(derived, at, first):
    words = words_at(at)
    words[0], words[1], words[2] = derived.frontier, derived.frontier_row - first, derived.youngest
    at += SCALARS * WORD_BYTES
    save_found(derived.forgotten, at, first)
    at += FOUND_WORDS * WORD_BYTES
    at = _save_emitted(derived.emitted, at, first)
    at = _save_emitted(derived.closed, at, first)
    return save_ordered(derived.late, at, first)


@inner
def _save_emitted(emitted, at, first):
    words_at(at)[0] = count_emitted(emitted) - emitted.first_kept
    at += WORD_BYTES
    for place in range(emitted.first_kept, count_emitted(emitted)):
        move(at, emitted.first[place].address, EMITTED_WORDS)
        entry = EmittedWindow(at)
        entry.first_row, entry.held_row = entry.first_row - first, entry.held_row - first
        at += EMITTED_WORDS * WORD_BYTES
    return at


@inner
def _load_emitted(emitted, at, first, end):
    """Returns the address behind them; 0: they aren't all before `end`, or `at` is 0."""
    if at == 0 or not are_there(at, (end - at) // WORD_BYTES, EMITTED_WORDS):
        return 0
    kept = words_at(at)[0]
    at += WORD_BYTES
    for _ in range(kept):
        move(append(emitted, EMITTED_WORDS), at, EMITTED_WORDS)
        entry = emitted.first[count_emitted(emitted) - 1]
        entry.first_row, entry.held_row = entry.first_row + first, entry.held_row + first
        at += EMITTED_WORDS * WORD_BYTES
    return at


@inner
def save_found(found, at, first):
    """A window."""
    move(at, found.address, FOUND_WORDS)
    move_rows(FoundWindow(at), -first)


@inner
def load_key(r, saved, first):
    """What save_key wrote behind the rows, which are those from `first` on now. Whether that is what stands there."""
    not_inlined()
    derived, at = r.derived, saved
    words, end = words_at(at), saved + r.carried.lengths[r.key] * WORD_BYTES
    if end < at + (SCALARS + FOUND_WORDS) * WORD_BYTES:
        return False
    derived.frontier, derived.frontier_row, derived.youngest = words[0], words[1] + first, words[2]
    at += SCALARS * WORD_BYTES
    move(derived.forgotten.address, at, FOUND_WORDS)
    move_rows(derived.forgotten, first)
    at += FOUND_WORDS * WORD_BYTES
    at = _load_emitted(derived.emitted, at, first, end)
    at = _load_emitted(derived.closed, at, first, end)
    if at == 0 or not are_there(at, (end - at) // WORD_BYTES, ENTRY_WORDS):
        return False
    at = load_ordered(derived.late, at, first)
    return call(derived.source.load, r, at, (end - at) // WORD_BYTES, first) == 1
