"""What was emitted of each window, in the windows' order: start and end never fall from one window to the next.

emitted     [1, 5) r0   [5, 9) r2   [5, 9) number 1 r0   [7, 12) r1

Windows that are no more stand in a list of their own, as long as a late tuple can make them again.

The rows of a burst that changed windows which had rows, or will have: windows as they are now and their newest rows
stand in one order, and are walked side by side.

    emitted    [1, 5)  [7, 9)  [12, 14)        now    [1, 9)  [12, 14)
            [1, 5) is no more, [1, 9) is new, [7, 9) is no more; from [12, 14) on nothing has changed
"""

from windrow.kernels.frames._frames import is_until
from windrow.kernels.frames._ordered import entry_at, is_behind, next_place, place_behind, standing
from windrow.kernels.replay.clock import NEVER
from windrow.kernels.replay.dependent.state import EmittedWindow, set_place
from windrow.kernels.replay.rows import NO_MORE, ON_TIME, firing_of_change, is_before, make_row
from windrow.kernels.replay.stop import must_stop
from windrow.kernels.replay.types import EMIT_WATERMARK
from windrow.kernels.runtime.bisection import searches
from windrow.kernels.runtime.growing import append
from windrow.kernels.runtime.memory import WORD_BYTES, inner, move, not_inlined
from windrow.kernels.states import events_of

EMITTED_WORDS = EmittedWindow.size_bytes // WORD_BYTES


@inner
def start_emitted(dependent):
    for windows in (dependent.emitted, dependent.closed):
        windows.used = 0


@inner
def count_emitted(emitted):
    return emitted.used // EMITTED_WORDS


@inner
def _is_before_found(emitted, place, found):
    return is_before(emitted.first[place], found)


_place_of = searches("emitted_windows", _is_before_found).gallop_back


@inner
def place_in_emitted(emitted, found):
    """The place of the first that isn't before a window. O(log emitted), from the young end on."""
    return _place_of(emitted, 0, count_emitted(emitted), found)


@inner
def stands_at(emitted, place, found):
    return place < count_emitted(emitted) and not is_before(found, emitted.first[place])


@inner
def place_behind_found(emitted, found):
    place = place_in_emitted(emitted, found)
    return place + 1 if stands_at(emitted, place, found) else place


@inner
def insert_emitted(dependent, place, found):
    """A window that has no row, or is no more, at its place; revision −1: it never had one. O(those behind it)."""
    not_inlined()
    entry = _make_room(dependent.emitted, place)
    entry.start, entry.end, entry.number = found.start, found.end, found.number
    entry.revision, entry.events, entry.digest = -1, 0, 0
    entry.first_row = entry.held_row = -1
    closed = dependent.closed
    of_closed = place_in_emitted(closed, found)
    if stands_at(closed, of_closed, found):
        entry.revision = closed.first[of_closed].revision
        _remove(closed, of_closed)
    return entry


@inner
def _make_room(emitted, place):
    behind = count_emitted(emitted) - place
    append(emitted, EMITTED_WORDS)
    move(emitted.first[place + 1].address, emitted.first[place].address, behind * EMITTED_WORDS)
    return emitted.first[place]


@inner
def _remove(emitted, place):
    behind = count_emitted(emitted) - 1 - place
    move(emitted.first[place].address, emitted.first[place + 1].address, behind * EMITTED_WORDS)
    emitted.used -= EMITTED_WORDS


@inner
def forget_emitted(emitted, place):
    """Those before a place are final, and go. O(those behind it)."""
    emitted.used -= place * EMITTED_WORDS
    move(emitted.first.address, emitted.first[place].address, emitted.used)


@inner
def _has_same_ends(found, emitted):
    return found.first_row == emitted.first_row and found.held_row == emitted.held_row


@inner
def _as_row(emitted):
    return emitted.start, emitted.end, emitted.number, emitted.revision


@inner
def emit_row(r, emitted, firing, tick, state):
    not_inlined()
    found = r.dependent.found
    emitted.revision += 1
    emitted.events, emitted.digest = events_of(state), found.digest
    emitted.first_row, emitted.held_row = found.first_row, found.held_row
    if tick >= r.rows.kept_from:
        late = _count_late(r) if r.dependent.late.count > 0 else 0
        make_row(r, _as_row(emitted), firing, tick, late, state)


