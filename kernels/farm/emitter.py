"""The emitter: takes tuples in order, hands out the windows that they complete, and never waits: where there is no room
it returns, so that its caller collects results meanwhile (FARM §5.3.3.1, §5.4.2.2).

    for each tuple:   before ─▶ windows that were complete before it
                      it goes into the shared buffer, or to the workers whose windows have it
                      after  ─▶ windows that it completes itself
"""

from kernels.farm import inbox
from kernels.farm.active import run_limits, send_tuples
from kernels.farm.chunks import append, append_all, bytes_needed, expire_all
from kernels.farm.descriptors import has_room
from kernels.farm.extents import hand_out_after, hand_out_before, hand_out_rest, quiet_limits
from kernels.farm.layout import BACKWARDS, GO_ON, KEY_IS_OVER, REFUSED, Chunk, Farm, TupleBatch
from kernels.runtime.memory import inner

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
        for number in range(farm.worker_count):
            messages = farm.workers[number].inbox
            if messages.written != messages.sent:
                inbox.send(messages)
        farm.lacks_memory = not inbox.has_room(farm)


@inner
def take_quiet(farm, batch, first):
    """Take the next tuples of a key that complete no window and go to one place, all at once; how many. One by one,
    then with three calls by address each, tuples cost 35 ns."""
    key = batch.keys[first]
    stream = farm.streams[key]
    if stream.tuples == 0 or stream.is_over:
        return 0
    chunk = Chunk(stream.youngest)
    if farm.is_active:
        until, most = run_limits(farm, stream, batch.times[first])
    else:
        until, most = chunk.until, chunk.room - chunk.count
    quiet_until, quiet = quiet_limits(farm, stream)
    until, most = min(quiet_until, until), min(quiet, most, AT_ONCE)
    row, end, newest = first, min(batch.count, first + most), stream.newest
    while row < end and batch.keys[row] == key and newest <= batch.times[row] < until:
        newest = batch.times[row]
        row += 1
    count = row - first
    if count == 0:
        return 0
    if farm.is_active:
        send_tuples(farm, stream, batch, first, count)
    else:
        append_all(farm, chunk, batch, first, count)
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
    """Whether a tuple was taken; one that can't be taken ends the farm."""
    stream, time = farm.streams[batch.keys[row]], batch.times[row]
    verdict, farm.wrong_row = REFUSED, row
    if stream.tuples > 0 and time < stream.newest:
        farm.wrong = BACKWARDS
    elif stream.is_over:
        farm.wrong = KEY_IS_OVER
    else:
        verdict = hand_out_before(farm, stream, batch, row)
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
    hand_out_after(farm, stream)
    return True


def finish_keys(farm: Farm, key, end):
    """The first of some keys, whose tuples are over, of which not all windows could be handed out, or `end`."""
    while key < end and end_stream(farm, farm.streams[key]):
        key += 1
    pause(farm)
    return key


@inner
def end_stream(farm, stream):
    """Whether all windows of a key are handed out; active workers need its tuples no more, which isn't sent yet."""
    if not stream.is_over and has_room(farm) and hand_out_rest(farm, stream) == GO_ON:
        stream.is_over = True
        for number in range(farm.worker_count if farm.is_active and stream.tuples > 0 else 0):
            inbox.next_message(farm, farm.workers[number].inbox, stream.key, inbox.KEY_ENDS, 0)
    return stream.is_over
