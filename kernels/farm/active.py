"""Active workers: each has the windows i with (key + i) mod workers = its number, keeps the tuples of these itself, and
expires them; the emitter sends every tuple to all workers whose windows have it (FARM §5.3). For windows whose bounds
are known when a tuple comes (context-free).

    3 workers, size 3, slide 2     x5 is in windows 1 and 2 ─▶ workers 1 and 2, each with a copy       FARM fig. 16

That a window is complete, FARM's workers see by their next tuple, which may never come; here the emitter sends it, with
the window's place among all windows, by which results are in order.

A worker has the tuples of a key in one piece, which new ones join at the end and expired ones leave at the beginning:

    [ · · · 4 5 6 · · ]     expired 1 to 3; at the end of the room tuples move to its beginning, or into twice the room
            ▲ first ▲ end
"""

from windrow.kernels.bounds import first_end_after, last_start_until, window_start
from windrow.kernels.farm.descriptors import add_stretch, begin, compute, descriptor_at, fill_descriptor, finish
from windrow.kernels.farm.inbox import (
    A_WINDOW,
    BLOCK_TUPLES,
    TUPLES,
    message_to_read,
    next_message,
    send,
    tuples_that_fit,
)
from windrow.kernels.farm.layout import FOREVER, ORDINALS, TOO_LARGE, copy_tuples, hold, tuple_bytes
from windrow.kernels.farm.monitor import enter, leave, wait, wake
from windrow.kernels.runtime.memory import WORD_BYTES, inner, not_inlined, release, resize
from windrow.kernels.runtime.struct import words_at

LEAST_TUPLES = 16


@inner
def worker_of(farm, stream, number):
    return farm.workers[(stream.key + number) % farm.worker_count]


@inner
def selecting(farm, stream, time):
    """By what windows select the next tuple: its time, or its ordinal."""
    return stream.tuples if farm.selects == ORDINALS else time


@inner
def run_limits(farm, stream, time):
    """Until which time, and how many, the next tuples are in the same windows, none complete, in one message."""
    start = window_start(farm.window, last_start_until(farm.window, selecting(farm, stream, time)) + 1)
    if farm.selects == ORDINALS:
        return FOREVER, min(start - stream.tuples, BLOCK_TUPLES)
    return start, BLOCK_TUPLES


@inner
def send_tuples(farm, stream, batch, row, count):
    by = selecting(farm, stream, batch.times[row])
    first, last = first_end_after(farm.window, by), last_start_until(farm.window, by)
    for number in range(first, min(last, first + farm.worker_count - 1) + 1):
        inbox, sent = worker_of(farm, stream, number).inbox, 0
        while sent < count:
            fit = tuples_that_fit(farm, inbox)
            run, at = min(count - sent, fit if fit > 0 else BLOCK_TUPLES), row + sent
            message = next_message(farm, inbox, stream.key, TUPLES, run)
            given = (batch.times[at:], batch.values[at:], batch.count)
            copy_tuples(farm, run, (message.columns, message.columns[run:], run), given)
            sent += run


@inner
def hand_out(farm, stream, number, start, end):
    """A window is complete: its worker is asked to compute it."""
    fill_descriptor(farm, stream, number, start, end)
    inbox = worker_of(farm, stream, number).inbox
    next_message(farm, inbox, stream.key, A_WINDOW, 0).ordinal = farm.handed_out
    enter(farm.monitor)
    farm.handed_out += 1
    farm.taken += 1
    leave(farm.monitor)
    send(inbox)


@inner
def work(farm, worker):
    sent = wait_for_messages(farm, worker)
    while sent > worker.handled:
        while sent > worker.handled and may_go_on(farm):
            message = message_to_read(farm, worker.inbox)
            worker.handled += 1  # before: should the function get no memory, the next message is the next
            if message.kind == A_WINDOW:
                compute_window(farm, worker, message.ordinal)
            elif message.kind == TUPLES:
                append(farm, worker.deques[message.key], message)
            else:  # the key's tuples are needed no more
                deque = worker.deques[message.key]
                may_hold(farm, -tuple_bytes(farm, deque.room))
                release(deque.times.address)
                deque.room = deque.first = deque.end = 0
        sent = wait_for_messages(farm, worker)


