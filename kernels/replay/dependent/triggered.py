"""Windows that tuples trigger (count, delta, slide-by-tuple, policy) as a source of windows: tuples in order, and one
walk over them, from the nearest note on, one tuple after the other.

    tuples    [ 1 2 4 5 ][ 7 8 9 9 ][ 12 14 ·        in chunks; to stand before 9: from the note before 7, over 7 and 8
    notes       ▲          ▲          ▲              what is known before the first tuple of a chunk
    tail      ─────┤                                 windows from here on need no tuple up to it

A kind brings `step`, which is asked of one tuple after the other. Their aggregates come from a kernel of point events,
by the places of tuples in the order that all tuples of the key have in the end (ranks).
"""

from windrow.kernels.aggregators._dispatch import FOREVER
from windrow.kernels.bounds import KernelWindow
from windrow.kernels.frames import _ordered as order
from windrow.kernels.frames._buffers import are_entries, load_ordered, ordered_words, save_ordered
from windrow.kernels.frames._frames import is_until
from windrow.kernels.frames._ordered import (
    LAST_ROW,
    OrderedEntry,
    chunk_at,
    drop_all,
    drop_before,
    entry_at,
    insert_in_order,
    is_behind,
    next_place,
    place_behind,
    standing,
)
from windrow.kernels.frames._rules import counts, value_of
from windrow.kernels.replay.context import Replay
from windrow.kernels.replay.dependent.state import (
    PROGRESS_WORDS,
    WalkProgress,
    WindowSource,
    copy_progress,
    copy_window,
    move_progress_rows,
    move_up,
    set_ends,
    start_progress,
)
from windrow.kernels.runtime.fields import Count, Flag, Place, Ref
from windrow.kernels.runtime.memory import WORD_BYTES, as_word, inner, move, not_inlined, resize
from windrow.kernels.runtime.operations import Operation
from windrow.kernels.runtime.tables import lazy_table
from windrow.kernels.states import gather
from windrow.kernels.states.layout import StatePlan


class TupleWindow(KernelWindow):
    """step(r, entry) → 1 if the tuple that the walk takes next triggers a window, which is then noted by trigger().
    state(r), holds(r, row): as of WindowSource and Dependent, of windows that don't hold all tuples from their first to
    their last. column, is_float: of the value that each tuple must have, NO_COLUMN: it needs none; keeps_panes: whether
    a kernel of point events holds the tuples; looked_at: the plan of what a policy reads, which it holds
    apart; every: of windows that come every so many tuples."""

    step: Operation("Replay", OrderedEntry)
    state: Operation("Replay")
    holds: Operation("Replay", Place)
    column: Place
    is_float: Flag()
    keeps_panes: Flag()
    looked_at: Ref(StatePlan)
    every: Count


@inner
def walk_until(r, time, row):
    """Stand behind the last tuple up to a place."""
    not_inlined()
    walk, dependent = r.dependent.walk, r.dependent
    _go_to_note(walk, time, row)
    place_cursor(dependent, walk)
    walk.stays = False
    while dependent.cursor_chunk < walk.tuples.end:
        if is_behind(entry_at(walk.tuples, dependent.cursor_chunk, dependent.cursor_at), time, row):
            break
        take_step(r)


@inner
def _go_to_note(walk, time, row):
    """The nearest note up to a place becomes `here`, the base if there is none."""
    tuples = walk.tuples
    chunk, _ = place_behind(tuples, time, row)
    while chunk >= tuples.first and chunk < tuples.end and not chunk_at(tuples, chunk).has_note:
        chunk -= 1
    if chunk >= tuples.first and chunk < tuples.end:
        noted = WalkProgress(chunk_at(tuples, chunk).note)
        if not is_until(noted.time, noted.row, walk.base.time, walk.base.row):
            copy_progress(walk.here, noted)
            return
    copy_progress(walk.here, walk.base)


@inner
def place_cursor(dependent, walk):
    """The cursor and the tail's end, by what `here` says."""
    tuples, here = walk.tuples, walk.here
    chunk, at = place_behind(tuples, here.time, here.row)
    dependent.cursor_chunk, dependent.cursor_at = standing(tuples, chunk, at)
    chunk, at = place_behind(tuples, here.tail, here.tail_row)
    walk.tail_chunk, walk.tail_at = standing(tuples, chunk, at)


@inner
def take_step(r):
    walk, dependent = r.dependent.walk, r.dependent
    tuples, here = walk.tuples, walk.here
    if dependent.cursor_at == 0:
        chunk = chunk_at(tuples, dependent.cursor_chunk)
        if chunk.note == 0:
            chunk.note = resize(0, PROGRESS_WORDS)
        copy_progress(WalkProgress(chunk.note), here)
        chunk.has_note = True
    copy_progress(walk.before, here)
    entry = entry_at(tuples, dependent.cursor_chunk, dependent.cursor_at)
    here.tuples += 1
    has_window = TupleWindow(r.window.address).step(r, entry) == 1
    here.time, here.row = entry.time, entry.row
    dependent.cursor_chunk, dependent.cursor_at = next_place(tuples, dependent.cursor_chunk, dependent.cursor_at)
    if not has_window and entry.time < dependent.limit:
        move_up(dependent.frontier, entry.time, entry.row)
    return has_window


@inner
def tail_entry(walk):
    """The first tuple behind the tail; there is one, at the latest that of the step at hand."""
    walk.tail_chunk, walk.tail_at = standing(walk.tuples, walk.tail_chunk, walk.tail_at)
    return entry_at(walk.tuples, walk.tail_chunk, walk.tail_at)


@inner
def move_tail(walk):
    """One tuple more that no window needs."""
    entry = tail_entry(walk)
    walk.here.tail, walk.here.tail_row = entry.time, entry.row
    walk.here.tail_tuples += 1
    walk.tail_chunk, walk.tail_at = next_place(walk.tuples, walk.tail_chunk, walk.tail_at)


