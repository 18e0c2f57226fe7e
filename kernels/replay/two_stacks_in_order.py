"""Rolling windows (u − size, u] of one key, in order of time: two stacks over the columns themselves.

    times   1   2   3   4 | 5   6        window of 4: after event 6 it holds 3 4 5 6
    front   …   …   34  4 | back: 56     aggregate = front of 3 ⊗ back; when the front is used up, it is made again
                                         from the events still in the window

Nothing is stored but the front. Entries are taken by the batch; where several have one time, the window is what is
there after the last of them. O(1) amortised an entry (Two-Stacks Lite, Tangwongsan et al. 2021, §3).
"""

from kernels.replay.ranks import count_in_order
from kernels.runtime.fields import Address, Array, Bytes, Count, Inline, Microseconds, Place, Pointer, Ref
from kernels.runtime.memory import WORD_BYTES, inner, not_inlined, release, resize
from kernels.runtime.struct import Struct, allocate, words_at
from kernels.states import clear, copy_words, lift_each, lift_rows, merge_each, prefixes, suffixes
from kernels.states.layout import Events, StatePlan

BATCH = 256


class TwoStacks(Struct):
    """A window over entries that are in order of time: a front of suffix aggregates, a back of one aggregate.

    entries   3   4 | 5   6 | 7 …        the window is [low, next); the front has suffixes of [begin, middle), of which
              ↑low    ↑middle ↑next      those before `low` are used up; `end` is behind the last entry

    rows: of the entries in the columns, counted from first_row; null where entry i is row i.
    """

    times: Pointer(Microseconds)
    rows: Pointer(Place)
    first_row: Place
    begin: Place
    low: Place
    middle: Place
    next: Place
    end: Place


class RollingWindows(Struct):
    """Of one key after the other; y is the aggregate of what came after `olders`, before the batch.

    entries     a     b     c            a batch of them
    folded      ya    yab   yabc         running fold
    olders      →s3   →s4   →s4          states of what is older: the windows' aggregates are s3·ya, s4·yab, s4·yabc
    """

    plan: Ref(StatePlan)
    state_bytes: Bytes
    size: Microseconds
    events: Ref(Events)
    stacks: Inline(TwoStacks)
    olders: Array(Address, BATCH)
    folded: Address
    rows_taken: Array(Place, BATCH)
    young: Address
    """The aggregate of all that is younger than the front."""
    identity: Address
    front: Address
    """Suffix aggregates, one after the other."""
    front_room: Count


@inner
def create_windows(plan):
    """A structure that takes one key's windows after the other's."""
    not_inlined()
    plan = StatePlan(plan)
    windows, words = allocate(RollingWindows), plan.state_words
    windows.plan, windows.state_bytes = plan, WORD_BYTES * words
    windows.folded = resize(0, BATCH * words)
    windows.young, windows.identity = resize(0, words), resize(0, words)
    clear(plan, windows.identity)
    return windows


@inner
def destroy_windows(windows):
    release(windows.folded)
    release(windows.young)
    release(windows.identity)
    release(windows.front)
    release(windows.address)


@inner
def start_windows(windows, times, first, end, ranked):
    """The events [first, end) of the columns. times: of all keys, as they arrived; ranked: (ascending, rows) of all
    keys, as kernels/ranks/sort.py has them, which a key in order needn't have."""
    not_inlined()
    stacks = windows.stacks
    if count_in_order(times[first:], end - first) == end - first:
        stacks.times, stacks.rows, begin = times, words_at(0), first
    else:
        ascending, rows = ranked
        stacks.times, stacks.rows, stacks.first_row, begin = ascending[first:], rows[first:], first, 0
    stacks.begin = stacks.low = stacks.middle = stacks.next = begin
    stacks.end = begin + end - first
    clear(windows.plan, windows.young)


@inner
def take_windows(windows):
    """Take up to BATCH entries more, after each of which `window_state` is the aggregate of the window. Returns how
    many."""
    stacks = windows.stacks
    taken = _find_older(windows)
    if taken == 0:
        _make_front(windows)
        taken = _find_older(windows)
    _fold_next(windows, taken)
    merge_each(windows.plan, windows.folded, windows.state_bytes, windows.olders, taken)
    stacks.next += taken
    return taken


@inner
def window_state(windows, place):
    """Address of the aggregate of the window after an entry of the batch."""
    return windows.folded + place * windows.state_bytes


@inner
def ends_window(windows, entry):
    """Whether an entry is the last of its time."""
    stacks = windows.stacks
    return entry + 1 == stacks.end or stacks.times[entry + 1] != stacks.times[entry]


@inner
def _find_older(windows):
    """For how many entries the front lasts."""
    not_inlined()
    stacks, olders, identity, state_bytes = windows.stacks, windows.olders, windows.identity, windows.state_bytes
    times, low, middle, size = stacks.times, stacks.low, stacks.middle, windows.size
    coming, suffix = times[stacks.next :], windows.front + (low - stacks.begin) * state_bytes
    taken = batch = min(BATCH, stacks.end - stacks.next)
    for place in range(batch):
        until = coming[place] - size
        while times[low] <= until:
            low += 1
            suffix += state_bytes
        if low > middle:
            taken = place
            break
        olders[place] = suffix if low < middle else identity
    stacks.low = low
    return taken


@inner
def _fold_next(windows, taken):
    """The running fold of some entries, behind the back, which they are part of from then on."""
    states = windows.folded
    _lift(windows, states, windows.stacks.next, taken)
    prefixes(windows.plan, states, windows.state_bytes, states, taken, windows.young)
    copy_words(windows.young, window_state(windows, taken - 1), windows.state_bytes // WORD_BYTES)


@inner
def _make_front(windows):
    """Suffix aggregates of the whole window; the back becomes empty."""
    not_inlined()
    stacks = windows.stacks
    stacks.begin, stacks.middle = stacks.low, stacks.next
    entries = stacks.middle - stacks.begin
    if entries > windows.front_room:
        windows.front_room = 2 * entries
        windows.front = resize(windows.front, 2 * entries * (windows.state_bytes // WORD_BYTES))
    _lift(windows, windows.front, stacks.begin, entries)
    suffixes(windows.plan, windows.front, windows.state_bytes, windows.front, windows.state_bytes, entries)
    clear(windows.plan, windows.young)


@inner
def _lift(windows, into, entry, entries):
    """States of the entries from `entry` on."""
    stacks, plan, state_bytes = windows.stacks, windows.plan, windows.state_bytes
    if stacks.rows.address == 0:
        lift_each(plan, into, state_bytes, windows.events, entry, entry + entries)
        return
    chosen = windows.rows_taken
    for begin in range(entry, entry + entries, BATCH):
        here = min(BATCH, entry + entries - begin)
        for place in range(here):
            chosen[place] = stacks.first_row + stacks.rows[begin + place]
        lift_rows(plan, into + (begin - entry) * state_bytes, state_bytes, windows.events, chosen, here)