@inner
def may_go_on(farm):
    """Not where the farm ends, nor where tuples of a window had no room."""
    return farm.stop == 0 and farm.wrong != TOO_LARGE


@inner
def wait_for_messages(farm, worker):
    """So many may be read, those that it handled among them, now or after waiting; 0 where there will be none."""
    inbox = worker.inbox
    enter(inbox.monitor)
    while (worker.handled == inbox.sent or not may_go_on(farm)) and farm.stop == 0:
        wait(inbox.monitor)
    sent = inbox.sent if may_go_on(farm) else 0
    leave(inbox.monitor)
    return sent


@inner
def compute_window(farm, worker, ordinal):
    """All its tuples are here, and none behind it; what lies before no later window of this worker has. O(expired)."""
    descriptor = descriptor_at(farm, ordinal)
    deque = worker.deques[descriptor.key]
    if farm.selects == ORDINALS:  # a full window: the newest tuples
        deque.first = max(deque.first, deque.end - (descriptor.end - descriptor.start))
        descriptor.start, descriptor.end = deque.times[deque.first], deque.times[deque.end - 1] + 1
    while deque.first < deque.end and deque.times[deque.first] < descriptor.start:
        deque.first += 1
    descriptor.count = deque.end - deque.first
    enter(farm.monitor)
    begin(farm, worker, ordinal)
    leave(farm.monitor)
    add_stretch(worker, descriptor.count, deque.times[deque.first :], deque.values[deque.first :], deque.room)
    status = compute(farm, worker, descriptor)
    enter(farm.monitor)
    finish(farm, worker, status)
    leave(farm.monitor)


@inner
def append(farm, deque, message):
    """The tuples of a message go behind the others, where there is memory; amortised O(tuples · columns)."""
    count = message.count
    if deque.end + count > deque.room and not make_room(farm, deque, count):
        return
    place = deque.end
    given = (message.columns, message.columns[count:], count)
    copy_tuples(farm, count, (deque.times[place:], deque.values[place:], deque.room), given)
    deque.end = place + count


@inner
def make_room(farm, deque, more):
    """Whether there is room for more tuples, at the beginning, or in twice the room unless half of it is free."""
    not_inlined()
    count, room = deque.end - deque.first, deque.room
    if 2 * count <= room and count + more <= room:
        move_to(farm, deque, deque.times.address, room)
        return True
    room = max(2 * room, count + more, LEAST_TUPLES)
    if not may_hold(farm, tuple_bytes(farm, room)):
        return False
    block, old_bytes = resize(0, tuple_bytes(farm, room) // WORD_BYTES), tuple_bytes(farm, deque.room)
    old = deque.times.address
    move_to(farm, deque, block, room)
    release(old)
    return may_hold(farm, -old_bytes)


@inner
def move_to(farm, deque, block, room):
    """The tuples move to the beginning of a block, which may be their own."""
    first, count, words = deque.first, deque.end - deque.first, words_at(block)
    copy_tuples(farm, count, (words, words[room:], room), (deque.times[first:], deque.values[first:], deque.room))
    deque.times, deque.values, deque.room = block, words[room:].address, room
    deque.first, deque.end = 0, count


@inner
def may_hold(farm, more_bytes):
    """Whether private buffers may take more memory, of the half that is theirs; the farm ends where they may not."""
    enter(farm.monitor)
    # A buffer that moves is there twice meanwhile.
    fits = more_bytes <= 0 or 2 * (farm.held - farm.block_bytes + more_bytes) <= farm.most_held
    if fits:
        hold(farm, more_bytes)
    else:
        farm.wrong = TOO_LARGE
        wake(farm.monitor)
    leave(farm.monitor)
    return fits
