"""The stretches of windows that a burst's events changed alike, in ascending order, each with what changed it.

    notes        a: windows 3 … 8    b: 5 … 9    c: 5 … 9
    edges        3        5          9          10             where a note begins, or one is over
    stretches    3, 4: a  5 … 8: abc 9: bc
    tree                a over [3, 8] is node 4 + node 3 …     a note goes into at most 2 · log₂(edges) nodes

Each stretch then takes up what the nodes above its leaf hold. So m late events that w windows hold cost
O(m log m + w), where adding each event to each of its windows cost m · w: 0.2 ms an event at 1 day by 10 s. Two
stacks would do with O(m + w), but only for events that end in the order in which they begin, and spans don't.
"""

from kernels.replay.growing import GrowingList, append, release_list
from kernels.replay.stop import must_stop
from kernels.runtime.bisection import searches
from kernels.runtime.fields import Count, Inline, Ref
from kernels.runtime.memory import WORD_BYTES, inner, not_inlined
from kernels.runtime.sorting import Pair, Pairs, sort_pairs
from kernels.runtime.struct import Struct
from kernels.states import clear, gather, merge

KEPT_WORDS = 1 << 17
PAIR_WORDS = Pair.size_bytes // WORD_BYTES


class Stretches(Struct):
    """Stretch i reaches from the window edges.at[i].key to before edges.at[i + 1].key; edges.at[i].value notes hold it.

    nodes: states of a tree, of which nodes[count + i] is that of stretch i, and node n stands above 2n and 2n + 1
    """

    count: Count
    edges: Ref(Pairs)
    room: Inline(GrowingList)
    nodes: Inline(GrowingList)


@inner
def release_stretches(stretches):
    release_list(stretches.room)
    release_list(stretches.nodes)


@inner
def find_stretches(r, notes, count):
    """The stretches of some notes, at least one; with states if open windows have some."""
    not_inlined()
    _sort_edges(r.stretches, notes, count)
    _join_equal_edges(r.stretches, 2 * count)
    if r.open.has_states:
        _clear_nodes(r)
        for place in range(count):
            if must_stop(r.stop):
                return
            _add_note(r, notes[place])
        _push_down(r)


@inner
def forget_stretches(stretches):
    """Keep the memory for the next burst, unless this one was large."""
    not_inlined()
    if stretches.nodes.used > KEPT_WORDS:
        release_list(stretches.nodes)


@inner
def stretch_state(r, place):
    """Address of the aggregate of the events that changed a stretch."""
    return _node(r, r.stretches.count + place)


@inner
def _node(r, number):
    return r.stretches.nodes.first + WORD_BYTES * r.plan.state_words * number


@inner
def _sort_edges(stretches, notes, count):
    stretches.room.used = 0
    edges = Pairs(append(stretches.room, 4 * PAIR_WORDS * count))
    for place in range(count):
        begin, end = edges.at[2 * place], edges.at[2 * place + 1]
        begin.key, begin.value = notes[place].first, 1
        end.key, end.value = notes[place].last + 1, -1
    stretches.edges = sort_pairs(edges, edges.at[2 * count], 2 * count)


@inner
def _join_equal_edges(stretches, count):
    """Each edge once, with how many notes hold what follows it; none hold what follows the last."""
    edges, last, holding = stretches.edges.at, 0, 0
    for place in range(count):
        if edges[place].key != edges[last].key:
            last += 1
            edges[last].key = edges[place].key
        holding += edges[place].value
        edges[last].value = holding
    stretches.count = last


@inner
def _clear_nodes(r):
    nodes = 2 * r.stretches.count
    r.stretches.nodes.used = 0
    append(r.stretches.nodes, nodes * r.plan.state_words)
    for number in range(nodes):
        clear(r.plan, _node(r, number))


@inner
def _add_note(r, note):
    """The event of a note goes into the nodes that together are its stretches."""
    gather(r.plan, r.state, r.events.columns, note.row, note.row + 1)
    low = r.stretches.count + _stretch_from(r.stretches, note.first)
    high = r.stretches.count + _stretch_from(r.stretches, note.last + 1)
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
def _stretch_from(stretches, number):
    """The stretch that begins with a window, which is an edge. O(log stretches)."""
    return _edge_from(stretches.edges.at, 0, stretches.count, number)


@inner
def _push_down(r):
    """Each node's events come to the two below it: those of a stretch then hold all that lay above it."""
    for number in range(1, r.stretches.count):
        if must_stop(r.stop):
            return
        for below in range(2 * number, 2 * number + 2):
            merge(r.plan, _node(r, below), _node(r, below), _node(r, number))
