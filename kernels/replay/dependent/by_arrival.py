"""Count windows in order of arrival: each is a stretch of a key's rows, complete with its last one, and never changes.

size 3, step 2        rows    0  1  2  3  4  5        windows [0 1 2] [2 3 4]
                      panes  [0  1][2][3][4][5 …      between the edges of windows: one entry of the kernel each

Aggregates that depend on order take a window's rows in that of time: each row is an entry at its place among the key's
tuples (ranks), comes when a window holds it, and goes when none does any more, from wherever it stands.
"""

import numpy as np

from windrow.kernels.aggregators._dispatch import FOREVER
from windrow.kernels.bounds import KernelWindow
from windrow.kernels.replay.carried import emitted_words, load_emitted, save_emitted, saved_of
from windrow.kernels.replay.clock import move_floor, move_watermark
from windrow.kernels.replay.context import Replay, WindowLogic
from windrow.kernels.replay.dependent.emitted import (
    EMITTED_WORDS,
    count_emitted,
    insert_emitted,
    place_in_emitted,
    stands_at,
    start_emitted,
)
from windrow.kernels.replay.rows import EARLY, firing_of_pass, make_row
from windrow.kernels.replay.stop import DAMAGED, must_stop_at
from windrow.kernels.replay.types import EMIT_ARRIVAL
from windrow.kernels.runtime.fields import Count, Microseconds, Pointer
from windrow.kernels.runtime.growing import append
from windrow.kernels.runtime.memory import WORD_BYTES, address_of, inner, move, not_inlined
from windrow.kernels.runtime.struct import words_at
from windrow.kernels.runtime.tables import lazy_table
from windrow.kernels.states import gather

HAD_ROWS = -(1 << 62)
"""As tick: of rows that had their windows in an earlier replay."""
AS_THEY_STAND = 0
"""As the row that rows are counted from: these windows name none, and −1 must stay −1 wherever the key's rows stand."""


class ArrivalCountWindow(KernelWindow):
    """Rows, in KernelWindow.size of them, every `every`. earliest, latest: of all start times in a window, by the place
    of its first row."""

    every: Count
    earliest: Pointer(Microseconds)
    latest: Pointer(Microseconds)


def note_times(window: ArrivalCountWindow, starts: np.ndarray) -> None:
    """The earliest and the latest start of each window, of events by key and order of arrival. O(events)."""
    times = least_of_each(starts, window.size), -least_of_each(-starts, window.size)
    window.earliest, window.latest = map(address_of, times)
    object.__setattr__(window, "_kept", [window._kept, times])


def least_of_each(values: np.ndarray, size: int) -> np.ndarray:
    """The least of each `size` values that stand together, at the place of their first. They meet one edge of blocks of
    `size`: it is the least from the first up to that edge, or from there on (van Herk 1992). O(values)."""
    if size > len(values):
        return values[:0]
    blocks = np.pad(values, (0, -len(values) % size)).reshape(-1, size)
    since_edge = np.minimum.accumulate(blocks, axis=1).ravel()
    until_edge = np.minimum.accumulate(blocks[:, ::-1], axis=1)[:, ::-1].ravel()
    return np.minimum(until_edge[: len(values) - size + 1], since_edge[size - 1 : len(values)])


def start_key(r: Replay):
    arrived, first = r.dependent.by_arrival, r.events.first_of_key[r.key]
    arrived.rows_before = arrived.kept = 0
    arrived.pane_row = arrived.held_first = arrived.held_end = first
    start_emitted(r.dependent)
    window, kept, (saved, end) = ArrivalCountWindow(r.window.address), 0, saved_of(r.carried, r.key)
    if saved != 0:
        arrived.rows_before, kept = words_at(saved)[0], r.carried.kept[r.key]
        is_whole = load_emitted(r.dependent.emitted, saved + WORD_BYTES, AS_THEY_STAND, end) == end
        if not is_whole or arrived.rows_before != _rows_done(window, max(0, arrived.rows_before) + kept):
            r.stop.asked = DAMAGED
    arrived.next_edge = first + _until_next_edge(window, arrived.rows_before)
    take_burst(r, first, first + kept, HAD_ROWS)


@inner
def _rows_done(window, taken):
    """Of so many rows of a key, the first ones, which no window that is to come holds."""
    ended = 0 if taken < window.size else (taken - window.size) // window.every + 1
    return min(taken, ended * window.every)


@inner
def take_burst(r: Replay, first, end, tick):
    """Rows of a tick, or those that an earlier replay took and made rows of. O(events), and a range query a window."""
    for row in range(first, end):
        if must_stop_at(r.stop, row):
            return
        if row + 1 == r.dependent.by_arrival.next_edge:
            _end_pane(r, row + 1, tick)


