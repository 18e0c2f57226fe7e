"""The open windows of the key at hand: window number → one word, in a table with open addressing.

The word is the window's newest row (emit watermark, arrival), or its number of events when the watermark reached
its end (emit final). With a commutative plan it is followed by the state of that row, so that a late event costs a
window one combine, not a range query. Entries of earlier keys are told by their key and count as free; windows that
are final leave when the table grows. A ring over window numbers would be faster, but as long as the stretch of open
windows, full or empty.
"""

from kernels.memory import inner, load, not_inlined, release, resize, store
from kernels.plan import COMMUTATIVE, STATE_WORDS
from kernels.replay.context import (
    EMIT,
    EMIT_FINAL,
    ENTRY_BYTES,
    FLOOR,
    KEY,
    PLAN,
    TABLE,
    TABLE_ROOM,
    TABLE_USED,
    WINDOW,
)
from kernels.windows.block import window_end

NUMBER, OWNER, WORD, ENTRY_STATE = 0, 1, 2, 3
NO_KEY = -1
NO_STATE = 0
SPREAD = 0x1E3779B97F4A7C15
POSITIVE = (1 << 63) - 1


@inner
def make_table(r, room):
    """An empty table; room is a power of two."""
    not_inlined()
    store(r, TABLE, resize(0, load(r, ENTRY_BYTES) // 8 * room))
    store(r, TABLE_ROOM, room)
    store(r, TABLE_USED, 0)
    for place in range(room):
        store(_entry(r, load(r, TABLE), place), OWNER, NO_KEY)


@inner
def start_table(r, room):
    """Decide whether entries hold states, and make the table."""
    with_states = load(r, EMIT) != EMIT_FINAL and load(load(r, PLAN), COMMUTATIVE) == 1
    store(r, ENTRY_BYTES, 8 * (ENTRY_STATE + (load(load(r, PLAN), STATE_WORDS) if with_states else 0)))
    make_table(r, room)


@inner
def _entry(r, table, place):
    return table + load(r, ENTRY_BYTES) * place


@inner
def keep_state(r, entry, state):
    """Note the state of the window's newest row, if entries hold states."""
    if state != entry + 8 * ENTRY_STATE:
        _copy_state(r, entry, state)


@inner
def _copy_state(r, entry, state):
    for word in range(load(r, ENTRY_BYTES) // 8 - ENTRY_STATE):
        store(entry, ENTRY_STATE + word, load(state, word))


@inner
def kept_state(r, number):
    """Address of the state of the window's newest row; NO_STATE if it has no row or entries hold no states."""
    not_inlined()
    entry = _place(r, number)
    has_state = load(r, ENTRY_BYTES) > 8 * ENTRY_STATE and load(entry, OWNER) == load(r, KEY)
    return entry + 8 * ENTRY_STATE if has_state else NO_STATE


@inner
def _place(r, number):
    """Address of the window's entry, or of the free one that it would get."""
    mask = load(r, TABLE_ROOM) - 1
    place = (((number * SPREAD) & POSITIVE) >> 20) & mask
    key = load(r, KEY)
    while True:
        entry = _entry(r, load(r, TABLE), place)
        if load(entry, OWNER) != key or load(entry, NUMBER) == number:
            return entry
        place = (place + 1) & mask


@inner
def find_window(r, number, missing):
    """The window's word, or `missing`."""
    not_inlined()
    entry = _place(r, number)
    return load(entry, WORD) if load(entry, OWNER) == load(r, KEY) else missing


@inner
def set_window(r, number, word):
    """Set the window's word and return its entry's address, valid until the next call; O(1) amortised."""
    not_inlined()
    if load(_place(r, number), OWNER) != load(r, KEY) and 2 * load(r, TABLE_USED) >= load(r, TABLE_ROOM):
        _rebuild(r)
    return _put(r, number, word)


@inner
def _put(r, number, word):
    """Set the window's word where there is room.

    Apart from `set_window` so that the two and `_rebuild` don't call each other in a circle: Numba's disk cache
    leaves such a circle's symbol unresolved, and the next process that loads it dies with a segmentation fault.
    """
    not_inlined()
    entry = _place(r, number)
    if load(entry, OWNER) != load(r, KEY):
        store(entry, NUMBER, number)
        store(entry, OWNER, load(r, KEY))
        store(r, TABLE_USED, load(r, TABLE_USED) + 1)
    store(entry, WORD, word)
    return entry


@inner
def _rebuild(r):
    """Drop what is final; double the room if that frees less than half of it."""
    not_inlined()
    old, room = load(r, TABLE), load(r, TABLE_ROOM)
    open_windows = 0
    for place in range(room):
        open_windows += 1 if _is_open(r, _entry(r, old, place)) else 0
    make_table(r, 2 * room if 4 * open_windows > room else room)
    for place in range(room):
        entry = _entry(r, old, place)
        if _is_open(r, entry):
            kept = _put(r, load(entry, NUMBER), load(entry, WORD))
            _copy_state(r, kept, entry + 8 * ENTRY_STATE)
    release(old)


@inner
def _is_open(r, entry):
    return load(entry, OWNER) == load(r, KEY) and window_end(load(r, WINDOW), load(entry, NUMBER)) > load(
        r, FLOOR
    )
