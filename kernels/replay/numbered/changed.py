"""The windows that a burst changed: a note per event, then one row per window, whatever the notes' overlap.

A stretch is of windows that the burst's events changed alike:

    notes        a: windows 3 … 8    b: 5 … 9    c: 5 … 9
    edges        3        5          9          10             where a note begins, or one is over
    stretches    3, 4: a  5 … 8: abc 9: bc
    tree                a over [3, 8] is node 4 + node 3 …     a note goes into at most 2 · log₂(edges) nodes

Each stretch takes up what the nodes above its leaf hold. So m late events that w windows hold cost O(m log m + w),
where adding each event to each of its windows cost m · w: 0.2 ms an event at 1 day by 10 s. Two stacks would do with
O(m + w), but only for events that end in the order in which they begin, and spans don't.
"""

from windrow.kernels.bounds import first_end_after
from windrow.kernels.replay.numbered.open_windows import NO_STATE, emit, kept_state
from windrow.kernels.replay.numbered.walk import add_to_walk, stand_at
from windrow.kernels.replay.rows import EARLY, LATE
from windrow.kernels.replay.stop import must_stop
from windrow.kernels.replay.types import EMIT_ARRIVAL, EMIT_WATERMARK
from windrow.kernels.runtime.bisection import searches
from windrow.kernels.runtime.fields import Count, Inline, Place, Pointer, Ref, Word
from windrow.kernels.runtime.growing import GrowingList, append, release_list
from windrow.kernels.runtime.memory import WORD_BYTES, inner, not_inlined
from windrow.kernels.runtime.sorting import PAIR_WORDS, Pairs, sort_pairs
from windrow.kernels.runtime.struct import Struct
from windrow.kernels.states import clear, gather, merge

KEPT_WORDS = 1 << 17


class Note(Struct):
    """Windows first … last changed at the tick at hand, by the event of that row."""

    first: Word
    last: Word
    row: Place


NOTE_WORDS = Note.size_bytes // WORD_BYTES


class Notes(GrowingList):
    first: Pointer(Inline(Note))


class Stretches(Struct):
    """Stretch i reaches from the window edges.at[i].key to before edges.at[i + 1].key; edges.at[i].value notes hold it.

    nodes: states of a tree, of which nodes[count + i] is that of stretch i, and node n stands above 2n and 2n + 1
    """

    count: Count
    edges: Ref(Pairs)
    room: Inline(GrowingList)
    nodes: Inline(GrowingList)


@inner
def note_changed(r, first, last, row):
    """Windows first … last changed at this tick, by the event of that row."""
    if first <= last:
        note = Note(append(r.numbered.changed, NOTE_WORDS))
        note.first, note.last, note.row = first, last, row


@inner
def note_live(r, first, last, is_late, row):
    """Of windows first … last, none of which is final, those that have a row of this tick."""
    if r.emit == EMIT_ARRIVAL:
        note_changed(r, first, last, row)
    elif is_late and r.emit == EMIT_WATERMARK:
        note_changed(r, first, min(last, first_end_after(r.window, r.clock.watermark) - 1), row)


@inner
def add_to_late_walks(r, time):
    """Only late events fall into stretches that the watermark has walked over."""
    add_to_walk(r, r.numbered.passing, time)
    add_to_walk(r, r.numbered.finishing, time)


@inner
def emit_changed(r, tick):
    """One row for each window in the union of the notes. O(windows + notes · log notes)."""
    not_inlined()
    notes, count, stretches = r.numbered.changed.first, r.numbered.changed.used // NOTE_WORDS, r.numbered.stretches
    if count == 1:
        if r.numbered.open.has_states:
            gather(r.plan, r.state, r.events.columns, notes[0].row, notes[0].row + 1)
        _emit_stretch(r, notes[0].first, notes[0].last, r.state, tick)
        return
    _find_stretches(r, notes, count)
    edges = stretches.edges.at
    for place in range(stretches.count):
        if edges[place].value > 0:
            state = _node(r, stretches.count + place)
            _emit_stretch(r, edges[place].key, edges[place + 1].key - 1, state, tick)
    if stretches.nodes.used > KEPT_WORDS:  # the memory of a large burst is not kept for the next
        release_list(stretches.nodes)


