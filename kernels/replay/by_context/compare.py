"""The rows of a burst that changed windows which had rows before, or will have: windows as they are now and their
newest rows stand in one order, and are walked side by side.

    emitted    [1, 5)  [7, 9)  [12, 14)        now    [1, 9)  [12, 14)
            [1, 5) is no more, [1, 9) is new, [7, 9) is no more; from [12, 14) on nothing has changed
"""

from kernels.frames._frames import is_until
from kernels.replay.by_context.emitted import (
    close_emitted,
    count_emitted,
    insert_emitted,
    is_before,
    is_same_window,
    place_behind_found,
)
from kernels.replay.by_context.emitted_rows import differs, emit_closing_row, emit_row, has_same_ends
from kernels.replay.clock import NEVER
from kernels.replay.rows import EARLY, FINAL, LATE, ON_TIME
from kernels.replay.stop import must_stop
from kernels.replay.types import EMIT_ARRIVAL, EMIT_FINAL, EMIT_WATERMARK
from kernels.runtime.calls import call
from kernels.runtime.memory import inner, not_inlined


@inner
def emit_differences(r, tick, limit):
    """Rows of the windows that differ from what was emitted; limit: the watermark that has passed those that count, or
    FOREVER for all. O(windows changed + log)."""
    not_inlined()
    derived = r.derived
    derived.next_passes, derived.limit = NEVER, limit
    before, before_row = derived.frontier, derived.frontier_row
    source, found, emitted = derived.source, derived.found, derived.emitted
    call(source.go_before, r, derived.changed_from, derived.changed_from_row)
    place = place_behind_found(emitted, found)
    if is_until(found.last, found.last_row, before, before_row):
        derived.frontier, derived.frontier_row = found.last, found.last_row
    start, end = found.start, found.end
    while call(source.next, r) == 1 and found.passes <= limit and not must_stop(r.stop):
        place = _close_until(r, place, found, tick)
        if _is_unchanged(derived, place, start, end):
            derived.frontier, derived.frontier_row = before, before_row
            return
        place = _compare(r, place, tick)
        start, end = found.start, found.end
        derived.frontier, derived.frontier_row = found.last, found.last_row
    while place < count_emitted(emitted) and not must_stop(r.stop):
        _close(r, place, tick)


@inner
def _is_unchanged(derived, place, start, end):
    """Whether nothing has changed from the window found on: neither its tuples nor its number."""
    found, emitted = derived.found, derived.emitted
    may_have_changed = is_until(found.first, found.first_row, derived.changed_to, derived.changed_to_row)
    if may_have_changed or (found.start == start and found.end == end) or place == count_emitted(emitted):
        return False
    entry = emitted.first[place]
    return is_same_window(entry, found) and has_same_ends(found, entry)


@inner
def _close_until(r, place, found, tick):
    """Windows that had rows, before the one found, and are no more."""
    emitted = r.derived.emitted
    while place < count_emitted(emitted) and is_before(emitted.first[place], found) and not must_stop(r.stop):
        _close(r, place, tick)
    return place


@inner
def _close(r, place, tick):
    entry = r.derived.emitted.first[place]
    emit_closing_row(r, entry, _firing(r, entry.end), tick)
    close_emitted(r.derived, place)


@inner
def _compare(r, place, tick):
    """The window found, whose place that is. Returns the next."""
    found, emitted = r.derived.found, r.derived.emitted
    state = call(r.derived.source.state, r)
    if place < count_emitted(emitted) and is_same_window(emitted.first[place], found):
        if differs(found, emitted.first[place], state):
            emit_row(r, emitted.first[place], _firing(r, found.end), tick, state)
    else:
        entry = insert_emitted(r.derived, place, found)
        is_passed_now = r.emit == EMIT_WATERMARK and found.closing_row >= r.derived.burst_row
        firing = ON_TIME if is_passed_now and entry.revision < 0 else _firing(r, found.end)
        emit_row(r, entry, firing, tick, state)
    return place + 1


@inner
def _firing(r, end):
    if r.emit == EMIT_FINAL:
        return FINAL
    return EARLY if r.emit == EMIT_ARRIVAL and r.clock.watermark < end else LATE
