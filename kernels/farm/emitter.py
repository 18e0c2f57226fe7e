"""The emitter: takes tuples in order, hands out the windows that they complete, and never waits: where there is no room
it returns, so that its caller collects results meanwhile (FARM §5.3.3.1, §5.4.2.2).

    for each run of tuples:   before ─▶ windows that were complete before it
                              it goes into the shared buffer, or to the workers whose windows have it
                              after  ─▶ windows that its last tuple completes
"""

from windrow.kernels.bounds import first_end_after, window_end, window_start
from windrow.kernels.farm import active, agnostic, inbox
from windrow.kernels.farm.active import run_limits, send_tuples
from windrow.kernels.farm.agnostic import add_chunk, append, bytes_needed, expire_all
from windrow.kernels.farm.descriptors import has_room
from windrow.kernels.farm.layout import (
    AGES,
    ATTRIBUTE_FALLS,
    ATTRIBUTES,
    BACKWARDS,
    FOREVER,
    KEY_IS_OVER,
    ORDINALS,
    TIMES,
    Chunk,
    Farm,
    TupleBatch,
)
from windrow.kernels.runtime.memory import as_float, as_word, inner

AT_ONCE = 1 << 18
"""Tuples: some milliseconds."""


def feed(farm: Farm, batch: TupleBatch):
    """Take tuples of a batch from `done` on, until there is no room or one is refused; so many at most that the caller
    can look how long functions take. O(tuples + their windows)."""
    farm.lacks_memory = False
    end, taken = min(batch.count, batch.done + AT_ONCE), 1
    while batch.done < end and taken > 0 and has_room(farm) and farm.wrong == 0:
        taken = take_run(farm, batch, batch.done, end)
        batch.done += taken
    pause(farm)


@inner
def pause(farm):
    """Before the emitter collects, and perhaps waits: active workers may read all that is written to them."""
    if farm.is_active:
        for number in range(farm.worker_count):
            messages = farm.workers[number].inbox
            if messages.written != messages.sent:
                inbox.send(messages)
        farm.lacks_memory = not inbox.has_room(farm)


@inner
def take_run(farm, batch, row, end):
    """Take neighbouring tuples of a key that go to one place, of which no window is complete before any but the first,
    and behind any but the last; how many. One by one, with three calls by address each, tuples cost 35 ns."""
    stream, time = farm.streams[batch.keys[row]], batch.times[row]
    if is_refused(farm, stream, time, row):
        return 0
    quiet_until, quiet = quiet_limits(farm, stream)
    if stream.tuples == 0 or time >= quiet_until or farm.selects == ATTRIBUTES:
        if not hand_out_before(farm, stream, batch, row) or not has_room(farm):
            return 0
        quiet_until, quiet = quiet_limits(farm, stream)
    chunk = Chunk(stream.youngest)
    if farm.is_active:
        until, most = run_limits(farm, stream, time)
    else:
        if stream.youngest == 0 or chunk.count == chunk.room:
            if not may_hold(farm, stream):
                return 0
            chunk = add_chunk(farm, stream)
        until, most = FOREVER, chunk.room - chunk.count
    count = run_length(batch, row, min(end, row + min(quiet, most)), min(quiet_until, until))
    if farm.is_active:
        send_tuples(farm, stream, batch, row, count)
    else:
        append(farm, chunk, batch, row, count)
    stream.tuples += count
    stream.newest = batch.times[row + count - 1]
    hand_out_after(farm, stream)
    return count


@inner
def is_refused(farm, stream, time, row):
    """Such a tuple ends the farm."""
    farm.wrong_row = row
    if stream.tuples > 0 and time < stream.newest:
        farm.wrong = BACKWARDS
    elif stream.is_over:
        farm.wrong = KEY_IS_OVER
    return farm.wrong != 0


@inner
def run_length(batch, first, end, until):
    """How many rows from the first on, one at least, are of its key, and in order, and before a time."""
    key, row = batch.keys[first], first + 1
    while row < end and batch.keys[row] == key and batch.times[row - 1] <= batch.times[row] < until:
        row += 1
    return row - first


@inner
def may_hold(farm, stream):
    """Whether there is memory for a tuple that has no place, or is once what no window needs is given back."""
    needed = bytes_needed(farm, stream)
    if farm.held + needed <= farm.most_held:
        return True
    expire_all(farm)
    farm.lacks_memory = farm.held + needed > farm.most_held
    return not farm.lacks_memory


