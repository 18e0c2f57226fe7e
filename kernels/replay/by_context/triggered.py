"""Windows that tuples trigger (count, delta, slide-by-tuple, policy) as a source of windows: tuples in order, and one
walk over them that takes notes, so that it can go on from the nearest.

    tuples    [ 1 2 4 5 ][ 7 8 9 9 ][ 12 14 ·        in chunks
    notes       ▲          ▲          ▲              what is known before the first tuple of a chunk
    tail      ─────┤                                 windows from here on need no tuple up to it

A kind brings `step`, which is asked of one tuple after the other. Their aggregates come from a kernel of point events,
by the places of tuples in the order that all tuples of the key have in the end (ranks).
"""

from kernels.aggregators._dispatch import FOREVER
from kernels.frames._buffers import are_entries, load_ordered, ordered_words, save_ordered
from kernels.frames._frames import is_until
from kernels.frames._ordered import (
    chunk_at,
    drop_all,
    drop_before,
    end_place,
    entry_at,
    insert_at,
    insert_in_order,
    is_behind,
    last_place,
    next_place,
    standing,
)
from kernels.frames._rules import counts, value_of
from kernels.replay.by_context.state import (
    PROGRESS_WORDS,
    WalkProgress,
    WindowSource,
    copy_progress,
    copy_window,
    move_progress_rows,
    start_progress,
)
from kernels.replay.by_context.tuple_walk import TupleWindow, place_cursor, take_step, walk_before
from kernels.replay.context import Replay
from kernels.runtime.memory import WORD_BYTES, as_word, inner, move
from kernels.runtime.tables import lazy_table
from kernels.states import gather


def start_key(r: Replay):
    walk = r.derived.walk
    drop_all(walk.tuples)
    start_progress(walk.base)
    walk.stays = False
    r.derived.holds = TupleWindow(r.window.address).holds
    if walk.policy_panes != 0:
        r.kernel.reset(walk.policy_panes)


def take(r: Replay, row):
    """In order O(1) and what the kernel takes; late O(log tuples + chunks behind it)."""
    window, walk, time = TupleWindow(r.window.address), r.derived.walk, r.events.starts[row]
    events = r.events.columns
    if not counts(window, events, row):
        return 0
    tuples, word = walk.tuples, as_word(value_of(window, events, row))
    if tuples.count == 0 or not is_behind(entry_at(tuples, *last_place(tuples)), time, row):
        chunk, at = end_place(tuples)
        insert_at(tuples, chunk, at, time, row, word)
    else:
        chunk, _ = insert_in_order(tuples, time, row, word)
        for behind in range(chunk + 1, tuples.end):
            chunk_at(tuples, behind).has_note = False
        if is_until(time, row, walk.here.time, walk.here.row):
            walk.stays = False
    _put_into_kernel(r, window, row)
    r.derived.changed_to = FOREVER
    return 1


@inner
def _put_into_kernel(r, window, row):
    events, walk = r.events.columns, r.derived.walk
    if window.keeps_panes:
        gather(r.plan, r.state, events, row, row + 1)
        r.kernel.insert(r.panes, r.events.ranks[row], r.state, row)
    if window.looked_at.address != 0:
        gather(window.looked_at, walk.policy_state, events, row, row + 1)
        r.kernel.insert(walk.policy_panes, r.events.ranks[row], walk.policy_state, row)


def go_before(r: Replay, time, row):
    walk_before(r, time)
    copy_window(r.derived.found, r.derived.walk.here.window)


def go_on(r: Replay):
    walk, derived = r.derived.walk, r.derived
    if walk.stays:
        place_cursor(derived, walk)
    else:
        walk_before(r, derived.frontier)
        while derived.cursor_chunk < walk.tuples.end:
            entry = entry_at(walk.tuples, derived.cursor_chunk, derived.cursor_at)
            if is_behind(entry, derived.frontier, derived.frontier_row):
                break
            take_step(r)
        walk.stays = True
    copy_window(derived.found, walk.here.window)


def next_window(r: Replay):
    walk, derived = r.derived.walk, r.derived
    while derived.cursor_chunk < walk.tuples.end:
        if take_step(r):
            copy_window(derived.found, walk.here.window)
            return 1
    return 0


def go_back(r: Replay):
    copy_progress(r.derived.walk.here, r.derived.walk.before)


def state(r: Replay):
    """Of all tuples from the first to the last, O(log tuples)."""
    own = TupleWindow(r.window.address).state
    if own != 0:
        return own(r)
    found, ranks = r.derived.found, r.events.ranks
    return r.kernel.range_query(r.panes, ranks[found.first_row], ranks[found.last_row] + 1)


def forget(r: Replay, time):
    """O(log tuples + those that go)."""
    walk, derived = r.derived.walk, r.derived
    walk_before(r, time)
    copy_progress(walk.base, walk.here)
    copy_window(derived.forgotten, walk.here.window)
    drop_before(walk.tuples, walk.here.tail)
    drop_before(derived.late, walk.here.tail)
    was_kept = walk.here.tail_row >= r.events.first_of_key[r.key]
    if TupleWindow(r.window.address).keeps_panes and was_kept:
        r.kernel.bulk_evict(r.panes, r.events.ranks[walk.here.tail_row])
        if walk.policy_panes != 0:
            r.kernel.bulk_evict(walk.policy_panes, r.events.ranks[walk.here.tail_row])
    return walk.tuples.count


def least_row(r: Replay):
    tuples, least = r.derived.walk.tuples, -1
    chunk, at = standing(tuples, tuples.first, 0)
    while chunk < tuples.end:
        row = entry_at(tuples, chunk, at).row
        least = row if least < 0 else min(least, row)
        chunk, at = next_place(tuples, chunk, at)
    return least


def begins_anew(r: Replay):
    """Never: which tuple triggers depends on all that came before."""
    return 0


def save(r: Replay, into, first):
    walk = r.derived.walk
    if into != 0:
        move(into, walk.base.address, PROGRESS_WORDS)
        move_progress_rows(WalkProgress(into), -first)
        save_ordered(walk.tuples, into + PROGRESS_WORDS * WORD_BYTES, first)
    return PROGRESS_WORDS + ordered_words(walk.tuples)


def load(r: Replay, saved, words, first):
    """The kernel gets the tuples again."""
    window, walk, kept = TupleWindow(r.window.address), r.derived.walk, r.carried.kept[r.key]
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
    *(start_key, take, go_before, go_on, go_back, state, forget, least_row, begins_anew, save, load),
    next=next_window,
)