@inner
def trigger(here, ends, first, entry):
    """A window from `first` to the tuple of `entry`, which the watermark passes with that."""
    window = here.window
    set_ends(window, ends[0], ends[1])
    window.first, window.first_row = first.time, first.row
    window.last, window.last_row, window.held_row = entry.time, entry.row, entry.row
    window.passes, window.closing_row = entry.time + 1, -1
    here.windows += 1


def start_key(r: Replay):
    walk = r.dependent.walk
    drop_all(walk.tuples)
    start_progress(walk.base)
    walk.stays = False
    window = TupleWindow(r.window.address)
    r.dependent.holds = window.holds
    if walk.policy_panes != 0:
        r.kernel.reset(walk.policy_panes)
    elif window.looked_at.address != 0:
        walk.policy_state = resize(0, window.looked_at.state_words)
        walk.policy_panes = r.kernel.create(window.looked_at, r.made_of[0], r.made_of[1])


def take(r: Replay, row):
    """In order O(1) and what the kernel takes; late O(log tuples + chunks behind it)."""
    window, walk, time = TupleWindow(r.window.address), r.dependent.walk, r.events.starts[row]
    events = r.events.columns
    if not counts(window, events, row):
        return 0
    tuples, word = walk.tuples, as_word(value_of(window, events, row))
    chunk, _ = insert_in_order(tuples, time, row, word)
    for behind in range(chunk + 1, tuples.end):
        chunk_at(tuples, behind).has_note = False
    if is_until(time, row, walk.here.time, walk.here.row):
        walk.stays = False
    _put_into_kernel(r, window, row)
    r.dependent.changed_to.time = FOREVER
    return 1


@inner
def _put_into_kernel(r, window, row):
    events, walk = r.events.columns, r.dependent.walk
    if window.keeps_panes:
        gather(r.plan, r.state, events, row, row + 1)
        r.kernel.insert(r.structure, r.events.ranks[row], r.state, row)
    if window.looked_at.address != 0:
        gather(window.looked_at, walk.policy_state, events, row, row + 1)
        r.kernel.insert(walk.policy_panes, r.events.ranks[row], walk.policy_state, row)


def go_before(r: Replay, time, row):
    walk_until(r, time - 1, LAST_ROW)
    copy_window(r.dependent.found, r.dependent.walk.here.window)


def go_on(r: Replay):
    walk, dependent = r.dependent.walk, r.dependent
    if walk.stays:
        place_cursor(dependent, walk)
    else:
        walk_until(r, dependent.frontier.time, dependent.frontier.row)
        walk.stays = True
    copy_window(dependent.found, walk.here.window)


def next_window(r: Replay):
    walk, dependent = r.dependent.walk, r.dependent
    while dependent.cursor_chunk < walk.tuples.end:
        if take_step(r):
            copy_window(dependent.found, walk.here.window)
            return 1
    return 0


def go_back(r: Replay):
    copy_progress(r.dependent.walk.here, r.dependent.walk.before)


def state(r: Replay):
    """Of all tuples from the first to the last, O(log tuples)."""
    own = TupleWindow(r.window.address).state
    if own != 0:
        return own(r)
    found, ranks = r.dependent.found, r.events.ranks
    return r.kernel.range_query(r.structure, ranks[found.first_row], ranks[found.last_row] + 1)


def forget(r: Replay, time):
    """O(log tuples + those that go)."""
    walk, dependent = r.dependent.walk, r.dependent
    walk_until(r, time - 1, LAST_ROW)
    copy_progress(walk.base, walk.here)
    copy_window(dependent.forgotten, walk.here.window)
    drop_before(walk.tuples, walk.here.tail)
    drop_before(dependent.late, walk.here.tail)
    was_kept = walk.here.tail_row >= r.events.first_of_key[r.key]
    if TupleWindow(r.window.address).keeps_panes and was_kept:
        r.kernel.bulk_evict(r.structure, r.events.ranks[walk.here.tail_row])
        if walk.policy_panes != 0:
            r.kernel.bulk_evict(walk.policy_panes, r.events.ranks[walk.here.tail_row])
    return walk.tuples.count


def least_row(r: Replay):
    return order.least_row(r.dependent.walk.tuples)


def save(r: Replay, into, first):
    walk = r.dependent.walk
    if into != 0:
        move(into, walk.base.address, PROGRESS_WORDS)
        move_progress_rows(WalkProgress(into), -first)
        save_ordered(walk.tuples, into + PROGRESS_WORDS * WORD_BYTES, first)
    return PROGRESS_WORDS + ordered_words(walk.tuples)


def load(r: Replay, saved, words, first):
    """The kernel gets the tuples again."""
    window, walk, kept = TupleWindow(r.window.address), r.dependent.walk, r.carried.kept[r.key]
    at, left = saved + PROGRESS_WORDS * WORD_BYTES, words - PROGRESS_WORDS
    if not are_entries(at, left, 0, kept) or WalkProgress(saved).tail_row >= kept:
        return False
    move(walk.base.address, saved, PROGRESS_WORDS)
    move_progress_rows(walk.base, first)
    load_ordered(walk.tuples, at, first)
    chunk, at = standing(walk.tuples, walk.tuples.first, 0)
    while chunk < walk.tuples.end:
        _put_into_kernel(r, window, entry_at(walk.tuples, chunk, at).row)
        chunk, at = next_place(walk.tuples, chunk, at)
    return True


triggered_source = lazy_table(
    WindowSource,
    "triggered_windows",
    *(start_key, take, go_before, go_on, go_back, state, forget, least_row, save, load),
    next=next_window,
)
