"""The one compiled call of a replay: all keys, event by event, tick by tick."""

from kernels.memory import entry, inner, load, not_inlined, release, resize, store
from kernels.plan import COMMUTATIVE, STATE_WORDS
from kernels.replay.burst import take_burst, take_run
from kernels.replay.context import (
    ADDRESS,
    ARRIVALS,
    CHANGE_WALK,
    CHANGED,
    EMIT,
    EMIT_ARRIVAL,
    KEY,
    ORDER,
    OUTPUT_COUNT,
    OWN_LATE,
    PANE,
    PANE_END,
    PASS_WALK,
    PLAN,
    ROOM,
    ROWS,
    STATE,
    STEP,
    STEP_TICKS,
    STEPS,
    TABLE,
    USED,
    WALK_WORDS,
    WHOLE,
    WINDOW,
)
from kernels.replay.emit import ROW_OUTPUTS
from kernels.replay.order import order_rows
from kernels.replay.steps import keep_steps, step_before
from kernels.replay.structures import create_structures, destroy_structures, empty_structures, take_kernel
from kernels.replay.sweep import advance, start_key
from kernels.replay.walk import FRONT
from kernels.replay.window_table import start_table
from kernels.windows.block import CALENDAR, MODE, REGULAR

FIRST_TABLE_ROOM = 1024
STATES = 8  # a new event's, two for each walk, and a spanning window's


@entry
def replay(r, offsets, keys):
    """Replay all keys of a context block, each by the kernel that was chosen for it; rows stay in its ROWS list until
    take_rows. Returns the number of words."""
    keep_steps(r)
    create_structures(r)
    store(r, STATE, resize(0, STATES * load(load(r, PLAN), STATE_WORDS)))
    store(r, WHOLE, load(r, STATE) + 8 * (STATES - 1) * load(load(r, PLAN), STATE_WORDS))
    start_table(r, FIRST_TABLE_ROOM)
    store(r, PANE, 0)
    store(r, PANE_END, 0)
    for key in range(keys):
        take_kernel(r, key, load(offsets, key), load(offsets, key + 1))
        _replay_key(r, key, load(offsets, key), load(offsets, key + 1))
    destroy_structures(r)
    for block in (STATE, TABLE, CHANGED + ADDRESS, OWN_LATE + ADDRESS, ORDER + ADDRESS):
        release(load(r, block))
    for walk in range(PASS_WALK, CHANGE_WALK + 1, WALK_WORDS):
        release(load(r, walk + FRONT + ADDRESS))
    return load(r, ROWS + USED)


@inner
def _replay_key(r, key, first, end):
    not_inlined()
    store(r, KEY, key)
    store(r, OWN_LATE + USED, 0)
    first_row = load(r, ROWS + USED) // (ROW_OUTPUTS + load(r, OUTPUT_COUNT))
    start_key(r)
    arrivals = load(r, ARRIVALS)
    in_runs = _makes_rows_at_steps_only(r)
    while first < end:
        tick = load(arrivals, first)
        step = load(r, STEP)
        if step < load(r, STEPS) and load(load(r, STEP_TICKS), step) < tick:
            advance(r, step_before(r, step, tick))
        last = take_run(r, first, end) if in_runs else first
        if last == first:
            while last < end and load(arrivals, last) == tick:
                last += 1
            take_burst(r, first, last, tick)
        first = last
    advance(r, load(r, STEPS))
    order_rows(r, first_row)
    empty_structures(r)


@inner
def _makes_rows_at_steps_only(r):
    """Whether events in time make no row at their own tick, and panes may take them in any order."""
    mode = load(load(r, WINDOW), MODE)
    regular = mode in (REGULAR, CALENDAR)
    return regular and load(r, EMIT) != EMIT_ARRIVAL and load(load(r, PLAN), COMMUTATIVE) == 1


@entry
def take_rows(r, target, words):
    """Write the rows to `target` as columns, and give the list's memory back. words: of a row."""
    source = load(r, ROWS + ADDRESS)
    rows = load(r, ROWS + USED) // words
    for row in range(rows):
        for word in range(words):
            store(target, word * rows + row, load(source, row * words + word))
    release(source)
    store(r, ROWS + ADDRESS, 0)
    store(r, ROWS + ROOM, 0)
