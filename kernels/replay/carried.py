"""What is carried of a key from one replay to the next, as words; rows are counted from the first that is kept on. The
next one puts the rows in front of its events: they were taken before, and make no row.

[seal][rows][columns][words behind the rows]                     seal: objects/saved.py
[start · start …][value · value …] for each column [valid · valid …] for each column
[frontier · row · youngest][forgotten][emitted · emitted …][closed · closed …][late · late …][the source's own]
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from windrow.kernels.frames._buffers import load_ordered, ordered_words, save_ordered
from windrow.kernels.frames._ordered import ENTRY_WORDS
from windrow.kernels.monoids import AggregateSpec
from windrow.kernels.objects.saved import description, opened, sealed
from windrow.kernels.replay.clock import NEVER
from windrow.kernels.replay.dependent.emitted import EMITTED_WORDS, count_emitted
from windrow.kernels.replay.dependent.state import KEY_PROGRESS_WORDS, EmittedWindow, KeyProgress, copy_key_progress
from windrow.kernels.replay.types import EventColumns, KernelChoice, Labels, ReplayRules, WindowSpec
from windrow.kernels.runtime.cache import AGGREGATES, syntax_digest_of
from windrow.kernels.runtime.counted import are_there
from windrow.kernels.runtime.growing import append
from windrow.kernels.runtime.memory import WORD_BYTES, inner, move, not_inlined
from windrow.kernels.runtime.struct import words_at
from windrow.schemas.errors import BadInput

HEAD_WORDS = 3
"""Rows, columns, words behind them."""
LAYOUT = 3
"""Raise it when what is saved is laid out anew."""


class KeptKeys(NamedTuple):
    """columns: with the kept rows in front; rows: int64[keys], how many of them; words: int64, what else was saved;
    begins: int64[keys + 1], where that of each key begins. ends, firsts: int64[keys], where what is carried on of each
    key will end, and from which row on; of: what it is of."""

    columns: EventColumns
    rows: np.ndarray
    words: np.ndarray
    begins: np.ndarray
    ends: np.ndarray
    firsts: np.ndarray
    of: int

    def split(self, words: np.ndarray) -> list[np.ndarray]:
        """What is carried on, key by key and sealed, from the words behind the rows of all keys; none of a key that
        leaves none."""
        begins = np.concatenate(([0], self.ends[:-1]))
        keys = zip(self.firsts, self.columns.key_offsets[1:], begins, self.ends, strict=True)
        return [self._of_key(slice(*key[:2]), words[slice(*key[2:])]) for key in keys]

    def _of_key(self, rows: slice, behind: np.ndarray) -> np.ndarray:
        if len(behind) == 0:
            return behind
        columns = self.columns
        head = (rows.stop - rows.start, len(columns.values), len(behind))
        table = (columns.start_us[rows], columns.values[:, rows].ravel(), columns.valid[:, rows].ravel())
        return sealed(self.of, np.concatenate((head, *table, behind)))


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
    rows = np.array([words[0] if len(words) else 0 for words in saved], np.int64)
    offsets = columns.key_offsets + np.concatenate(([0], np.cumsum(rows)))
    tables = [words[HEAD_WORDS : _behind(words, count)].reshape(1 + 2 * count, -1) for words in saved if len(words)]
    of_kept = np.concatenate([np.zeros((1 + 2 * count, 0), np.int64), *tables], axis=1)
    at = np.repeat(columns.key_offsets[:-1], rows)
    whole = columns._replace(
        key_offsets=offsets,
        start_us=np.insert(columns.start_us, at, of_kept[0]),
        arrival_us=np.insert(columns.arrival_us, at, NEVER),
        values=np.insert(columns.values, at, of_kept[1 : 1 + count], axis=1),
        valid=np.insert(columns.valid, at, of_kept[1 + count :] != 0, axis=1),
    )
    behind = [words[_behind(words, count) :] if len(words) else words for words in saved]
    begins = np.cumsum([0, *map(len, behind)])
    ends, firsts = np.zeros((2, len(rows)), np.int64)
    return KeptKeys(whole, rows, np.concatenate((*behind, [0])), begins, ends, firsts, of)


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


@inner
def saved_of(carried, key):
    """Where what was saved of a key begins and ends; at 0 if nothing was."""
    if not carried.is_wanted or carried.begins[key] == carried.begins[key + 1]:
        return 0, 0
    return carried.words[carried.begins[key] :].address, carried.words[carried.begins[key + 1] :].address


@inner
def save_dependent(r):
    """Append what is carried on of the key at hand, and note from which row on; nothing of a key that goes on as if it
    were new."""
    not_inlined()
    dependent = r.dependent
    if r.source.begins_anew != 0 and r.source.begins_anew(r) == 1:
        return
    first = r.source.least_row(r)
    first = r.events.first_of_key[r.key + 1] if first < 0 else first
    r.carried.firsts[r.key] = first
    lists = emitted_words(dependent.emitted) + emitted_words(dependent.closed) + ordered_words(dependent.late)
    at = append(r.carried.saved, KEY_PROGRESS_WORDS + lists + r.source.save(r, 0, first))
    copy_key_progress(KeyProgress(at), dependent, -first)
    at += KEY_PROGRESS_WORDS * WORD_BYTES
    at = save_emitted(dependent.emitted, at, first)
    at = save_emitted(dependent.closed, at, first)
    at = save_ordered(dependent.late, at, first)
    r.source.save(r, at, first)


@inner
def emitted_words(emitted):
    return 1 + emitted.used


@inner
def save_emitted(emitted, at, first):
    words_at(at)[0] = count_emitted(emitted)
    at += WORD_BYTES
    for place in range(count_emitted(emitted)):
        move(at, emitted.first[place].address, EMITTED_WORDS)
        entry = EmittedWindow(at)
        entry.first_row, entry.held_row = entry.first_row - first, entry.held_row - first
        at += EMITTED_WORDS * WORD_BYTES
    return at


@inner
def load_emitted(emitted, at, first, end):
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
def load_dependent(r, at, end):
    """What save_dependent wrote, whose rows are the key's first ones now. Whether that is what stands there."""
    not_inlined()
    dependent, first = r.dependent, r.events.first_of_key[r.key]
    if end < at + KEY_PROGRESS_WORDS * WORD_BYTES:
        return False
    copy_key_progress(dependent, KeyProgress(at), first)
    at += KEY_PROGRESS_WORDS * WORD_BYTES
    at = load_emitted(dependent.emitted, at, first, end)
    at = load_emitted(dependent.closed, at, first, end)
    if at == 0 or not are_there(at, (end - at) // WORD_BYTES, ENTRY_WORDS):
        return False
    at = load_ordered(dependent.late, at, first)
    return r.source.load(r, at, (end - at) // WORD_BYTES, first) == 1
