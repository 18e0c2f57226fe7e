"""Features from rows of published queries: of a label's key, the newest window's.

As known, a row holds from `emitted_at` until a newer revision of its window, which says something else or that the
window is gone. As true, only the last revisions hold, from their window's end on.
"""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from windrow.kernels.probes.newest import NONE, newest_rows
from windrow.pipelines.features.sorted_labels import SortedLabels, numbered_alike
from windrow.pipelines.replay.event_arrays import key_codes
from windrow.pipelines.rows.arrays import stored
from windrow.schemas.feature_set import AGE_S, KNOWN, SUFFIX, FeatureSet, Latest
from windrow.schemas.registry import query
from windrow.schemas.windows import MICROSECOND

NEVER_US = (1 << 63) - 1
SECOND_US = 1_000_000


def read_columns(asked: Latest) -> list[str]:
    """What of a query's table is looked at."""
    of = query(asked.query)
    return [*dict.fromkeys((*of.window_identity, "revision", "emitted_at", "events", *asked.columns))]


def newest_columns(
    labels: pa.Table, of_labels: SortedLabels, features: FeatureSet, knowledge: str, rows_of: Mapping[str, pa.Table]
) -> dict[str, pa.ChunkedArray]:
    """The columns of `latest`, of the labels by key and time. O(rows log rows + labels log labels)."""
    found: dict[str, pa.ChunkedArray] = {}
    for name, asked in features.latest.items():
        rows = rows_of[asked.query]
        place, age_us = _newest(labels, of_labels, asked, rows, knowledge == KNOWN)
        is_none = place == NONE
        if asked.at_most is not None:
            is_none |= age_us > asked.at_most // MICROSECOND
        taken = pa.array(place, mask=is_none)
        columns = {column: rows[column].take(taken) for column in asked.columns}
        columns[AGE_S] = pa.chunked_array([pa.array(age_us / SECOND_US, pa.float64(), mask=is_none)])
        found |= {f"{name}_{column}{SUFFIX[knowledge]}": each for column, each in columns.items()}
    return found


def _newest(
    labels: pa.Table, of_labels: SortedLabels, asked: Latest, rows: pa.Table, as_known: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The place of each label's row, NONE without one, and its age. Labels that are sorted by the feature set's key are
    not by the query's, which may be a part of it."""
    key = query(asked.query).key
    _, of_rows, of_keys = numbered_alike(rows, labels, key)
    of_keys = of_keys[of_labels.order]
    order = np.lexsort((of_labels.time_us, of_keys))
    keys, times_us = of_keys[order], of_labels.time_us[order]
    since_us, until_us, ends_us = _valid(rows, asked, as_known)
    newest_first = _oldest_first(rows)[::-1]
    newest_first = newest_first[since_us[newest_first] < until_us[newest_first]]
    firsts, ends = (_places(keys, times_us, of_rows, each)[newest_first] for each in (since_us, until_us))
    found = newest_rows(firsts, ends, len(keys))
    place = np.full(len(keys), NONE, np.int64)
    place[order] = np.where(found == NONE, NONE, np.append(newest_first, NONE)[found])
    window_end_us = np.append(ends_us, 0)[place]
    return place, np.maximum(of_labels.time_us - window_end_us, 0)


def _oldest_first(rows: pa.Table) -> np.ndarray:
    """The rows from the oldest window to the newest, revisions in their order."""
    names = [name for name in ("window_number", "window_start", "window_end") if name in rows.column_names]
    return np.lexsort((stored(rows["revision"]), *(stored(rows[name]) for name in names)))


def _valid(rows: pa.Table, asked: Latest, as_known: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """From when until before when each row holds, and the ends of their windows, in µs."""
    identity = query(asked.query).window_identity
    windows = key_codes(rows, identity)[0]
    revision, emitted_us, ends_us = (stored(rows[name]) for name in ("revision", "emitted_at", "window_end"))
    order = np.lexsort((revision, windows))
    is_followed = windows[order][1:] == windows[order][:-1]
    replaced_us = np.full(len(rows), NEVER_US)
    replaced_us[order[:-1][is_followed]] = emitted_us[order[1:][is_followed]]
    is_there = stored(rows["events"]) > 0
    if as_known:
        return emitted_us, np.where(is_there, replaced_us, emitted_us), ends_us
    is_last = is_there & (replaced_us == NEVER_US)
    return ends_us - 1, np.where(is_last, NEVER_US, ends_us - 1), ends_us


def _places(keys: np.ndarray, times_us: np.ndarray, of_rows: np.ndarray, us: np.ndarray) -> np.ndarray:
    """Where in labels by key and time those of a row's key begin that ask at a moment or later."""
    comes_behind = np.append(np.ones(len(keys), np.int8), np.zeros(len(us), np.int8))  # a label at the row's moment
    found = np.lexsort((comes_behind, np.append(times_us, us), np.append(keys, of_rows)))
    is_label = found < len(keys)
    places = np.empty(len(us), np.int64)
    places[found[~is_label] - len(keys)] = np.cumsum(is_label)[~is_label]
    return places