@inner
def _until_next_edge(window, number):
    """How many rows there are up to the next one with which a window ends, or before which one starts."""
    to_start = window.every - number % window.every
    behind = number - window.size
    to_end = -behind if behind < 0 else window.every - behind % window.every
    return min(to_start, to_end)


@inner
def _end_pane(r, end, tick):
    """The rows since the last edge, up to `end`, go into the kernel as one entry."""
    not_inlined()
    window, arrived = ArrivalCountWindow(r.window.address), r.dependent.by_arrival
    if r.plan.is_commutative:
        gather(r.plan, r.state, r.events.columns, arrived.pane_row, end)
        r.kernel.insert(r.structure, arrived.pane_row, r.state, -1)
    number = arrived.rows_before + end - r.events.first_of_key[r.key]
    arrived.pane_row, arrived.next_edge = end, end + _until_next_edge(window, number)
    if tick != HAD_ROWS and number >= window.size and (number - window.size) % window.every == 0:
        _emit(r, end - window.size, end, tick, (number - window.size) // window.every)


@inner
def _emit(r, first, end, tick, index):
    window, found = ArrivalCountWindow(r.window.address), r.dependent.found
    _number(r, window.earliest[first], window.latest[first] + 1, index)
    if tick >= r.rows.kept_from:
        firing = EARLY if r.emit == EMIT_ARRIVAL else firing_of_pass(r)
        make_row(r, (found.start, found.end, found.number, 0), firing, tick, 0, _state(r, first, end))
    if r.plan.is_commutative:
        r.kernel.bulk_evict(r.structure, first - 1)


@inner
def _state(r, first, end):
    """Of the rows [first, end) of the key at hand, of which neither falls. O(rows that come and go · log window)."""
    if r.plan.is_commutative:
        return r.kernel.range_query(r.structure, first, end)
    arrived, ranks = r.dependent.by_arrival, r.events.ranks
    for row in range(arrived.held_first, min(first, arrived.held_end)):
        r.kernel.evict(r.structure, ranks[row])
    for row in range(max(first, arrived.held_end), end):
        gather(r.plan, r.state, r.events.columns, row, row + 1)
        r.kernel.insert(r.structure, ranks[row], r.state, row)
    arrived.held_first, arrived.held_end = first, end
    return r.kernel.range_query(r.structure, 0, FOREVER)


@inner
def _number(r, start, end, index):
    """The window found: how many had the same start and end before it; but of one whose tuples are all too old for
    other kinds, its index among all windows: what the watermark has passed is forgotten."""
    not_inlined()
    found, emitted = r.dependent.found, r.dependent.emitted
    found.start, found.end, found.number = start, end, 0
    if end <= r.clock.floor:
        found.number = index
        return
    place = place_in_emitted(emitted, found)
    if stands_at(emitted, place, found):
        entry = emitted.first[place]
    else:
        if count_emitted(emitted) > 2 * r.dependent.by_arrival.kept + r.dependent.least_forgotten:
            _forget(r)
            place = place_in_emitted(emitted, found)
        entry = insert_emitted(r.dependent, place, found)
    found.number = entry.events
    entry.events += 1


@inner
def _forget(r):
    """How many windows had starts and ends that no other window is counted with any more."""
    emitted, kept = r.dependent.emitted, 0
    for place in range(count_emitted(emitted)):
        if emitted.first[place].end > r.clock.floor:
            move(emitted.first[kept].address, emitted.first[place].address, EMITTED_WORDS)
            kept += 1
    emitted.used = kept * EMITTED_WORDS
    r.dependent.by_arrival.kept = kept


def save_key(r: Replay):
    """What no window ends with yet is carried on."""
    window = ArrivalCountWindow(r.window.address)
    first, end = r.events.first_of_key[r.key], r.events.first_of_key[r.key + 1]
    taken = r.dependent.by_arrival.rows_before + end - first
    before = _rows_done(window, taken)
    r.carried.firsts[r.key] = end - (taken - before)
    _forget(r)
    at = append(r.carried.saved, 1 + emitted_words(r.dependent.emitted))
    words_at(at)[0] = before
    save_emitted(r.dependent.emitted, at + WORD_BYTES, AS_THEY_STAND)


def advance(r: Replay, step):
    move_watermark(r.clock, step)
    move_floor(r.clock)


arrival_logic = lazy_table(WindowLogic, "windows_by_arrival", start_key, take_burst, advance, save_key)