@inner
def hand_out(farm, stream, number, start, end):
    """A window is complete, as the model of workers has it. start, end: of what selects its tuples."""
    if farm.is_active:
        active.hand_out(farm, stream, number, start, end)
    else:
        agnostic.hand_out(farm, stream, number, start, end)


@inner
def hand_out_before(farm, stream, batch, row):
    """What is complete before a tuple; whether that was all: not without room for a window, nor of a tuple that is
    refused."""
    if farm.selects == ATTRIBUTES:
        return hand_out_triggered(farm, stream, batch.values[farm.attribute * batch.count + row])
    if farm.selects != TIMES:
        return True
    time = batch.times[row]
    if stream.tuples == 0:
        stream.next_window = first_end_after(farm.window, time)
    while window_end(farm.window, stream.next_window) <= time:
        if window_start(farm.window, stream.next_window) > stream.newest:  # behind it are none with tuples
            stream.next_window = first_end_after(farm.window, time)
        elif has_room(farm):
            hand_out_next(farm, stream, stream.newest)
        else:
            return False
    return True


@inner
def hand_out_next(farm, stream, newest):
    """The key's next window, which is complete; one without tuples is passed over."""
    number = stream.next_window
    start, end = window_start(farm.window, number), window_end(farm.window, number)
    if newest >= start:
        hand_out(farm, stream, number, start, end)
    stream.next_window = number + 1


@inner
def hand_out_triggered(farm, stream, attribute):
    """What an attribute triggers that is at least the threshold beyond the marker, the first one at first."""
    if stream.tuples == 0:
        stream.marker = stream.latest = attribute
    if attribute < stream.latest:
        farm.wrong = ATTRIBUTE_FALLS
        return False
    if attribute - stream.marker >= as_float(farm.slide):
        if not has_room(farm):
            return False
        hand_out(farm, stream, stream.next_window, as_word(attribute - as_float(farm.size)), as_word(attribute))
        stream.next_window, stream.marker = stream.next_window + 1, attribute
    stream.latest = attribute
    return True


@inner
def hand_out_after(farm, stream):
    """The window that the newest tuple completes or triggers: at most one, since count windows are equally long."""
    if farm.selects == ORDINALS and stream.tuples == window_end(farm.window, stream.next_window):
        hand_out_next(farm, stream, stream.tuples - 1)
    elif farm.selects == AGES and stream.tuples % farm.slide == 0:
        hand_out(farm, stream, stream.next_window, stream.newest - farm.size, stream.newest + 1)
        stream.next_window += 1


@inner
def hand_out_rest(farm, stream):
    """All windows of times with tuples, when the key's tuples are over; whether there was room for them."""
    has_more = farm.selects == TIMES and stream.tuples > 0
    while has_more and window_start(farm.window, stream.next_window) <= stream.newest:
        if not has_room(farm):
            return False
        hand_out_next(farm, stream, stream.newest)
    return True


@inner
def quiet_limits(farm, stream):
    """Until which time, and how many, the next tuples complete no window, but the last of so many. Each attribute has
    to be looked at."""
    if farm.selects == TIMES:
        return window_end(farm.window, stream.next_window), FOREVER
    if farm.selects == ORDINALS:
        return FOREVER, window_end(farm.window, stream.next_window) - stream.tuples
    return FOREVER, farm.slide - stream.tuples % farm.slide if farm.selects == AGES else 1


def finish_keys(farm: Farm, key, end):
    """The first of some keys, whose tuples are over, of which not all windows could be handed out, or `end`."""
    while key < end and end_stream(farm, farm.streams[key]):
        key += 1
    pause(farm)
    return key


@inner
def end_stream(farm, stream):
    """Whether all windows of a key are handed out; active workers need its tuples no more, which isn't sent yet."""
    if not stream.is_over and has_room(farm) and hand_out_rest(farm, stream):
        stream.is_over = True
        for number in range(farm.worker_count if farm.is_active and stream.tuples > 0 else 0):
            inbox.next_message(farm, farm.workers[number].inbox, stream.key, inbox.KEY_ENDS, 0)
    return stream.is_over
