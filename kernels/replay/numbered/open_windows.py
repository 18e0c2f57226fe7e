"""The open windows of the key at hand: window number → what its newest row had, in a table with open addressing.

    place    0          1          2          3
    number   41         ·          7          40          entries of earlier keys are known by their owner and count
    owner    key 3      ·          key 2      key 3       as free

With a commutative plan of short states an entry ends with the state of that row, so that a late event costs a window
one combine, not a range query. Emit final has no rows before the last: an entry then notes the events that the window
had when the watermark reached its end. Windows that are final leave when the table grows. A ring over window numbers
would be faster, but as long as the stretch of open windows, full or empty. A row takes its revision, and what of its
events is late, from the entry, and is noted there.
"""

from windrow.kernels.bounds import window_end
from windrow.kernels.replay.rows import LATE, make_row
from windrow.kernels.replay.types import EMIT_FINAL
from windrow.kernels.runtime.fields import Address, Bytes, Count, Flag, Microseconds, Place, Tail, Word
from windrow.kernels.runtime.memory import WORD_BYTES, inner, not_inlined, release, resize
from windrow.kernels.runtime.struct import Struct
from windrow.kernels.states import copy_words, events_of

NO_KEY = -1
NO_ROW = -1
NO_STATE = 0
SPREAD = 0x1E3779B97F4A7C15
POSITIVE = (1 << 63) - 1
FIRST_ROOM = 1024
# Of the state that an entry keeps; longer ones are made again when a late event comes. Entries with a sketch of 4 KiB
# took 24 µs a row where 30 days of windows were open and 8 without, and 6.6 instead of 4 µs where few were.
MOST_KEPT_WORDS = 64


class WindowEntry(Struct):
    """A window of a key, `owner`: revision, events, late events and tick of its newest row; NO_ROW if it has none."""

    number: Word
    owner: Place
    revision: Count
    events: Count
    late: Count
    tick: Microseconds
    state: Tail(Word)


ENTRY_BYTES = WindowEntry.size_bytes


class OpenWindows(Struct):
    """The table; room is a power of two, of which at most half is used."""

    entries: Address
    room: Count
    used: Count
    entry_bytes: Bytes
    has_states: Flag()


@inner
def start_table(r):
    """Decide whether entries hold states, and make the table."""
    table = r.numbered.open
    is_short = r.plan.is_commutative and r.plan.state_words <= MOST_KEPT_WORDS
    table.has_states = r.emit != EMIT_FINAL and is_short and r.events.shares.address == 0  # windows differ in shares
    table.entry_bytes = ENTRY_BYTES + (WORD_BYTES * r.plan.state_words if table.has_states else 0)
    _make_table(table, FIRST_ROOM)


@inner
def _make_table(table, room):
    not_inlined()
    table.entries = resize(0, table.entry_bytes // WORD_BYTES * room)
    table.room, table.used = room, 0
    for place in range(room):
        WindowEntry(table.entries + table.entry_bytes * place).owner = NO_KEY


@inner
def kept_state(r, number):
    """Address of the state of the window's newest row; NO_STATE if it has no row or entries hold no states."""
    not_inlined()
    if not r.numbered.open.has_states:
        return NO_STATE
    entry = find_entry(r, number)
    return entry.state.address if entry.owner == r.key else NO_STATE


@inner
def find_entry(r, number):
    """The window's entry, or the free one that it would get."""
    table, key = r.numbered.open, r.key
    mask = table.room - 1
    place = (((number * SPREAD) & POSITIVE) >> 20) & mask
    while True:
        entry = WindowEntry(table.entries + table.entry_bytes * place)
        if entry.owner != key or entry.number == number:
            return entry
        place = (place + 1) & mask


@inner
def open_entry(r, number):
    """The window's entry, a new one if it has none; valid until the next call. O(1) amortised."""
    not_inlined()
    entry = find_entry(r, number)
    if entry.owner == r.key:
        return entry
    if 2 * r.numbered.open.used >= r.numbered.open.room:
        _rebuild(r)
        entry = find_entry(r, number)
    entry.number, entry.owner, entry.revision, entry.events, entry.late = number, r.key, NO_ROW, 0, 0
    r.numbered.open.used += 1
    return entry


@inner
def _rebuild(r):
    """Drop what is final; double the room if that frees less than half of it."""
    not_inlined()
    table = r.numbered.open
    old, room, entry_bytes = table.entries, table.room, table.entry_bytes
    open_windows = 0
    for place in range(room):
        open_windows += 1 if _is_live(r, WindowEntry(old + entry_bytes * place)) else 0
    _make_table(table, 2 * room if 4 * open_windows > room else room)
    for place in range(room):
        entry = WindowEntry(old + entry_bytes * place)
        if _is_live(r, entry):
            copy_words(find_entry(r, entry.number).address, entry.address, entry_bytes // WORD_BYTES)
            table.used += 1
    release(old)


@inner
def _is_live(r, entry):
    return entry.owner == r.key and window_end(r.window, entry.number) > r.clock.floor


@inner
def emit(r, walk, number, firing, tick, state):
    """Append a row for the window at which a walk stands, unless its tick is before those whose rows are made, or it
    holds nothing. A state kept in the table stays where it is: its window has an entry, so the table doesn't grow."""
    not_inlined()
    if events_of(state) == 0:
        return
    revision = 0
    if r.emit == EMIT_FINAL:
        late = _late_since_noted(r, number, state)
    else:
        entry = open_entry(r, number)
        late = _late_events(r, number, firing, state, entry)
        revision = entry.revision + 1
        entry.revision, entry.events, entry.late, entry.tick = revision, events_of(state), late, tick
        if r.numbered.open.has_states and state != entry.state.address:
            copy_words(entry.state.address, state, r.plan.state_words)
    if tick >= r.rows.kept_from:
        make_row(r, (walk.low, walk.high, 0, revision), firing, tick, late, state)


@inner
def _late_since_noted(r, number, state):
    """With emit final: what came since the window's end was reached, when it had no events if none are noted."""
    if r.clock.allowed == 0:
        return 0
    noted = find_entry(r, number)
    return events_of(state) - (noted.events if noted.owner == r.key else 0)


@inner
def _late_events(r, number, firing, state, entry):
    """Events that came after P(end): all but those that the window held then, known from its newest row."""
    if firing != LATE:
        return 0
    if entry.revision != NO_ROW:
        return events_of(state) - (entry.events - entry.late)
    if r.numbered.placement.late_events == 0:
        return events_of(state)
    return r.numbered.placement.late_events(r, number, state)
