"""The one compiled call of a replay: all keys, event by event, tick by tick. Panes are kept in one structure of each
kernel that the run's keys were given, used key after key."""

from windrow.kernels.frames._ordered import release_ordered
from windrow.kernels.ranks import count_in_order
from windrow.kernels.replay.clock import keep_steps, next_tick, start_clock, step_before
from windrow.kernels.replay.context import IN_USE_WORDS, Replay
from windrow.kernels.replay.numbered.late_times import LEVELS
from windrow.kernels.replay.numbered.open_windows import start_table
from windrow.kernels.replay.rows import order_rows, take_rows
from windrow.kernels.replay.stop import must_stop
from windrow.kernels.runtime.fields import Address, Count
from windrow.kernels.runtime.growing import release_list
from windrow.kernels.runtime.memory import WORD_BYTES, inner, move, not_inlined, release, resize
from windrow.kernels.runtime.operations import Operation
from windrow.kernels.runtime.struct import Struct
from windrow.kernels.runtime.tables import lazy_table


class ReplayCalls(Struct):
    """What Python asks of a replay: replay(r, keys) → rows; take_rows(rows, stop, target); end_replay(r)."""

    replay: Operation(Replay, Count)
    take_rows: Operation("Rows", "Stop", Address)
    end_replay: Operation(Replay)


STATES = 8  # a new event's, two for each of three walks, and one of a window that depends on others


def replay(r: Replay, keys):
    """Replay all keys, each by the kernel that was chosen for it, until the call is asked to stop; rows stay in their
    sink until take_rows. Returns how many. The caller calls end_replay, however it ended."""
    if r.window.end != 0:
        keep_steps(r.clock, r.window)
    create_structures(r)
    key = 0
    while key < keys and not must_stop(r.stop):
        r.key = key
        kept = r.carried.kept[key] if r.carried.is_wanted else 0
        _replay_key(r, r.events.first_of_key[key] + kept, r.events.first_of_key[key + 1])
        key += 1
    return r.rows.count


def end_replay(r: Replay):
    """Give all memory back, the rows' too: what was created, for memory may have ended before."""
    walk = r.dependent.walk
    if walk.policy_panes != 0:
        r.kernel.destroy(walk.policy_panes)
    for number in range(r.kernels.count):
        used = r.kernels.in_use[number]
        if used.structure != 0:
            used.holder.destroy(used.structure)
    numbered, stretches, dependent = r.numbered, r.numbered.stretches, r.dependent
    for block in (r.state, numbered.open.entries, walk.policy_state):
        release(block)
    for growing in (r.rows.sink, r.rows.order, r.carried.saved, stretches.room, stretches.nodes):
        release_list(growing)
    for each in (numbered.passing, numbered.finishing, numbered.changing):
        release_list(each.front)
    for windows in (dependent.emitted, dependent.closed):
        release_list(windows)
    for level in range(LEVELS):
        release_list(numbered.late_times.runs[level])
    release_list(numbered.late_times)
    release_list(numbered.changed)
    for ordered in (dependent.late, walk.tuples):
        release_ordered(ordered)


@inner
def _replay_key(r, first, end):
    not_inlined()
    take_kernel(r, first, end)
    first_row, arrivals, logic = r.rows.count, r.events.arrivals, r.logic
    logic.start_key(r)
    while first < end and not must_stop(r.stop):
        tick = arrivals[first]
        if next_tick(r.clock) < tick:
            logic.advance(r, step_before(r.clock, tick))
        last = logic.take_run(r, first, end) if logic.take_run != 0 else first
        if last == first:
            while last < end and arrivals[last] == tick:
                last += 1
            logic.take_burst(r, first, last, tick)
        first = last
    if not must_stop(r.stop):
        if r.clock.step < r.clock.steps:
            logic.advance(r, r.clock.steps)
        if r.carried.is_wanted:
            logic.save_key(r)
            r.carried.ends[r.key] = r.carried.saved.used
        order_rows(r.rows, first_row)
    r.holder.reset(r.structure)


@inner
def create_structures(r):
    """Of every kernel of the run, with the states and the table that all keys share."""
    r.state, state_bytes = resize(0, STATES * r.plan.state_words), WORD_BYTES * r.plan.state_words
    last, numbered = r.state, r.numbered
    numbered.finishing.cursor, numbered.changing.cursor = 1, 2
    for walk in (numbered.passing, numbered.finishing, numbered.changing):
        walk.back, walk.result = last + state_bytes, last + 2 * state_bytes
        last = walk.result
    r.dependent.state = last + state_bytes
    start_table(r)
    for number in range(r.kernels.count):
        used = r.kernels.in_use[number]
        used.structure = used.holder.create(r.plan, used.made_of[0], used.made_of[1])


@inner
def take_kernel(r, first, end):
    """The kernel that the key at hand was given, for its events from `first` on; its clock stands before them."""
    start_clock(r.clock)
    move(r.address, r.kernels.in_use[r.kernels.of_key[r.key]].address, IN_USE_WORDS)
    starts = r.events.starts[first:]
    r.numbered.goes_behind = r.plan.is_commutative or count_in_order(starts, end - first) == end - first


replay_calls = lazy_table(ReplayCalls, "replay", replay, take_rows, end_replay)
