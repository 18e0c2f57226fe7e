"""What was emitted of each window, in the windows' order: start and end never fall from one window to the next.

emitted     [1, 5) r0   [5, 9) r2   [5, 9) number 1 r0   [7, 12) r1
         final ▲     first_kept

In a closed window there are no events. It stays, as long as a late tuple can make it again.
"""

from kernels.replay.by_context.state import EmittedWindow
from kernels.replay.growing import append
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
def insert_emitted(emitted, place, found):
    """A window of which nothing was emitted, at its place. O(those behind it)."""
    not_inlined()
    append(emitted, EMITTED_WORDS)
    behind = count_emitted(emitted) - 1 - place
    if behind > 0:
        move(emitted.first[place + 1].address, emitted.first[place].address, behind * EMITTED_WORDS)
    entry = emitted.first[place]
    entry.start, entry.end, entry.number = found.start, found.end, found.number
    entry.revision, entry.events = -1, 0
    return entry


@inner
def forget_emitted(emitted, place):
    """Those before a place are final. O(1) amortised."""
    emitted.first_kept = max(emitted.first_kept, place)
    count = count_emitted(emitted)
    if 2 * emitted.first_kept > count + 8:
        left = count - emitted.first_kept
        if left > 0:
            move(emitted.first[0].address, emitted.first[emitted.first_kept].address, left * EMITTED_WORDS)
        emitted.used, emitted.first_kept = left * EMITTED_WORDS, 0
