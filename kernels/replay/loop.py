"""The one compiled call of a replay: all keys, event by event, tick by tick."""

from functools import cache

from kernels.replay.by_context.state import release_derived
from kernels.replay.clock import keep_steps, next_tick, step_before
from kernels.replay.context import Replay
from kernels.replay.growing import release_list
from kernels.replay.late_times import release_late_times
from kernels.replay.open_windows import destroy_table, start_table
from kernels.replay.order import order_rows
from kernels.replay.rows import take_rows
from kernels.replay.stop import must_stop
from kernels.replay.stretches import release_stretches
from kernels.replay.structures import create_structures, destroy_structures, empty_structures, take_kernel
from kernels.replay.walk import place_states
from kernels.runtime.calls import call
from kernels.runtime.memory import WORD_BYTES, inner, move, not_inlined, release, resize
from kernels.runtime.struct import Struct
from kernels.runtime.tables import Operation, compiled_table


class ReplayCalls(Struct):
    """What Python asks of a replay: replay(r, keys) → rows; take_rows(rows, stop, target); take_saved(r, target):
    the words that the next one goes on from; end_replay(r)."""

    replay: Operation()
    take_rows: Operation()
    take_saved: Operation()
    end_replay: Operation()


STATES = 7  # a new event's, and two for each of three walks


def replay(r: Replay, keys):
    """Replay all keys, each by the kernel that was chosen for it, until the call is asked to stop; rows stay in their
    sink until take_rows. Returns how many. Whoever called it calls end_replay, however it ended."""
    if r.window.end != 0:
        keep_steps(r.clock, r.window)
    create_structures(r)
    _allocate_states(r)
    start_table(r)
    key = 0
    while key < keys and not must_stop(r.stop):
        r.key = key
        kept = 0 if r.carried.kept.address == 0 else r.carried.kept[key]
        _replay_key(r, r.events.first_of_key[key] + kept, r.events.first_of_key[key + 1])
        key += 1
    return r.rows.count


def end_replay(r: Replay):
    """Give all memory back, the rows' too."""
    destroy_structures(r)
    release(r.state)
    destroy_table(r.open)
    for growing in (r.rows.sink, r.rows.order, r.passing.front, r.finishing.front, r.changing.front):
        release_list(growing)
    release_list(r.changed)
    release_stretches(r.stretches)
    release_late_times(r.late_times)
    release_derived(r.derived)
    release_list(r.carried.saved)


@inner
def _allocate_states(r):
    state_bytes = WORD_BYTES * r.plan.state_words
    r.state = resize(0, STATES * r.plan.state_words)
    behind = place_states(r.passing, r.state + state_bytes, state_bytes)
    behind = place_states(r.finishing, behind, state_bytes)
    place_states(r.changing, behind, state_bytes)


@inner
def _replay_key(r, first, end):
    not_inlined()
    take_kernel(r, first, end)
    first_row, arrivals, logic = r.rows.count, r.events.arrivals, r.logic
    call(logic.start_key, r)
    while first < end and not must_stop(r.stop):
        tick = arrivals[first]
        if next_tick(r.clock) < tick:
            call(logic.advance, r, step_before(r.clock, tick))
        last = call(logic.take_run, r, first, end) if logic.take_run != 0 else first
        if last == first:
            while last < end and arrivals[last] == tick:
                last += 1
            call(logic.take_burst, r, first, last, tick)
        first = last
    if not must_stop(r.stop):
        call(logic.advance, r, r.clock.steps)
        if logic.end_key != 0:
            call(logic.end_key, r)
        order_rows(r.rows, first_row)
    empty_structures(r)


def take_saved(r: Replay, target):
    move(target, r.carried.saved.first, r.carried.saved.used)


@cache
def replay_calls() -> ReplayCalls:
    """The table, compiled or loaded when it is first asked for."""
    functions = (replay, take_rows, take_saved, end_replay)
    return compiled_table(ReplayCalls, "replay", {function.__name__: function for function in functions})
