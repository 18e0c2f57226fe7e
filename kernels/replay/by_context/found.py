"""A window of a key, as it is now."""

from kernels.frames._frames import is_until
from kernels.replay.clock import NEVER
from kernels.runtime.fields import Count, Microseconds, Place, Word
from kernels.runtime.memory import WORD_BYTES, inner, move
from kernels.runtime.struct import Struct


class FoundWindow(Struct):
    """number: among those of the same start and end, in their order.

    passes: the watermark that passes it; FOREVER: it is still open
    closing_row: of the tuple that closed it, −1 if none had to
    first … last_row: the places of its first tuple, and of its last one or the one that triggered it
    held_row: of the last tuple that is in it
    digest: of the rows that are in it, where these aren't all from its first to its last
    """

    start: Microseconds
    end: Microseconds
    number: Count
    passes: Microseconds
    closing_row: Place
    first: Microseconds
    first_row: Place
    last: Microseconds
    last_row: Place
    held_row: Place
    digest: Word


FOUND_WORDS = FoundWindow.size_bytes // WORD_BYTES


@inner
def copy_window(into, window):
    move(into.address, window.address, FOUND_WORDS)


@inner
def note_changed_until(derived, time, row):
    """Windows up to that place may have changed."""
    if is_until(derived.changed_to, derived.changed_to_row, time, row):
        derived.changed_to, derived.changed_to_row = time, row


@inner
def find_none(found):
    """Before all windows."""
    found.start = found.end = found.passes = found.first = found.last = NEVER
    found.number = found.closing_row = found.first_row = found.last_row = found.held_row = -1
    found.digest = 0


@inner
def set_ends(found, start, end):
    """The window behind the one found has these ends: its number is 0 unless they are the same."""
    is_alike = found.start == start and found.end == end and found.number >= 0
    found.number = found.number + 1 if is_alike else 0
    found.start, found.end = start, end


@inner
def move_rows(found, by):
    """The rows of the tuples in a window."""
    found.first_row, found.last_row, found.held_row = found.first_row + by, found.last_row + by, found.held_row + by
