"""From one row's content to the next one's: four bounds move, and of each only the events between are looked at.

tables.py binds `add`, `remove`, `lowered` and `words` to those of an aggregate.
"""

from kernels.order_statistics.layout import MovingContent
from kernels.runtime.memory import inner

BEFORE_ALL_US = -(1 << 62)
NO_KEY = NO_ROW = -1
ON_TIME, LATE = 0, 1

add = remove = lowered = None  # of the aggregate


@inner
def is_within(content, event):
    """Whether the window holds the event, if it has arrived."""
    return content.enters[event] < content.end and content.leaves[event] >= content.start


@inner
def is_known(content, event):
    """Whether the event had arrived."""
    return content.arrivals[event] <= content.known[content.is_late[event]]


def put(content: MovingContent, event):
    content.held.held += 1
    add(content.held, content.ranks[event])


def take(content: MovingContent, event):
    content.held.held -= 1
    remove(content.held, content.ranks[event])


def begin_key(content: MovingContent, key):
    """A window of the key that holds nothing."""
    held, first = content.held, content.first_value[key]
    held.values, held.different, held.held = content.values[first:].address, content.first_value[key + 1] - first, 0
    held.height = 1
    while held.height < held.different:
        held.height *= 2
    for word in range(content.memory_words * held.height + 1):
        held.memory[word] = 0
    content.key, content.start, content.end = key, BEFORE_ALL_US, BEFORE_ALL_US
    content.entered = content.left = content.first_of_key[key]
    content.arrived[ON_TIME], content.arrived[LATE] = content.first_of_key[key], content.first_late[key]
    content.known[ON_TIME] = content.known[LATE] = BEFORE_ALL_US


def know(content: MovingContent, late, until):
    """Move the arrival up to which events on time, or late ones, are known."""
    place = content.arrived[late]
    end = content.first_of_key[content.key + 1] if late == LATE else content.first_late[content.key]
    first = content.first_late[content.key] if late == LATE else content.first_of_key[content.key]
    while place < end and content.arrivals[content.by_arrival[place]] <= until:
        if is_within(content, content.by_arrival[place]):
            put(content, content.by_arrival[place])
        place += 1
    while place > first and content.arrivals[content.by_arrival[place - 1]] > until:
        place -= 1
        if is_within(content, content.by_arrival[place]):
            take(content, content.by_arrival[place])
    content.arrived[late], content.known[late] = place, until


def reach(content: MovingContent, end):
    """Move the window's end."""
    place = content.entered
    while place < content.first_of_key[content.key + 1] and content.enters[content.by_enter[place]] < end:
        event = content.by_enter[place]
        if content.leaves[event] >= content.start and is_known(content, event):
            put(content, event)
        place += 1
    while place > content.first_of_key[content.key] and content.enters[content.by_enter[place - 1]] >= end:
        place -= 1
        event = content.by_enter[place]
        if content.leaves[event] >= content.start and is_known(content, event):
            take(content, event)
    content.entered, content.end = place, end


def leave(content: MovingContent, start):
    """Move the window's start."""
    place = content.left
    while place < content.first_of_key[content.key + 1] and content.leaves[content.by_leave[place]] < start:
        event = content.by_leave[place]
        if content.enters[event] < content.end and is_known(content, event):
            take(content, event)
        place += 1
    while place > content.first_of_key[content.key] and content.leaves[content.by_leave[place - 1]] >= start:
        place -= 1
        event = content.by_leave[place]
        if content.enters[event] < content.end and is_known(content, event):
            put(content, event)
    content.left, content.start = place, start


def answer_rows(content: MovingContent, first, end):
    """The answers of some rows, which follow the last ones that were asked for: −1, or the row that has none."""
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
