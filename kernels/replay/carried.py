"""What is carried of a key from one replay to the next, as words; rows are counted from the first that is kept on. The
next one puts the rows in front of its events: they were taken before, and make no row.

[seal][rows][columns][words behind the rows]                     seal: objects/saved.py
[start · start …][value · value …] for each column [valid · valid …] for each column
[frontier · row · youngest][forgotten][emitted · emitted …][closed · closed …][late · late …][the source's own]
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kernels.frames._buffers import load_ordered, ordered_words, save_ordered
from kernels.frames._ordered import ENTRY_WORDS
from kernels.monoids import AggregateSpec
from kernels.objects.saved import description, opened, sealed
from kernels.replay.dependent.emitted import EMITTED_WORDS, count_emitted
from kernels.replay.dependent.state import FOUND_WORDS, EmittedWindow, FoundWindow, move_rows
from kernels.replay.types import EventColumns, KernelChoice, Labels, ReplayRules, WindowSpec
from kernels.runtime.cache import AGGREGATES, syntax_digest_of
from kernels.runtime.counted import are_there
from kernels.runtime.growing import append
from kernels.runtime.memory import WORD_BYTES, address_of, inner, move, not_inlined
from kernels.runtime.struct import words_at
from schemas.errors import BadInput

HEAD_WORDS = 3
"""Rows, columns, words behind them."""
LAYOUT = 3
"""Raise it when what is saved is laid out anew."""
BEFORE_ALL_US = -(1 << 62)
SCALARS = 3


class KeptKeys(NamedTuple):
    """columns: with the kept rows in front; rows: int64[keys], how many of them; words: int64[keys], addresses of what
    else was saved, 0 of keys of which nothing was; lengths: int64[keys], how many words that are; ends: int64[keys],
    where what is carried on of each key will end; of: what it is of; saved: what `words` point to."""

    columns: EventColumns
    rows: np.ndarray
    words: np.ndarray
    lengths: np.ndarray
    ends: np.ndarray
    of: int
    saved: Sequence[np.ndarray]

    def split(self, words: np.ndarray) -> list[np.ndarray]:
        """The words of all keys key by key, sealed; none of a key that leaves none."""
        begins = np.concatenate(([0], self.ends[:-1]))
        pairs = zip(begins, self.ends, strict=True)
        return [sealed(self.of, words[begin:end]) if begin < end else words[:0] for begin, end in pairs]


def describe(
    window: WindowSpec, source: str, specs: Sequence[AggregateSpec], choice: KernelChoice, rules: ReplayRules
) -> int:
    """A word for what saved words are of: other windows, aggregates, columns, latenesses, another emit or kernel have
    another, and so has an aggregate or a policy whose code is another. source: digest of that policy's code."""
    closing = getattr(window.asked, "function", None)
    functions = {spec.function for spec in (*specs, *window.reads)} | ({closing} if closing else set())
    sources = [syntax_digest_of(AGGREGATES, function) for function in sorted(functions)]
    cut_by = (window.asked, window.column, window.column_type, window.reads, source)
    when = (rules.lateness_us, rules.allowed_us, rules.emit)
    return description("replay", LAYOUT, cut_by, tuple(specs), choice, sources, when)


def with_kept_rows(columns: EventColumns, saved: Sequence[np.ndarray], of: int) -> KeptKeys:
    """Put what was saved of each key in front of its events; saved: an array for each key, empty if nothing was; of:
    what it must be of. BadInput for words of something else. O(events + kept rows + keys)."""
    count = len(columns.values)
    saved = [_opened(words, of, count, columns.labels, key) for key, words in enumerate(saved)]
    rows, lengths = (np.array([words[at] if len(words) else 0 for words in saved], np.int64) for at in (0, 2))
    offsets = columns.key_offsets + np.concatenate(([0], np.cumsum(rows)))
    kept = _places(offsets[:-1], rows)
    new = _places(offsets[:-1] + rows, np.diff(columns.key_offsets))
    tables = [words[HEAD_WORDS : _behind(words, count)].reshape(1 + 2 * count, -1) for words in saved if len(words)]
    of_kept = np.concatenate([np.zeros((1 + 2 * count, 0), np.int64), *tables], axis=1)
    starts = np.empty(offsets[-1], np.int64)
    arrivals = np.full(offsets[-1], BEFORE_ALL_US)
    values = np.empty((count, offsets[-1]), np.int64)
    valid = np.empty(values.shape, np.bool_)
    starts[new], arrivals[new] = columns.start_us, columns.arrival_us
    values[:, new], valid[:, new] = columns.values, columns.valid
    starts[kept], values[:, kept], valid[:, kept] = of_kept[0], of_kept[1 : 1 + count], of_kept[1 + count :] != 0
    whole = columns._replace(key_offsets=offsets, start_us=starts, arrival_us=arrivals, values=values, valid=valid)
    behind = [address_of(words) + WORD_BYTES * _behind(words, count) if len(words) else 0 for words in saved]
    return KeptKeys(whole, rows, np.array(behind, np.int64), lengths, np.zeros(len(rows), np.int64), of, saved)


