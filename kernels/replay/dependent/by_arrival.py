"""Count windows in order of arrival: each is a stretch of a key's rows, complete with its last one, and never changes.

size 3, step 2        rows    0  1  2  3  4  5        windows [0 1 2] [2 3 4]
                      panes  [0  1][2][3][4][5 …      between the edges of windows: one entry of the kernel each
                      least     ▲ rows from which on no later one starts earlier: the first of them that a window
                                  holds is its earliest. latest: the same of later ones

Aggregates that depend on order take a window's rows in that of time: each row is an entry at its place among the key's
tuples (ranks), comes when a window holds it, and goes when none does any more, from wherever it stands.
"""

from kernels.aggregators._dispatch import FOREVER
from kernels.bounds import KernelWindow
from kernels.replay.carried import save_rows
from kernels.replay.clock import move_floor, move_watermark, start_clock
from kernels.replay.context import Replay, WindowLogic
from kernels.replay.dependent.emitted import (
    EMITTED_WORDS,
    count_emitted,
    insert_emitted,
    place_in_emitted,
    stands_at,
    start_emitted,
)
from kernels.replay.rows import EARLY, FINAL, ON_TIME, append_row, write_outputs
from kernels.replay.stop import must_stop
from kernels.replay.types import EMIT_ARRIVAL, EMIT_FINAL
from kernels.runtime.fields import Count
from kernels.runtime.growing import append
from kernels.runtime.memory import inner, move, not_inlined
from kernels.runtime.struct import words_at
from kernels.runtime.tables import lazy_table
from kernels.states import gather

HAD_ROWS = -(1 << 62)
"""As tick: of rows that had their windows in an earlier replay."""


class ArrivalCountWindow(KernelWindow):
    """Rows, in KernelWindow.size of them, every `every`."""

    every: Count


def start_key(r: Replay):
    start_clock(r.clock)
    arrived, emitted = r.dependent.by_arrival, r.dependent.emitted
    for queue in (arrived.earliest, arrived.latest):
        queue.used = queue.first_kept = 0
    arrived.taken = arrived.rows_before = arrived.kept = 0
    arrived.held_first = arrived.held_end = r.events.first_of_key[r.key]
    start_emitted(r.dependent)
    if r.carried.words.address != 0 and r.carried.words[r.key] != 0:
        first, words = r.events.first_of_key[r.key], words_at(r.carried.words[r.key])
        arrived.rows_before = words[0]
        move(append(emitted, words[1] * EMITTED_WORDS), words[2:].address, words[1] * EMITTED_WORDS)
        take_burst(r, first, first + r.carried.kept[r.key], HAD_ROWS)


@inner
def take_burst(r: Replay, first, end, tick):
    """Rows of a tick, or those that an earlier replay took and made rows of. O(events), and a range query a window."""
    window, arrived = ArrivalCountWindow(r.window.address), r.dependent.by_arrival
    key_first = r.events.first_of_key[r.key] - arrived.rows_before
    while first < end and not must_stop(r.stop):
        number = first - key_first
        taken = min(end - first, _until_next_edge(window, number))
        if arrived.taken == 0:
            arrived.pane_row = first
        arrived.taken += taken
        for row in range(first, first + taken):
            _add(r, arrived.earliest, row, 1)
            _add(r, arrived.latest, row, -1)
        first += taken
        if _until_next_edge(window, number) == taken:
            _end_pane(r, window, first - key_first, tick)


@inner
def _until_next_edge(window, number):
    """How many rows there are up to the next one with which a window ends, or before which one starts."""
    to_start = window.every - number % window.every
    behind = number - window.size
    to_end = -behind if behind < 0 else window.every - behind % window.every
    return min(to_start, to_end)


