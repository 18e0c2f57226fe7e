"""The one compiled call of a replay: all keys, event by event, tick by tick. Panes are kept in one structure of each
kernel that the run's keys were given, used key after key."""

from kernels.frames._frames import KeyFrames
from kernels.ranks import count_in_order
from kernels.replay.clock import keep_steps, next_tick, step_before
from kernels.replay.context import Replay
from kernels.replay.dependent.state import CutWindow, release_dependent
from kernels.replay.dependent.triggered import TupleWindow
from kernels.replay.numbered.late_times import LEVELS
from kernels.replay.numbered.open_windows import start_table
from kernels.replay.rows import order_rows, take_rows
from kernels.replay.stop import must_stop
from kernels.runtime.fields import Address, Count
from kernels.runtime.growing import release_list
from kernels.runtime.memory import WORD_BYTES, inner, move, not_inlined, release, resize
from kernels.runtime.operations import Operation
from kernels.runtime.struct import Struct
from kernels.runtime.tables import lazy_table


class ReplayCalls(Struct):
    """What Python asks of a replay: replay(r, keys) → rows; take_rows(rows, stop, target); take_saved(r, target):
    the words that the next one goes on from; end_replay(r)."""

    replay: Operation(Replay, Count)
    take_rows: Operation("Rows", "Stop", Address)
    take_saved: Operation(Replay, Address)
    end_replay: Operation(Replay)


STATES = 8  # a new event's, two for each of three walks, and one of a window that depends on others


def replay(r: Replay, keys):
    """Replay all keys, each by the kernel that was chosen for it, until the call is asked to stop; rows stay in their
    sink until take_rows. Returns how many. Whoever called it calls end_replay, however it ended."""
    if r.window.end != 0:
        keep_steps(r.clock, r.window)
    create_structures(r)
    key = 0
    while key < keys and not must_stop(r.stop):
        r.key = key
        kept = 0 if r.carried.kept.address == 0 else r.carried.kept[key]
        _replay_key(r, r.events.first_of_key[key] + kept, r.events.first_of_key[key + 1])
        key += 1
    return r.rows.count


def end_replay(r: Replay):
    """Give all memory back, the rows' too: what was created, for memory may have ended before."""
    walk = r.dependent.walk
    for number in range(r.kernels.count):
        used = r.kernels.in_use[number]
        if walk.policy_panes != 0:
            used.kernel.destroy(walk.policy_panes)
            release(walk.policy_state)
            walk.policy_panes = 0
        if used.panes != 0:
            used.holder.destroy(used.panes)
    release(r.state)
    for growing in (r.rows.sink, r.rows.order, r.carried.saved):
        release_list(growing)
    _release_numbered(r.numbered)
    release_dependent(r.dependent)


@inner
def _release_numbered(numbered):
    release(numbered.open.entries)
    stretches, late_times = numbered.stretches, numbered.late_times
    for walk in (numbered.passing, numbered.finishing, numbered.changing):
        release_list(walk.front)
    release_list(numbered.changed)
    release_list(stretches.room)
    release_list(stretches.nodes)
    release_list(late_times)
    for level in range(LEVELS):
        release_list(late_times.runs[level])


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
        logic.advance(r, r.clock.steps)
        if logic.end_key != 0:
            logic.end_key(r)
        order_rows(r.rows, first_row)
    r.holder.reset(r.panes)


def take_saved(r: Replay, target):
    move(target, r.carried.saved.first, r.carried.saved.used)


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
        if r.events.last:
            used.panes = used.spans.create(r.plan, r.window, used.option)
        elif used.frames.address != 0:
            used.panes = used.frames.create(r.plan, CutWindow(r.window.address).rules, used.frame_options)
            KeyFrames(used.panes).events = r.events.columns
        else:
            used.panes = used.kernel.create(r.plan, used.option, 0)
            if used.source.address != 0:
                plan, walk = TupleWindow(r.window.address).looked_at, r.dependent.walk
                if plan.address != 0:  # a policy looks at it
                    walk.policy_state = resize(0, plan.state_words)
                    walk.policy_panes = used.kernel.create(plan, used.option, 0)


@inner
def take_kernel(r, first, end):
    used = r.kernels.in_use[r.kernels.of_key[r.key]]
    r.logic = used.logic
    r.kernel, r.holder, r.panes, r.numbered.spans = used.kernel, used.holder, used.panes, used.spans
    r.dependent.source, r.dependent.frames, r.dependent.of_key = used.source, used.frames, KeyFrames(used.panes)
    starts = r.events.starts[first:]
    r.numbered.goes_behind = r.plan.is_commutative or count_in_order(starts, end - first) == end - first


replay_calls = lazy_table(ReplayCalls, "replay", replay, take_rows, take_saved, end_replay)
