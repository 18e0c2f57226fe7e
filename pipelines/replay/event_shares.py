"""Which events each task of a replay takes: whole buckets, or where one of them is too large for a task some of its
keys, or where a key is too large some of its time.

    bucket 3     a a b c c c c c c c c c c d e          row groups, sorted by key
    tasks        ── a b ──│─ c ─│─ c ─│─ c ─│─ d e ──   c is cut along time

A cut along time gives a task the windows that start within its pane, and with the pane the events of these windows: its
halo. That is exact where a window's rows follow from its own events alone, and only for aggregates whose states are
exact: a standard deviation would depend on where it is cut.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from pipelines.engines.ranges import EVERYTHING, Range
from pipelines.replay.row_groups import RowGroup, row_groups

# A pane is at least so many times as long as its halo: else its tasks would mostly read what others read too.
LEAST_PANE = 4


class EventShare(NamedTuple):
    """Files by bucket; of these keys, by the stream's first key column; `pane`: where the windows start, in µs since
    the epoch; about so many bytes of the files."""

    buckets: tuple[tuple[str, ...], ...]
    keys: Range
    pane: Range
    file_bytes: int


def shares_of_keys(
    files: tuple[str, ...], column: str, halo_us: tuple[int, int] | None, limit: int
) -> list[EventShare]:
    """Shares of about so many bytes of a bucket: of whole keys, and of panes of keys that are too large. column: the
    stream's first key column; halo_us: of a pane, None where time can't be cut. O(row groups · log row groups)."""
    by_key: defaultdict[object, list[RowGroup]] = defaultdict(list)
    for group in row_groups(column, files):
        by_key[group.least].append(group)
    found = []
    for keys, size in _ranges({key: _bytes(of_key) for key, of_key in by_key.items()}, limit):
        panes = _panes(by_key[keys.only], halo_us, limit) if keys.is_of_one else [(EVERYTHING, size)]
        found += [EventShare((files,), keys, pane, of_pane) for pane, of_pane in panes]
    return found


def _bytes(groups: Iterable[RowGroup]) -> int:
    return sum(group.file_bytes for group in groups)


def _ranges(bytes_from: Mapping[object, int], limit: int) -> list[tuple[Range, int]]:
    """Ranges of keys that have about so many bytes each, and these; together all keys. A key that has more is alone,
    the null key too. bytes_from: of the row groups that begin with a key."""
    ranges: list[tuple[Range, int]] = []
    low, without_low, filled = None, False, bytes_from.get(None, 0)
    if filled > limit:
        ranges, filled = [(Range(only_nulls=True), filled)], 0
    for key in sorted(each for each in bytes_from if each is not None):  # type: ignore[type-var]
        size = bytes_from[key]
        if filled + size > limit:
            ranges.append((Range(low, key, without_low, nulls=not ranges), filled))
            low, without_low, filled = key, False, 0
        if size > limit:
            ranges.append((Range(only=key), size))
            low, without_low = key, True
        else:
            filled += size
    return [*ranges, (Range(low, None, without_low, nulls=not ranges), filled)]


def _panes(groups: Sequence[RowGroup], halo_us: tuple[int, int] | None, limit: int) -> list[tuple[Range, int]]:
    """Panes of as many bytes each as the others, at most about the limit, and these; together all time."""
    total = _bytes(groups)
    pane_bytes = total / max(1, -(-total // limit))
    cuts_us: list[int] = []
    before = 0
    for group in sorted(groups, key=lambda group: group.earliest_us):
        is_full = before >= pane_bytes * (len(cuts_us) + 1)
        if halo_us is not None and is_full:
            before_us = cuts_us[-1] if cuts_us else min(each.earliest_us for each in groups)
            if group.earliest_us - before_us >= LEAST_PANE * sum(halo_us):
                cuts_us.append(group.earliest_us)
        before += group.file_bytes
    return [(Range(low, high), total // (len(cuts_us) + 1)) for low, high in pairwise([None, *cuts_us, None])]