@inner
def _count_late(r):
    """How many events of the window found came when the watermark had reached its end. O(late tuples between its first
    and its last)."""
    late, found, holds = r.dependent.late, r.dependent.found, r.dependent.holds
    chunk, at = place_behind(late, found.first, found.first_row - 1)
    chunk, at = standing(late, chunk, at)
    count = 0
    while chunk < late.end:
        entry = entry_at(late, chunk, at)
        if is_behind(entry, found.last, found.last_row):
            break
        if entry.word >= found.end:
            count += 1 if holds == 0 else holds(r, entry.row)
        chunk, at = next_place(late, chunk, at)
    return count


@inner
def emit_differences(r, tick, limit):
    """Rows of the windows that differ from what was emitted; limit: the watermark that has passed those that count, or
    FOREVER for all. O(windows changed + log)."""
    not_inlined()
    dependent = r.dependent
    dependent.next_passes, dependent.limit = NEVER, limit
    before, before_row = dependent.frontier.time, dependent.frontier.row
    source, found, emitted = r.source, dependent.found, dependent.emitted
    source.go_before(r, dependent.changed_from.time, dependent.changed_from.row)
    place = place_behind_found(emitted, found)
    if is_until(found.last, found.last_row, before, before_row):
        set_place(dependent.frontier, found.last, found.last_row)
    start, end = found.start, found.end
    while source.next(r) == 1 and found.passes <= limit and not must_stop(r.stop):
        while place < count_emitted(emitted) and is_before(emitted.first[place], found) and not must_stop(r.stop):
            _close(r, place, tick)
        if _is_unchanged(dependent, place, start, end):
            set_place(dependent.frontier, before, before_row)
            return
        place = _compare(r, place, tick)
        start, end = found.start, found.end
        set_place(dependent.frontier, found.last, found.last_row)
    while place < count_emitted(emitted) and not must_stop(r.stop):
        _close(r, place, tick)


@inner
def _is_unchanged(dependent, place, start, end):
    """Whether nothing has changed from the window found on: neither its tuples nor its number."""
    found, emitted = dependent.found, dependent.emitted
    changed_to = dependent.changed_to
    may_have_changed = is_until(found.first, found.first_row, changed_to.time, changed_to.row)
    if may_have_changed or (found.start == start and found.end == end):
        return False
    return stands_at(emitted, place, found) and _has_same_ends(found, emitted.first[place])


@inner
def _close(r, place, tick):
    """The window at a place is no more: a closing row. What it had is kept apart, so that no walk comes to it: with
    emit arrival a session that grew by n events left n of them."""
    not_inlined()
    emitted, closed = r.dependent.emitted, r.dependent.closed
    entry = emitted.first[place]
    entry.revision += 1
    entry.events = 0
    if tick >= r.rows.kept_from:
        make_row(r, _as_row(entry), firing_of_change(r, entry.end), tick, 0, NO_MORE)
    kept = _make_room(closed, place_in_emitted(closed, entry))
    move(kept.address, entry.address, EMITTED_WORDS)
    _remove(emitted, place)


@inner
def _compare(r, place, tick):
    """The window found, whose place that is. Returns the next."""
    found, emitted = r.dependent.found, r.dependent.emitted
    state = r.source.state(r)
    if stands_at(emitted, place, found):
        entry = emitted.first[place]  # mostly its tuples are those from its first to its last, and none ever leaves
        is_same = _has_same_ends(found, entry) and events_of(state) == entry.events and found.digest == entry.digest
        if not is_same:
            emit_row(r, entry, firing_of_change(r, found.end), tick, state)
    else:
        entry = insert_emitted(r.dependent, place, found)
        is_passed_now = r.emit == EMIT_WATERMARK and found.closing_row >= r.dependent.burst_row
        firing = ON_TIME if is_passed_now and entry.revision < 0 else firing_of_change(r, found.end)
        emit_row(r, entry, firing, tick, state)
    return place + 1
