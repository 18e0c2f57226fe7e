"""Active workers: each has the windows i with (key + i) mod workers = its number, keeps the tuples of these itself, and
expires them; the emitter sends every tuple to all workers whose windows have it (FARM §5.3). For windows whose bounds
are known when a tuple comes (context-free).

    3 workers, size 3, slide 2     x5 is in windows 1 and 2 ─▶ workers 1 and 2, each with a copy       FARM fig. 16

That a window is complete, FARM's workers see by their next tuple, which may never come; here the emitter sends it, with
the window's place among all windows, by which results are in order.
"""

from kernels.bounds import first_end_after, last_start_until, window_start
from kernels.farm.compute import add_stretch, compute
from kernels.farm.deques import append_all, expire, give_back
from kernels.farm.descriptors import begin, descriptor_at, fill_descriptor, finish
from kernels.farm.inbox import BLOCK_TUPLES, message_to_read, next_message, send, tuples_that_fit
from kernels.farm.layout import A_WINDOW, FOREVER, KEY_ENDS, TOO_LARGE, TUPLES, Farm, Substream, Worker
from kernels.farm.monitor import enter, leave, wait
from kernels.runtime.memory import inner, move


@inner
def worker_of(farm, stream, number):
    """Whose a window is."""
    return farm.workers[(stream.key + number) % farm.worker_count]


@inner
def low_of(farm, stream, time):
    """By what windows select the next tuple: its time, or its ordinal."""
    return stream.tuples if farm.by_ordinal else time


@inner
def run_limits(farm, stream, time):
    """Until which time, and how many, the next tuples are in the same windows as the first of them, which has that
    time, unless one of these windows is complete before; they are one message at most."""
    start = window_start(farm.window, last_start_until(farm.window, low_of(farm, stream, time)) + 1)
    if farm.by_ordinal:
        return FOREVER, min(start - stream.tuples, BLOCK_TUPLES)
    return start, BLOCK_TUPLES


@inner
def send_tuples(farm, stream, batch, row, count):
    """To each worker that has a window with them. O(workers · columns · tuples)."""
    low = low_of(farm, stream, batch.times[row])
    first, last = first_end_after(farm.window, low), last_start_until(farm.window, low)
    for number in range(first, min(last, first + farm.worker_count - 1) + 1):
        inbox, sent = worker_of(farm, stream, number).inbox, 0
        while sent < count:
            fit = tuples_that_fit(farm, inbox)
            run = min(count - sent, fit if fit > 0 else BLOCK_TUPLES)
            message = next_message(farm, inbox, stream.key, TUPLES, run)
            message.low = low + sent
            copy_tuples(farm, message, batch, row + sent)
            sent += run


@inner
def copy_tuples(farm, message, batch, row):
    """Tuples of a batch from a row on, as many as the message has."""
    count = message.count
    move(message.columns.address, batch.times[row:].address, count)
    for column in range(farm.columns):
        values = batch.values[column * batch.count + row :]
        move(message.columns[(1 + column) * count :].address, values.address, count)


def hand_out(farm: Farm, stream: Substream, low, number, start, end):
    """A window is complete: its worker is asked to compute it."""
    fill_descriptor(farm, stream, low, number, start, end)
    inbox = worker_of(farm, stream, number).inbox
    next_message(farm, inbox, stream.key, A_WINDOW, 0).low = farm.handed_out
    enter(farm.monitor)
    farm.handed_out += 1
    farm.taken += 1
    leave(farm.monitor)
    send(inbox)


@inner
def end_key(farm, stream):
    """All windows of a key are handed out: its tuples are needed no more."""
    for number in range(farm.worker_count if stream.tuples > 0 else 0):
        next_message(farm, farm.workers[number].inbox, stream.key, KEY_ENDS, 0)


@inner
def send_waiting(farm):
    """The same to all workers."""
    for number in range(farm.worker_count):
        inbox = farm.workers[number].inbox
        if inbox.written != inbox.sent:
            send(inbox)


def work(farm: Farm, worker: Worker):
    """Read messages until there are no more."""
    inbox = worker.inbox
    sent = wait_for_messages(farm, worker)
    while sent > worker.handled:
        while sent > worker.handled and may_go_on(farm):
            message = message_to_read(farm, inbox)
            worker.handled += 1  # before: should the function get no memory, the next message is the next
            if message.kind == A_WINDOW:
                compute_window(farm, worker, message.low)
            elif message.kind == TUPLES:
                append_all(farm, worker.deques[message.key], message)
            else:
                give_back(farm, worker.deques[message.key])
        sent = wait_for_messages(farm, worker)


@inner
def may_go_on(farm):
    """Not where the farm ends, nor where tuples of a window had no room."""
    return farm.stop == 0 and farm.wrong != TOO_LARGE


@inner
def wait_for_messages(farm, worker):
    """All up to those that it handled are read. So many may be, now or after waiting; 0 where there will be none."""
    inbox = worker.inbox
    enter(inbox.monitor)
    inbox.read = worker.handled
    while (inbox.read == inbox.sent or not may_go_on(farm)) and not inbox.is_over and farm.stop == 0:
        wait(inbox.monitor)
    sent = inbox.sent if may_go_on(farm) else 0
    leave(inbox.monitor)
    return sent


@inner
def compute_window(farm, worker, ordinal):
    """All tuples of the window are here, and none behind it."""
    descriptor = descriptor_at(farm, ordinal)
    deque = worker.deques[descriptor.key]
    expire(deque, descriptor.low)
    descriptor.count = deque.end - deque.first
    if farm.ends_at_tuples:
        descriptor.start, descriptor.end = deque.times[deque.first], deque.times[deque.end - 1] + 1
    enter(farm.monitor)
    begin(farm, worker, ordinal)
    leave(farm.monitor)
    worker.content.stretch_count = 0
    add_stretch(worker, descriptor.count, deque.times[deque.first :], deque.values[deque.first :], deque.room)
    status = compute(farm, worker, descriptor)
    enter(farm.monitor)
    finish(farm, worker, status)
    leave(farm.monitor)
