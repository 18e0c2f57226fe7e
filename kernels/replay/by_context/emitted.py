"""What was emitted of each window, in the windows' order: start and end never fall from one window to the next.

emitted     [1, 5) r0   [5, 9) r2   [5, 9) number 1 r0   [7, 12) r1
         final ▲     first_kept

Windows that are no more stand in a list of their own, as long as a late tuple can make them again.
"""

from kernels.replay.by_context.state import EmittedWindow
from kernels.replay.growing import GrowingQueue, append, compact
from kernels.runtime.bisection import searches
from kernels.runtime.memory import WORD_BYTES, inner, move, not_inlined

EMITTED_WORDS = EmittedWindow.size_bytes // WORD_BYTES


@inner
def is_before(one, other):
    """Whether a window stands before another, by what they are known by."""
    if one.start != other.start:
        return one.start < other.start
    if one.end != other.end:
        return one.end < other.end
    return one.number < other.number


@inner
def is_same_window(one, other):
    return one.start == other.start and one.end == other.end and one.number == other.number


@inner
def count_emitted(emitted):
    """Final ones too."""
    return emitted.used // EMITTED_WORDS


@inner
def _is_before_found(emitted, place, found):
    return is_before(emitted.first[place], found)


_place_of = searches("emitted_windows", _is_before_found).gallop_back


@inner
def place_in_emitted(emitted, found):
    """The place of the first that isn't before a window. O(log emitted), from the young end on."""
    return _place_of(emitted, emitted.first_kept, count_emitted(emitted), found)


@inner
def place_behind_found(emitted, found):
    """The place behind a window and all before it."""
    place = place_in_emitted(emitted, found)
    if place < count_emitted(emitted) and is_same_window(emitted.first[place], found):
        place += 1
    return place


@inner
def insert_emitted(derived, place, found):
    """A window that has no row, or is no more, at its place; revision −1: it never had one. O(those behind it)."""
    not_inlined()
    entry = _make_room(derived.emitted, place)
    entry.start, entry.end, entry.number = found.start, found.end, found.number
    entry.revision, entry.events, entry.digest = -1, 0, 0
    entry.first_row = entry.held_row = -1
    closed = derived.closed
    of_closed = place_in_emitted(closed, found)
    if of_closed < count_emitted(closed) and is_same_window(closed.first[of_closed], found):
        entry.revision = closed.first[of_closed].revision
        _remove(closed, of_closed)
    return entry


@inner
def close_emitted(derived, place):
    """The window at a place is no more. It is kept apart, so that nobody walks over it: with emit arrival a session
    that grew by n events left n of them."""
    not_inlined()
    emitted, closed = derived.emitted, derived.closed
    entry = _make_room(closed, place_in_emitted(closed, emitted.first[place]))
    move(entry.address, emitted.first[place].address, EMITTED_WORDS)
    _remove(emitted, place)


@inner
def _make_room(emitted, place):
    append(emitted, EMITTED_WORDS)
    behind = count_emitted(emitted) - 1 - place
    if behind > 0:
        move(emitted.first[place + 1].address, emitted.first[place].address, behind * EMITTED_WORDS)
    return emitted.first[place]


@inner
def _remove(emitted, place):
    behind = count_emitted(emitted) - 1 - place
    if behind > 0:
        move(emitted.first[place].address, emitted.first[place + 1].address, behind * EMITTED_WORDS)
    emitted.used -= EMITTED_WORDS


@inner
def forget_emitted(emitted, place):
    """Those before a place are final. O(1) amortised."""
    emitted.first_kept = max(emitted.first_kept, place)
    compact(GrowingQueue(emitted.address), count_emitted(emitted), EMITTED_WORDS)