@inner
def window_from(r, number):
    """The first window from that number on, FOREVER if there is none."""
    if r.numbered.placement.window_from == 0:
        return number
    return r.numbered.placement.window_from(r, number)


@inner
def _emit_stretch(r, first, last, state, tick):
    """Rows of the windows first … last, to each of which some events came; if open windows have states, their
    aggregate is at `state`."""
    not_inlined()
    number = window_from(r, first)
    while number <= last and not must_stop(r.stop):
        kept = kept_state(r, number)
        if kept == NO_STATE:
            emit_from_kernel(r, number, tick)
        else:
            merge(r.plan, kept, kept, state)
            stand_at(r, r.numbered.changing, number)
            _emit_here(r, number, tick, kept)
        number = window_from(r, number + 1)


@inner
def emit_from_kernel(r, number, tick):
    """A row of a window whose aggregate the kernel gives."""
    _emit_here(r, number, tick, r.numbered.placement.window_state(r, r.numbered.changing, number))


@inner
def _emit_here(r, number, tick, state):
    has_passed = r.numbered.changing.high <= r.clock.watermark
    emit(r, r.numbered.changing, number, LATE if has_passed else EARLY, tick, state)


@inner
def _find_stretches(r, notes, count):
    """The stretches of some notes, at least one; with states if open windows have some."""
    not_inlined()
    _sort_edges(r.numbered.stretches, notes, count)
    if r.numbered.open.has_states:
        r.numbered.stretches.nodes.used = 0
        append(r.numbered.stretches.nodes, 2 * r.numbered.stretches.count * r.plan.state_words)
        for number in range(2 * r.numbered.stretches.count):
            clear(r.plan, _node(r, number))
        for place in range(count):
            if must_stop(r.stop):
                return
            _add_note(r, notes[place])
        _push_down(r)


@inner
def _node(r, number):
    return r.numbered.stretches.nodes.first + WORD_BYTES * r.plan.state_words * number


@inner
def _sort_edges(stretches, notes, count):
    """Each edge once, with how many notes hold what follows it; none hold what follows the last."""
    stretches.room.used = 0
    edges = Pairs(append(stretches.room, 4 * PAIR_WORDS * count))
    for place in range(count):
        begin, end = edges.at[2 * place], edges.at[2 * place + 1]
        begin.key, begin.value = notes[place].first, 1
        end.key, end.value = notes[place].last + 1, -1
    stretches.edges = sort_pairs(edges, edges.at[2 * count], 2 * count)
    at, last, holding = stretches.edges.at, 0, 0
    for place in range(2 * count):
        if at[place].key != at[last].key:
            last += 1
            at[last].key = at[place].key
        holding += at[place].value
        at[last].value = holding
    stretches.count = last


@inner
def _add_note(r, note):
    """The event of a note goes into the nodes that together are its stretches."""
    gather(r.plan, r.state, r.events.columns, note.row, note.row + 1)
    edges, count = r.numbered.stretches.edges.at, r.numbered.stretches.count
    low = count + _edge_from(edges, 0, count, note.first)
    high = count + _edge_from(edges, 0, count, note.last + 1)
    while low < high:
        if low & 1:
            merge(r.plan, _node(r, low), _node(r, low), r.state)
            low += 1
        if high & 1:
            high -= 1
            merge(r.plan, _node(r, high), _node(r, high), r.state)
        low, high = low >> 1, high >> 1


@inner
def _begins_before(edges, place, number):
    return edges[place].key < number


_edge_from = searches("edges", _begins_before).place_from


@inner
def _push_down(r):
    """Each node's events come to the two below it: those of a stretch then hold all that lay above it."""
    for number in range(1, r.numbered.stretches.count):
        if must_stop(r.stop):
            return
        for below in range(2 * number, 2 * number + 2):
            merge(r.plan, _node(r, below), _node(r, below), _node(r, number))