def _opened(words: np.ndarray, of: int, columns: int, labels: Labels, key: int) -> np.ndarray:
    """Without their seal; none where there were none."""
    if isinstance(words, np.ndarray) and words.size == 0:
        return np.zeros(0, np.int64)
    others = (
        f"the state of {labels.key(key)} is not of this query as it is now: its windows, aggregates, columns, kernel "
        "or an aggregate's file differ, or it is damaged; replay from the first day on"
    )
    words = opened(words, of, others)
    is_whole = len(words) >= HEAD_WORDS and min(words[:HEAD_WORDS]) >= 0 and words[1] == columns
    if not is_whole or len(words) != _behind(words, columns) + int(words[2]):
        raise BadInput(others)
    return words


def _behind(words: np.ndarray, columns: int) -> int:
    """Where the words behind the rows begin."""
    return HEAD_WORDS + int(words[0]) * (1 + 2 * columns)


def _places(firsts: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """firsts[k] … firsts[k] + counts[k] − 1, of one k after the other."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(firsts - (ends - counts), counts)


@inner
def save_key(r, end):
    """Append the words of the key at hand, of whose rows `end` is behind the last; none of a key that goes on as if it
    were new."""
    not_inlined()
    dependent, carried = r.dependent, r.carried
    if dependent.source.begins_anew != 0 and dependent.source.begins_anew(r) == 1:
        carried.ends[r.key] = carried.saved.used
        return
    first = dependent.source.least_row(r)
    first = end if first < 0 else first
    lists = _emitted_words(dependent.emitted) + _emitted_words(dependent.closed) + ordered_words(dependent.late)
    behind = SCALARS + FOUND_WORDS + lists + dependent.source.save(r, 0, first)
    at = save_rows(r, first, end - first, behind)
    words = words_at(at)
    words[0], words[1], words[2] = dependent.frontier, dependent.frontier_row - first, dependent.youngest
    at += SCALARS * WORD_BYTES
    move(at, dependent.forgotten.address, FOUND_WORDS)
    move_rows(FoundWindow(at), -first)
    at += FOUND_WORDS * WORD_BYTES
    at = _save_emitted(dependent.emitted, at, first)
    at = _save_emitted(dependent.closed, at, first)
    at = save_ordered(dependent.late, at, first)
    dependent.source.save(r, at, first)


@inner
def save_rows(r, first, rows, behind):
    """Append so many rows of the key at hand, from the first on, with their head and room for the words behind them.
    Returns the address of these, and notes where they end."""
    events, carried, columns = r.events.columns, r.carried, r.carried.columns
    words = words_at(append(carried.saved, HEAD_WORDS + rows * (1 + 2 * columns) + behind))
    carried.ends[r.key] = carried.saved.used
    words[0], words[1], words[2] = rows, columns, behind
    words = words[HEAD_WORDS:]
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
def _emitted_words(emitted):
    return 1 + emitted.used


@inner
def _save_emitted(emitted, at, first):
    words_at(at)[0] = count_emitted(emitted)
    at += WORD_BYTES
    for place in range(count_emitted(emitted)):
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
def load_key(r, saved, first):
    """What save_key wrote behind the rows, which are those from `first` on now. Whether that is what stands there."""
    not_inlined()
    dependent, at = r.dependent, saved
    words, end = words_at(at), saved + r.carried.lengths[r.key] * WORD_BYTES
    if end < at + (SCALARS + FOUND_WORDS) * WORD_BYTES:
        return False
    dependent.frontier, dependent.frontier_row, dependent.youngest = words[0], words[1] + first, words[2]
    at += SCALARS * WORD_BYTES
    move(dependent.forgotten.address, at, FOUND_WORDS)
    move_rows(dependent.forgotten, first)
    at += FOUND_WORDS * WORD_BYTES
    at = _load_emitted(dependent.emitted, at, first, end)
    at = _load_emitted(dependent.closed, at, first, end)
    if at == 0 or not are_there(at, (end - at) // WORD_BYTES, ENTRY_WORDS):
        return False
    at = load_ordered(dependent.late, at, first)
    return dependent.source.load(r, at, (end - at) // WORD_BYTES, first) == 1
