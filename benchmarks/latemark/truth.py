"""The truth of millions of bids, by NumPy; a test compares it with oracle.py."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from benchmarks.latemark.arrivals import Columns
from benchmarks.latemark.questions import AHEAD_AT_MOST, LatemarkQuestion, us
from windrow.pipelines.rows.arrays import times
from windrow.schemas.query import Aggregate, Session, Sliding, Tumbling


def counted(columns: Columns) -> Columns:
    """In the order of their arrival: without wrong clocks, and each once."""
    right = columns["date_time"] - columns["arrival"] <= us(AHEAD_AT_MOST)
    kept = {name: values[right] for name, values in columns.items()}
    first = np.sort(np.unique(kept["id"], return_index=True)[1])
    return {name: values[first] for name, values in kept.items()}


def arrived(columns: Columns, moment_us: int) -> Columns:
    """Those that had arrived by a moment."""
    return {name: values[columns["arrival"] <= moment_us] for name, values in columns.items()}


def true_rows(columns: Columns, question: LatemarkQuestion) -> pa.Table:
    """The rows of a question over the bids that count."""
    window = question.query.window
    if not len(columns["id"]):
        return _no_rows(columns, question)
    if isinstance(window, Sliding):
        return _of_panes(columns, question)
    grouped = _sessions if isinstance(window, Session) else _grid
    return _rows(question, grouped(columns, question))


def _no_rows(columns: Columns, question: LatemarkQuestion) -> pa.Table:
    keys = {name: pa.array(columns[name]) for name in question.query.key}
    bounds = {name: times(columns["date_time"]) for name in ("window_start", "window_end")}
    return pa.table(keys | bounds | {name: pa.array(columns["price"]) for name in question.values})


def known_rows(columns: Columns, question: LatemarkQuestion, moments_us: list[int]) -> pa.Table:
    """By moment, as the column `moment`, the rows of what had arrived by then."""
    found = []
    for moment_us in moments_us:
        rows = true_rows(arrived(columns, moment_us), question)
        found.append(rows.append_column("moment", times(np.full(len(rows), moment_us))))
    return pa.concat_tables(found, promote_options="permissive")


class Grouped(NamedTuple):
    """Bids sorted by window: where each window begins among them, and its bounds."""

    columns: Columns
    first: np.ndarray
    start: np.ndarray
    end: np.ndarray

    @property
    def group(self) -> np.ndarray:
        """Of each bid, which window."""
        return np.repeat(np.arange(len(self.first)), self.sizes)

    @property
    def sizes(self) -> np.ndarray:
        return np.diff(self.first, append=len(self.columns["id"]))


def _grid(columns: Columns, question: LatemarkQuestion) -> Grouped:
    window = question.query.window
    assert isinstance(window, Tumbling)
    size = us(window.size)
    start = columns["date_time"] // size * size
    keys = [columns[name] for name in question.query.key]
    order = np.lexsort((*reversed(keys), start))
    begins = _changes([each[order] for each in (start, *keys)])
    first = np.flatnonzero(begins)
    return Grouped(_taken(columns, order), first, start[order][first], start[order][first] + size)


def _sessions(columns: Columns, question: LatemarkQuestion) -> Grouped:
    (key,), gap = question.query.key, us(question.query.window.gap)
    order = np.lexsort((columns["date_time"], columns[key]))
    placed = _taken(columns, order)
    begins = _changes([placed[key]])
    begins[1:] |= np.diff(placed["date_time"]) >= gap
    first = np.flatnonzero(begins)
    last = np.append(first[1:], len(order)) - 1
    return Grouped(placed, first, placed["date_time"][first], placed["date_time"][last] + gap)


def _changes(sorted_columns: list[np.ndarray]) -> np.ndarray:
    begins = np.ones(len(sorted_columns[0]), bool)
    begins[1:] = np.logical_or.reduce([each[1:] != each[:-1] for each in sorted_columns])
    return begins


def _taken(columns: Columns, order: np.ndarray) -> Columns:
    return {name: values[order] for name, values in columns.items()}


def _rows(question: LatemarkQuestion, grouped: Grouped) -> pa.Table:
    keys = {name: grouped.columns[name][grouped.first] for name in question.query.key}
    bounds = {"window_start": times(grouped.start), "window_end": times(grouped.end)}
    values = {name: _value(grouped, each) for name, each in question.query.aggregates.items()}
    return pa.table(keys | bounds | values)


def _value(grouped: Grouped, aggregate: Aggregate) -> pa.Array:
    of = [grouped.columns[name] for name in aggregate.columns]
    match aggregate.function:
        case "count":
            return pa.array(grouped.sizes)
        case "sum":
            return pa.array(np.add.reduceat(of[0], grouped.first))
        case "max":
            return pa.array(np.maximum.reduceat(of[0], grouped.first))
        case "median":
            return pa.array(_median(grouped, of[0]))
        case "argmax":
            ties = [grouped.columns[name] for name in ("id", "arrival", "date_time")]
            return pa.array(of[1][np.lexsort((*ties, -of[0], grouped.group))[grouped.first]])
        case _:
            return _ranked(grouped, of[0], dict(aggregate.parameters)["k"])


def _median(grouped: Grouped, values: np.ndarray) -> np.ndarray:
    ordered = values[np.lexsort((values, grouped.group))]
    low, high = ((grouped.sizes - 1) // 2, grouped.sizes // 2)
    return (ordered[grouped.first + low] + ordered[grouped.first + high]) / 2


def _ranked(grouped: Grouped, values: np.ndarray, k: int) -> pa.Array:
    """The k-th by how often it occurs, null where there are fewer."""
    order = np.lexsort((values, grouped.group))
    group, values = grouped.group[order], values[order]
    first = np.flatnonzero(_changes([group, values]))
    times_, group, values = np.diff(first, append=len(values)), group[first], values[first]
    order = np.lexsort((values, -times_, group))
    group, values = group[order], values[order]
    begins, different = np.unique(group, return_index=True)[1], np.bincount(group)
    place = np.minimum(begins + k - 1, len(values) - 1)
    return pa.array(values[place], mask=different < k)


def _of_panes(columns: Columns, question: LatemarkQuestion) -> pa.Table:
    """Sliding windows of no key, from a pane of each slide: sums by differences, maxima from both ends of blocks."""
    window = question.query.window
    slide, width = us(window.slide), us(window.size) // us(window.slide)
    pane = columns["date_time"] // slide
    low, high = pane.min() - width + 1, pane.max()
    counts = np.zeros(high - low + width, np.int64)
    tops = np.full(len(counts), -1, np.int64)
    np.add.at(counts, pane - low, 1)
    np.maximum.at(tops, pane - low, columns["price"])
    sums = np.concatenate([[0], np.cumsum(counts)])
    bids = sums[width:] - sums[:-width]
    found, start = bids > 0, (low + np.arange(len(bids))) * slide
    bounds = {"window_start": times(start[found]), "window_end": times(start[found] + us(window.size))}
    return pa.table(bounds | {"bids": bids[found], "top_price": _greatest(tops, width)[found]})


def _greatest(values: np.ndarray, width: int) -> np.ndarray:
    """Of each `width` neighbours (van Herk 1992)."""
    whole = np.concatenate([values, np.full(-len(values) % width, -1, np.int64)]).reshape(-1, width)
    ahead = np.maximum.accumulate(whole, axis=1).ravel()
    back = np.maximum.accumulate(whole[:, ::-1], axis=1)[:, ::-1].ravel()
    count = len(values) - width + 1
    return np.maximum(back[:count], ahead[width - 1 : width - 1 + count])


def knowable(columns: Columns, question: LatemarkQuestion, rows: pa.Table) -> tuple[np.ndarray, np.ndarray]:
    """Of each row version of `known` the greatest count and the greatest price that could be known at its `known_at`,
    zero where no bid of its window had arrived."""
    (key,), size = question.query.key, us(question.query.window.size)
    window = columns["date_time"] // size
    order = np.lexsort((columns["arrival"], columns[key], window))
    placed, window = _taken(columns, order), window[order]
    first = np.flatnonzero(_changes([window, placed[key]]))
    asked_window = rows["window_start"].cast("int64").to_numpy() // size
    asked = np.stack([asked_window, rows[key].to_numpy(), rows["known_at"].cast("int64").to_numpy()])
    there = np.stack([window, placed[key], placed["arrival"]])
    # Both sorted together, rows behind the bids of their moment: how many bids stand before a row
    both = np.concatenate([there, asked], axis=1)
    is_row = np.arange(both.shape[1]) >= there.shape[1]
    order = np.lexsort((is_row, both[2], both[1], both[0]))
    before = np.cumsum(~is_row[order])[is_row[order]]
    position = np.empty(len(rows), np.int64)
    position[order[is_row[order]] - there.shape[1]] = before
    begin = first[np.searchsorted(first, np.maximum(position, 1) - 1, "right") - 1]
    last = np.maximum(position, 1) - 1
    same = (position > 0) & (window[last] == asked[0]) & (placed[key][last] == asked[1])
    running = np.maximum.accumulate((np.cumsum(_changes([window, placed[key]])) << 40) + placed["price"]) & (2**40 - 1)
    return np.where(same, position - begin, 0), np.where(same, running[last], 0)
