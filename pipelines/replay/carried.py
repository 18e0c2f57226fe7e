"""What a replay carries on for the next one: a row for each key, with the words that its kernel gave
(kernels/replay/carried.py)."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from pipelines.replay.group_keys import Groups, group
from pipelines.rows.arrays import TIME
from schemas.state_table import CARRIED

STATE_TYPE = pa.large_binary()
WORD = np.dtype("<i8")
_ORDER = {"arrival": TIME, "seq": pa.int64(), "path": pa.string(), "line": pa.int64(), "reading": pa.int64()}


def group_with(events: pa.Table, carried: pa.Table, key: tuple[str, ...]) -> tuple[Groups, list[np.ndarray]]:
    """Groups of the events of all keys that are among the events or among what was carried, and what was carried of
    each key, an empty array if nothing was. O(rows · log rows)."""
    names = [name for name in _ORDER if name in events.column_names]
    rows = pa.concat_tables([events.select([*key, *names]), _placeholders(events, carried, key, names)])
    groups = group(rows, key)
    is_event = groups.order < len(events)
    keys = len(groups.offsets) - 1
    counts = np.bincount(groups.number[is_event], minlength=keys)
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    saved = [np.zeros(0, np.int64)] * keys
    for row, number in zip(groups.order[~is_event], groups.number[~is_event], strict=True):
        words = carried[CARRIED][int(row) - len(events)].as_py()
        saved[number] = np.frombuffer(words, WORD, len(words) // WORD.itemsize)  # the kernel refuses what was cut
    return Groups(groups.order[is_event], offsets, groups.number[is_event], groups.keys), saved


def _placeholders(events: pa.Table, carried: pa.Table, key: Sequence[str], names: Sequence[str]) -> pa.Table:
    """A row for each key that was carried on."""
    keys = {name: carried[name].cast(events.schema.field(name).type) for name in key}
    zeros = {name: pa.nulls(len(carried), _ORDER[name]).fill_null("" if name == "path" else 0) for name in names}
    made = pa.table({**keys, **{name: zeros[name].cast(events.schema.field(name).type) for name in names}})
    return made.cast(events.select([*key, *names]).schema)


def carried_table(groups: Groups, saved: Sequence[np.ndarray], key: tuple[str, ...]) -> pa.Table:
    """What is carried on, a row for each key that leaves something."""
    left = np.flatnonzero([len(words) > 0 for words in saved])
    keys = {} if groups.keys is None else {name: groups.keys[name].take(left) for name in key}
    words = [saved[int(number)].astype(WORD, copy=False).tobytes() for number in left]
    return pa.table({**keys, CARRIED: pa.array(words, STATE_TYPE)})
