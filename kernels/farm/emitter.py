"""The emitter: takes tuples in order, hands out the windows that they complete, and never waits: where there is no room
it returns, so that its caller collects results meanwhile (FARM §5.3.3.1, §5.4.2.2).

    for each tuple:   before ─▶ windows that were complete before it
                      it goes into the shared buffer, or to the workers whose windows have it
                      after  ─▶ windows that it completes itself
"""

from kernels.farm import inbox
from kernels.farm.active import end_key, run_limits, send_tuples, send_waiting
from kernels.farm.chunks import append, append_all, bytes_needed, expire_all, room_limits
from kernels.farm.descriptors import has_room
from kernels.farm.layout import BACKWARDS, GO_ON, KEY_IS_OVER, REFUSED, Chunk, Farm, TupleBatch
from kernels.runtime.memory import as_word, inner

AT_ONCE = 1 << 18
"""Tuples: some milliseconds."""


def feed(farm: Farm, batch: TupleBatch):
    """Take tuples of a batch from `done` on, until there is no room or one is refused; so many at most that the caller
    can look how long functions take. O(tuples + their windows)."""
    farm.lacks_memory = False
    until = min(batch.count, batch.done + AT_ONCE)
    while batch.done < until and has_room(farm) and farm.wrong == 0:
        taken = take_quiet(farm, batch, batch.done)
        if taken == 0 and not take(farm, batch, batch.done):
            break
        batch.done += max(taken, 1)
    pause(farm)


@inner
def pause(farm):
    """Before the emitter collects, and perhaps waits: active workers may read all that is written to them."""
    if farm.is_active:
        send_waiting(farm)
        farm.lacks_memory = not inbox.has_room(farm)


@inner
def take_quiet(farm, batch, first):
    """Take the next tuples of a key that complete no window and go to one place, all at once; how many. One by one,
    with three calls by address each, tuples cost 35 ns."""
    key = batch.keys[first]
    stream = farm.streams[key]
    if stream.tuples == 0 or stream.is_over:
        return 0
    until, most = run_limits(farm, stream, batch.times[first]) if farm.is_active else room_limits(stream)
    until = min(farm.extents.quiet_until(farm, stream), until)
    most = min(farm.extents.quiet_tuples(farm, stream), most, AT_ONCE)
    row, end, newest = first, min(batch.count, first + max(most, 0)), stream.newest
    while row < end and batch.keys[row] == key and newest <= batch.times[row] < until:
        newest = batch.times[row]
        row += 1
    count = row - first
    if farm.is_active:
        send_tuples(farm, stream, batch, first, count)
    else:
        append_all(farm, Chunk(stream.youngest), batch, first, count)
    stream.tuples += count
    stream.newest = newest
    return count


@inner
def may_hold(farm, stream, time):
    """Whether there is memory for one more tuple, or is once what nobody needs is given back."""
    needed = bytes_needed(farm, stream, time)
    if needed == 0 or farm.held + needed <= farm.most_held:
        return True
    expire_all(farm)
    farm.lacks_memory = farm.held + needed > farm.most_held
    return not farm.lacks_memory


@inner
def take(farm, batch, row):
    """Whether a tuple was taken."""
    stream, time = farm.streams[batch.keys[row]], batch.times[row]
    if stream.tuples > 0 and time < stream.newest:
        return refuse(farm, row, BACKWARDS)
    if stream.is_over:
        return refuse(farm, row, KEY_IS_OVER)
    value = as_word(batch.values[farm.attribute * batch.count + row]) if farm.attribute >= 0 else 0
    verdict = farm.extents.before(farm, stream, time, value)
    if verdict == REFUSED:
        farm.wrong_row = row
    if verdict != GO_ON:
        return False
    if farm.is_active:
        send_tuples(farm, stream, batch, row, 1)
    elif may_hold(farm, stream, time):
        append(farm, stream, batch, row)
    else:
        return False
    stream.tuples += 1
    stream.newest = time
    farm.extents.after(farm, stream)
    return True


@inner
def refuse(farm, row, why):
    """A tuple that can't be taken ends the farm."""
    farm.wrong, farm.wrong_row = why, row
    return False


def finish_key(farm: Farm, key):
    """Whether all windows of a key whose tuples are over are handed out; if not there was no room."""
    is_over = end_stream(farm, farm.streams[key])
    pause(farm)
    return is_over


def finish_all(farm: Farm):
    """The same of all keys; it goes on where it had no room the last time."""
    while farm.finished < farm.keys and end_stream(farm, farm.streams[farm.finished]):
        farm.finished += 1
    pause(farm)
    return farm.finished == farm.keys


@inner
def end_stream(farm, stream):
    """The same of one key; messages to active workers aren't sent yet."""
    if not stream.is_over and has_room(farm) and farm.extents.finish(farm, stream) == GO_ON:
        stream.is_over = True
        if farm.is_active:
            end_key(farm, stream)
    return stream.is_over
