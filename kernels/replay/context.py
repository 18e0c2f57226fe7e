"""The state of one replay call as a block of words: every compiled function takes its address and nothing else."""

from kernels.memory import inner, load, not_inlined, resize, store

# What to do.
WINDOW, PLAN, OUTPUTS, OUTPUT_COUNT, EMIT, LATENESS, ALLOWED = 0, 1, 2, 3, 4, 5, 6
# The events: addresses, and the block that states.gather reads.
STARTS, ARRIVALS, SOURCE = 7, 8, 9
# The staircase: addresses of ticks and of the watermark from then on, number of steps.
STEP_TICKS, STEP_MARKS, STEPS = 10, 11, 12
# Where the key stands: its index, first step not before the tick at hand, watermark before the tick, and that
# − allowed.
KEY, STEP, MARK, FLOOR = 13, 14, 15, 16
# The pane looked up last: [PANE, PANE_END), its first and last window, their ends; and the tree of panes or
# events.
PANE, PANE_END, FIRST, LAST, FIRST_END, LAST_END, TREE, STATE = 17, 18, 19, 20, 21, 22, 23, 24
# Growing lists: address, used, room.
ROWS, CHANGED, OWN_LATE = 25, 28, 31
# The table of open windows (window_table.py): address, room, used.
TABLE, TABLE_ROOM, TABLE_USED = 34, 35, 36
# First failure: 1 + aggregate, and the window and key of it.
FAILED, FAILED_START, FAILED_END, FAILED_KEY = 37, 38, 39, 40
# Youngest event inserted by the burst at hand.
BURST_YOUNGEST = 41
# Row numbers while a key's rows are put in order; a growing list.
ORDER = 42
# Walks (walk.py): over the windows that the watermark passes, that become final, that a burst changed.
PASS_WALK, FINAL_WALK, CHANGE_WALK, WALK_WORDS = 45, 56, 67, 11
# Bytes of an entry of the table of open windows: with the state of its newest row, or without.
ENTRY_BYTES = 78
# Events that last: address of their ends (0: they don't), the tree of the slices that they go on from, and a state.
ENDS, GOES_ON, WHOLE = 79, 80, 81
# Address of the function through which the key's panes are kept (kernels/aggregators/_doors.py), and whether an event
# may be combined behind all that has come: aggregates commute, or the key's events are in order.
DOOR, GOES_BEHIND = 82, 83
# The kernels that keys are replayed by: how many, address of their records, address of the number of each key's.
KERNELS, RECORDS, KERNEL_OF_KEY = 84, 85, 86
# Ranks of the events by time and the times in order, of keys that need them.
RANKS, ASCENDING = 87, 88
# How many windows ask the structure before a walk makes its first front.
LEAST_PATIENCE = 89
CONTEXT_WORDS = 90
NEVER = 1 << 62
"""−NEVER is the watermark before everything."""
FOREVER = (1 << 63) - 1
"""The watermark once the stream has ended."""
EMIT_FINAL, EMIT_WATERMARK, EMIT_ARRIVAL = 0, 1, 2
PANE_FINAL, PANE_ON_TIME, PANE_LATE, PANE_EARLY = 0, 1, 2, 3

ADDRESS, USED, ROOM = 0, 1, 2


@inner
def append(r, growing, words):
    """Address of `words` new words at the end of a growing list; valid until the next append."""
    not_inlined()
    used = load(r, growing + USED)
    if used + words > load(r, growing + ROOM):
        room = 2 * (used + words) + 64
        store(r, growing + ADDRESS, resize(load(r, growing + ADDRESS), room))
        store(r, growing + ROOM, room)
    store(r, growing + USED, used + words)
    return load(r, growing + ADDRESS) + 8 * used