@inner
def _add(r, queue, row, sign):
    """A row at the end of a queue of rows whose starts, times the sign, never fall."""
    starts, rows = r.events.starts, words_at(queue.first)
    while queue.used > queue.first_kept and sign * starts[rows[queue.used - 1]] > sign * starts[row]:
        queue.used -= 1
    append(queue, 1)
    words_at(queue.first)[queue.used - 1] = row


@inner
def _end_pane(r, window, number, tick):
    """The rows since the last edge go into the kernel as one entry; row `number` is behind them."""
    not_inlined()
    arrived = r.dependent.by_arrival
    end = r.events.first_of_key[r.key] - arrived.rows_before + number
    if r.plan.is_commutative:
        gather(r.plan, r.state, r.events.columns, arrived.pane_row, end)
        r.kernel.insert(r.panes, arrived.pane_row, r.state, -1)
    arrived.taken = 0
    if number >= window.size and (number - window.size) % window.every == 0:
        _emit(r, end - window.size, end, tick, (number - window.size) // window.every)


@inner
def _emit(r, first, end, tick, index):
    starts, arrived, found = r.events.starts, r.dependent.by_arrival, r.dependent.found
    earliest = _first_from(arrived.earliest, first)
    latest = _first_from(arrived.latest, first)
    if tick != HAD_ROWS:
        _number(r, starts[earliest], starts[latest] + 1, index)
    if tick != HAD_ROWS and tick >= r.rows.kept_from:
        firing = EARLY if r.emit == EMIT_ARRIVAL else FINAL if r.emit == EMIT_FINAL else ON_TIME
        row = append_row(r, (found.start, found.end, found.number), 0, firing, tick)
        write_outputs(r.rows, row, _state(r, first, end))
    if r.plan.is_commutative:
        r.kernel.bulk_evict(r.panes, first - 1)


@inner
def _state(r, first, end):
    """Of the rows [first, end) of the key at hand, of which neither falls. O(rows that come and go · log window)."""
    if r.plan.is_commutative:
        return r.kernel.range_query(r.panes, first, end)
    arrived, ranks = r.dependent.by_arrival, r.events.ranks
    for row in range(arrived.held_first, min(first, arrived.held_end)):
        r.kernel.evict(r.panes, ranks[row])
    for row in range(max(first, arrived.held_end), end):
        gather(r.plan, r.state, r.events.columns, row, row + 1)
        r.kernel.insert(r.panes, ranks[row], r.state, row)
    arrived.held_first, arrived.held_end = first, end
    return r.kernel.range_query(r.panes, 0, FOREVER)


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


@inner
def _first_from(queue, row):
    """The first of a queue that isn't before a row; those before it go. O(1) amortised."""
    rows = words_at(queue.first)
    while rows[queue.first_kept] < row:
        queue.first_kept += 1
    if 2 * queue.first_kept > queue.used + 8:  # half of the room is of what is gone
        queue.used -= queue.first_kept
        move(queue.first, rows[queue.first_kept :].address, queue.used)
        queue.first_kept = 0
    return rows[queue.first_kept]


def end_key(r: Replay):
    """What no window ends with yet is carried on."""
    if not r.carried.is_wanted:
        return
    window = ArrivalCountWindow(r.window.address)
    first, end = r.events.first_of_key[r.key], r.events.first_of_key[r.key + 1]
    taken = r.dependent.by_arrival.rows_before + end - first
    ended = 0 if taken < window.size else (taken - window.size) // window.every + 1
    before = min(taken, ended * window.every)
    rows = taken - before
    _forget(r)
    emitted = r.dependent.emitted
    words = words_at(save_rows(r, end - rows, rows, 2 + emitted.used))
    words[0], words[1] = before, count_emitted(emitted)
    move(words[2:].address, emitted.first.address, emitted.used)


def advance(r: Replay, step):
    if step > r.clock.step:
        move_watermark(r.clock, step)
        move_floor(r.clock)


arrival_logic = lazy_table(WindowLogic, "windows_by_arrival", start_key, take_burst, advance, end_key)
