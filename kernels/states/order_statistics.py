"""From one row's content to the next one's: four bounds move, and of each only the events between are looked at.

by_enter    · · a b c d │ e f       windows that end behind `enters` hold the event
by_leave    a │ b c d e f · ·       … that start by `leaves`
by_arrival  a b d e │ f   c │       on time, and late: those that had arrived by the row's tick

Each aggregate has these functions of its own, compiled alone as monoids are (kernels/states/tables.py): `add`, `remove`
and `lowered` are bound to the aggregate's.
"""

import functools

from windrow.kernels.monoids import monoids_of
from windrow.kernels.runtime.addresses import named_inner
from windrow.kernels.runtime.fields import Array, Count, Inline, Microseconds, Place, Pointer, Word
from windrow.kernels.runtime.memory import inner
from windrow.kernels.runtime.operations import Operation
from windrow.kernels.runtime.struct import BYTE, Struct, clear_words
from windrow.kernels.states.layout import MOST_PARAMETERS
from windrow.kernels.states.tables import compiled_apart


class RankedValues(Struct):
    """The values that a window holds, by their ranks among the different values of its key.

    different: how many of these there are, `values` in order; height: the least power of two that isn't below it; held:
    how many values the window holds; memory: the aggregate's own, zeros for a window that holds none
    """

    different: Count
    height: Count
    held: Count
    values: Pointer(Word)
    memory: Pointer(Word)
    parameters: Array(Word, MOST_PARAMETERS)


class MovingContent(Struct):
    """Events of many keys, by number, rows of the same, and the row whose content is held.

    most_height: the height of the key with the most different values
    enters, leaves: windows that end behind the one and start by the other hold the event; is_late: whether it came
        when the watermark had passed it
    by_enter, by_leave, by_arrival: events of each key in these orders, of the last those on time before the late ones;
        first_of_key, first_late: places where they begin; first_value: where the key's different values begin
    row_keys, starts, ends: of the rows; known_at, on_time_until: the last arrivals of late events and others that count
    answers, nulls: a word and a byte a row
    key, start, end, known: of the row whose content is held; entered, left, arrived: the places up to which that goes
    """

    held: Inline(RankedValues)
    most_height: Count
    memory_words: Count
    ranks: Pointer(Place)
    enters: Pointer(Microseconds)
    leaves: Pointer(Microseconds)
    arrivals: Pointer(Microseconds)
    is_late: Pointer(BYTE)
    by_enter: Pointer(Place)
    by_leave: Pointer(Place)
    by_arrival: Pointer(Place)
    first_of_key: Pointer(Place)
    first_late: Pointer(Place)
    first_value: Pointer(Place)
    values: Pointer(Word)
    row_keys: Pointer(Place)
    starts: Pointer(Microseconds)
    ends: Pointer(Microseconds)
    known_at: Pointer(Microseconds)
    on_time_until: Pointer(Microseconds)
    answers: Pointer(Word)
    nulls: Pointer(BYTE)
    key: Place
    start: Microseconds
    end: Microseconds
    known: Array(Microseconds, 2)
    entered: Place
    left: Place
    arrived: Array(Place, 2)


BEFORE_ALL_US = -(1 << 62)
NO_KEY = NO_ROW = -1
ON_TIME, LATE = 0, 1

add = remove = lowered = None  # of the aggregate


@inner
def is_held(content, event):
    """Whether the event is within the window and had arrived."""
    is_known = content.arrivals[event] <= content.known[content.is_late[event]]
    return is_known and content.enters[event] < content.end and content.leaves[event] >= content.start


def put(content: MovingContent, event):
    if is_held(content, event):
        content.held.held += 1
        add(content.held, content.ranks[event])


def take(content: MovingContent, event):
    if is_held(content, event):
        content.held.held -= 1
        remove(content.held, content.ranks[event])


def begin_key(content: MovingContent, key):
    """A window of the key that holds nothing. O(words of its memory)."""
    held, first = content.held, content.first_value[key]
    held.values, held.different, held.held = content.values[first:].address, content.first_value[key + 1] - first, 0
    held.height = 1
    while held.height < held.different:
        held.height *= 2
    clear_words(held.memory.address, content.memory_words * held.height + 1)
    content.key, content.start, content.end = key, BEFORE_ALL_US, BEFORE_ALL_US
    content.entered = content.left = content.first_of_key[key]
    content.arrived[ON_TIME], content.arrived[LATE] = content.first_of_key[key], content.first_late[key]
    content.known[ON_TIME] = content.known[LATE] = BEFORE_ALL_US


def know(content: MovingContent, late, until):
    """Move the arrival up to which events on time, or late ones, are known. O(events between the two)."""
    order, arrivals, place = content.by_arrival, content.arrivals, content.arrived[late]
    first = content.first_late[content.key] if late == LATE else content.first_of_key[content.key]
    end = content.first_of_key[content.key + 1] if late == LATE else content.first_late[content.key]
    while place > first and arrivals[order[place - 1]] > until:
        place -= 1
        take(content, order[place])
    content.known[late] = until
    while place < end and arrivals[order[place]] <= until:
        put(content, order[place])
        place += 1
    content.arrived[late] = place


def reach(content: MovingContent, end):
    """Move the window's end. O(events between the two)."""
    order, enters, place = content.by_enter, content.enters, content.entered
    while place > content.first_of_key[content.key] and enters[order[place - 1]] >= end:
        place -= 1
        take(content, order[place])
    content.end = end
    while place < content.first_of_key[content.key + 1] and enters[order[place]] < end:
        put(content, order[place])
        place += 1
    content.entered = place


def leave(content: MovingContent, start):
    """Move the window's start. O(events between the two)."""
    order, leaves, place = content.by_leave, content.leaves, content.left
    while place < content.first_of_key[content.key + 1] and leaves[order[place]] < start:
        take(content, order[place])
        place += 1
    content.start = start
    while place > content.first_of_key[content.key] and leaves[order[place - 1]] >= start:
        place -= 1
        put(content, order[place])
    content.left = place


def answer_rows(content: MovingContent, first, end):
    """The answers of some rows, which follow the last ones that were asked for: −1, or the row that has none. O(events
    that differ between a row and the next), each with the aggregate's `add` or `remove`."""
    for row in range(first, end):
        if content.row_keys[row] != content.key:
            begin_key(content, content.row_keys[row])
        know(content, ON_TIME, content.on_time_until[row])
        know(content, LATE, content.known_at[row])
        reach(content, content.ends[row])
        leave(content, content.starts[row])
        word, is_null, failed = lowered(content.held)
        if failed:
            return row
        content.answers[row] = word
        content.nulls[row] = 1 if is_null else 0
    return NO_ROW


IN_ORDER = (put, take, begin_key, know, reach, leave, answer_rows)
"""What an aggregate has of its own: each calls those before it only."""


class StatisticOperations(Struct):
    """What can be asked: answer_rows(content, first, end) → −1, or a row that has no right answer."""

    answer_rows: Operation("MovingContent", Place, Place)


@functools.cache
def statistic_table(function: str, name: str) -> StatisticOperations:
    """The operations of one order statistic of a file. Raises as compiled_apart."""
    statistic = monoids_of(function)[name]
    parts = {"add": statistic.add, "remove": statistic.remove, "lowered": statistic.lower}
    names = {part: named_inner(f"{name}.own", each) for part, each in parts.items()}
    for each in IN_ORDER:
        names[each.__name__] = named_inner(name, each, names)
    return compiled_apart(StatisticOperations, function, name, {"answer_rows": names["answer_rows"]})
