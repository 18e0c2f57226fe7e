"""Keys that go on from another replay: what that saved of each stands in front of its events.

saved of a key   [seal][rows][columns][words behind][start …][value …][valid …][…]       seal: aggregators/_saved.py
columns then     kept kept kept new new new        kept rows were taken before, and make no row
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kernels.aggregators._saved import description, opened, sealed
from kernels.monoids import AggregateSpec
from kernels.replay.types import EventColumns, KernelChoice, Labels, ReplayRules, WindowSpec
from kernels.runtime.cache import AGGREGATES, syntax_digest_of
from kernels.runtime.memory import WORD_BYTES, address_of
from schemas.errors import BadInput

HEAD_WORDS = 3
"""Rows, columns, words behind them."""
LAYOUT = 2
"""Raise it when what is saved is laid out anew."""
BEFORE_ALL_US = -(1 << 62)


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
    saved = [_opened(words, of, len(columns.values), columns.labels, key) for key, words in enumerate(saved)]
    rows, lengths = (np.array([words[at] if len(words) else 0 for words in saved], np.int64) for at in (0, 2))
    offsets = columns.key_offsets + np.concatenate(([0], np.cumsum(rows)))
    kept = _places(offsets[:-1], rows)
    new = _places(offsets[:-1] + rows, np.diff(columns.key_offsets))
    parts = [_parts(words, len(columns.values)) for words in saved if len(words)]
    starts = np.empty(offsets[-1], np.int64)
    arrivals = np.full(offsets[-1], BEFORE_ALL_US)
    values = np.empty((len(columns.values), offsets[-1]), np.int64)
    valid = np.empty(values.shape, np.bool_)
    starts[new], arrivals[new] = columns.start_us, columns.arrival_us
    values[:, new], valid[:, new] = columns.values, columns.valid
    if parts:
        starts[kept] = np.concatenate([each.starts for each in parts])
        values[:, kept] = np.concatenate([each.values for each in parts], axis=1)
        valid[:, kept] = np.concatenate([each.valid for each in parts], axis=1)
    whole = columns._replace(key_offsets=offsets, start_us=starts, arrival_us=arrivals, values=values, valid=valid)
    ends = np.zeros(len(rows), np.int64)
    return KeptKeys(whole, rows, _addresses(saved, len(columns.values)), lengths, ends, of, saved)


class _Parts(NamedTuple):
    starts: np.ndarray
    values: np.ndarray
    valid: np.ndarray


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


def _parts(words: np.ndarray, columns: int) -> _Parts:
    rows = int(words[0])
    starts, values, valid = np.split(words[HEAD_WORDS : _behind(words, columns)], [rows, rows * (1 + columns)])
    return _Parts(starts, values.reshape(columns, rows), valid.reshape(columns, rows) != 0)


def _places(firsts: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """firsts[k] … firsts[k] + counts[k] − 1, of one k after the other."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(firsts - (ends - counts), counts)


def _addresses(saved: Sequence[np.ndarray], columns: int) -> np.ndarray:
    found = [address_of(words) + WORD_BYTES * _behind(words, columns) if len(words) else 0 for words in saved]
    return np.array(found, np.int64)
